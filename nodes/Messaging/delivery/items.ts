import type { IExecuteFunctions } from 'n8n-workflow';

import type { Asked } from '../ask/asked';
import type { AnyOperation } from '../contract/any-operation';
import { defined } from '../json/defined';
import { type Failure, isFailure } from '../service/endings';
import { Turns } from '../time/turns';
import type { Batches } from './batches';
import { type CallEnvironment, stillUnclear } from './call';
import type { ParameterSource } from '../fields/input';
import { compileItem, type ItemCall, type Job, sourceOf } from './jobs';
import type { Memory } from './memory/memory';
import type { Questions } from './questions';
import type { OnceKeys, Ticket } from './memory/once/once-keys';
import { mayGoOutAgain } from './repetition';
import { brokenBefore } from './report/broken';
import { ASKED_BEFORE, mayBeDone, notSentAgain } from './report/not-sent';
import type { Results } from './report/results';
import { onceKeyOf, optionsOf } from './settings';
import { Together } from './together';

/** The input items of a run, and the calls that they need. These are the only loops over items. */
export class Items {
	private readonly total: number;

	private readonly together: Together;

	/**
	 * @param onceKeys those of the run; a failure when it can have none
	 * @param asked what was asked, in an operation that waits for an answer
	 * @param onFailure told of each item whose call can't be made
	 */
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly operation: AnyOperation,
		private readonly memory: Memory,
		private readonly asked: Asked | undefined,
		private readonly results: Results,
		private readonly questions: Questions,
		private readonly onceKeys: () => OnceKeys | Failure,
		private readonly onFailure: () => void,
	) {
		this.total = context.getInputData().length;
		this.together = new Together(context);
	}

	/** One job for each item, made when its turn has come; `null` for one that needs none. */
	*jobs(): Generator<Job | null> {
		for (let item = 0; item < this.total; item++) {
			try {
				yield this.jobOf(item) ?? null;
			} catch (error) {
				this.fail(item, stillUnclear(this.doubtOf(item), brokenBefore(error)));
				yield null;
			}
		}
	}

	/**
	 * Reads all items before anything is sent, because they share calls; the event loop turns in between. Once one of
	 * them has failed in stop mode nothing is sent, but in a repetition the rest is read all the same: only what an item
	 * names tells what an earlier try has made of it.
	 */
	async gatherInto(
		batches: Batches,
		{ clock, signal }: Pick<CallEnvironment, 'clock' | 'signal'>,
	): Promise<void> {
		const cancel = this.context.getExecutionCancelSignal();
		const turns = new Turns(clock);
		for (let item = 0; item < this.total; item++) {
			if (signal.aborted && (cancel?.aborted === true || !this.memory.isRepetition)) return;
			await this.gather(item, batches);
			if (turns.over) await turns.next();
		}
	}

	private async gather(item: number, batches: Batches): Promise<void> {
		const { memory, questions } = this;
		const key = memory.itemKey(item);
		try {
			const made = this.compile(item, key);
			if (isFailure(made)) {
				// Without its parts nobody can tell what an earlier try has made of it.
				this.fail(item, memory.neverMade(key) ? made : mayBeDone(made, memory));
				return;
			}
			memory.made(key);
			const prepared = await questions.completed(made.prepared);
			if (isFailure(prepared)) this.fail(item, prepared);
			else batches.add(item, { ...made, prepared });
		} catch (error) {
			const failure = brokenBefore(error);
			this.fail(item, memory.isRepetition ? mayBeDone(failure, memory) : failure);
		}
	}

	/** What an earlier try has left in doubt of an item. */
	private doubtOf(item: number): Failure | undefined {
		const remembered = this.memory.recall(this.memory.itemKey(item));
		return remembered !== undefined && 'failure' in remembered ? remembered.failure : undefined;
	}

	/** The call that an item needs; `undefined` when it needs none, because it has ended already. */
	private jobOf(item: number): Job | undefined {
		const { asked, memory, results } = this;
		const key = memory.itemKey(item);
		const remembered = memory.recall(key);
		if (remembered !== undefined) results.changes = true;
		if (remembered?.underKey === true) results.noteKey(item);
		if (remembered !== undefined && 'json' in remembered) {
			if (asked?.has(key) === false) results.fail({ failure: ASKED_BEFORE, items: [item] });
			else results.succeed([item], remembered.json, 'inEarlierTry');
			return undefined;
		}
		const unclear = remembered?.failure;
		const made = this.compile(item, key);
		if (isFailure(made)) {
			this.fail(item, stillUnclear(unclear, made));
			return undefined;
		}
		if (unclear !== undefined && !mayGoOutAgain(unclear, made.prepared.call, made.settings)) {
			// Nothing new has happened: also in stop mode, the rest goes out before the run fails again.
			results.holdBack({ failure: notSentAgain(unclear, memory), items: [item] });
			return undefined;
		}
		const ticket = this.ticketFor(item, made.settings);
		if (ticket !== undefined && isFailure(ticket)) {
			this.fail(item, stillUnclear(unclear, ticket));
			return undefined;
		}
		return {
			...made,
			keys: [key],
			...defined<Pick<Job, 'ticket' | 'unclear'>>({ ticket, unclear }),
			wentOut: () => {
				const { question } = made.prepared;
				if (question !== undefined) asked?.note(key, { question, item });
			},
			ended: (end) => {
				if ('json' in end || 'sentBefore' in end) memory.goneOut(made.settings.onceKey);
				if ('json' in end) results.succeed([item], end.json);
				else if ('sentBefore' in end) results.succeed([item], [end.sentBefore], 'underItsKey');
				else if ('heldBack' in end) results.holdBack({ failure: end.heldBack, items: [item] });
				else results.fail({ failure: end.failure, items: [item] });
			},
		};
	}

	/** The wish for the once key of an item; `undefined` when it has none. */
	private ticketFor(
		item: number,
		{ onceKey, maxWaitMs }: ItemCall['settings'],
	): Ticket | Failure | undefined {
		if (onceKey === undefined) return undefined;
		this.results.noteKey(item);
		const keys = this.onceKeys();
		return isFailure(keys) ? keys : keys.want(onceKey, maxWaitMs);
	}

	private compile(item: number, key: string): ItemCall | Failure {
		const { asked, context, memory, operation } = this;
		const callId = (source: ParameterSource): string => {
			const onceKey = onceKeyOf(optionsOf(source), operation.fields);
			const keys = onceKey === undefined ? undefined : this.onceKeys();
			if (onceKey === undefined || keys === undefined || isFailure(keys)) return memory.uuidOf(key);
			return keys.uuidOf(onceKey);
		};
		const answerLink = (): string => asked?.linkTo(key) ?? '';
		const made = { callId, answerLink };
		return compileItem(operation, sourceOf(context, operation.fields, item, made, this.together));
	}

	private fail(item: number, failure: Failure): void {
		this.results.fail({ failure, items: [item] });
		this.onFailure();
	}
}
