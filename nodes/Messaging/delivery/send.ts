import type { IDataObject } from 'n8n-workflow';

import { editorName } from '../input/field-name';
import type { Properties } from '../input/parameter-types';
import type { CompiledCall } from '../operations/operation';
import type { Asked } from '../question/asked';
import type { ApiCall } from '../service/api-call';
import { type Failure, isFailure, unsent } from '../service/endings';
import type { Reply } from '../service/reply';
import { withoutSignatures } from '../service/secrets';
import { Turns } from '../shared/turns';
import { type CallEnvironment, type CallWatch, makeCall } from './call';
import { type Job, refusal } from './items';
import { isDone, isOnItsWay, type Ledger } from './ledger';
import type { Ticket } from './once/once-keys';
import { mayGoOutAgain } from './repetition';
import {
	brokenAfter,
	brokenBefore,
	brokenDuring,
	ifUnknown,
	inPart,
	keyIsBusy,
	keyIsOpen,
	notLookedUp,
	RAISE_TIMEOUT,
	STOPPED,
} from './report/wording';
import type { CallSettings } from './settings';

/** How a request is made that has to be answered before a call may leave. */
const LOOKUP_SETTINGS: CallSettings = {
	timeoutMs: 10_000,
	maxTries: 3,
	maxWaitMs: 60_000,
	whenUnknown: 'hold',
};

/** Sends the jobs of a run, and writes down how they end. */
export class Sender {
	/** The answers to what had to be looked up, one for each question. */
	private readonly lookups = new Map<ApiCall, Promise<Reply | Failure>>();

	/**
	 * @param fields those of the operation, which errors name
	 * @param asked what was asked, in an operation that waits for an answer
	 */
	constructor(
		private readonly env: CallEnvironment,
		private readonly ledger: Ledger,
		private readonly fields: Properties,
		private readonly asked: Asked | undefined,
	) {}

	/** Sends a job, unless its once key says that it has been sent. Never rejects. */
	async send(job: Job): Promise<void> {
		const { ticket } = job;
		if (ticket !== undefined && !(await this.mayBeSent(job, ticket))) return;
		const [item = 0] = job.items;
		const entry = this.ledger.entry(item);
		try {
			await this.sendCalls(job);
		} catch (error) {
			const hasLeft = isOnItsWay(entry);
			this.ledger.fail(
				job.items,
				hasLeft ? brokenDuring(error, entry.call ?? job.calls[0].call) : brokenBefore(error),
			);
		}
		const isUnknown = entry.saved.state === 'unknown';
		if (isDone(entry)) ticket?.end('sent');
		else ticket?.end(isUnknown ? 'open' : 'notSent');
		const { question } = job.calls[0];
		// Whoever may have got a question may answer it.
		if (question !== undefined && (isDone(entry) || isUnknown)) {
			this.asked?.note(entry.key, { question, item });
		}
	}

	/** Waits for the once key of a job. Without it the item ends here: it is done, held back, or has failed. */
	private async mayBeSent({ calls: [call], items, settings }: Job, ticket: Ticket): Promise<boolean> {
		const { ledger } = this;
		const { key } = ticket;
		const claimed = await ticket.claimed;
		const sentBefore: IDataObject = { alreadySent: true, onceKey: key, ...call.known };
		if (typeof claimed === 'object') ledger.fail(items, claimed);
		else if (claimed === 'withdrawn') ledger.fail(items, STOPPED);
		else if (claimed === 'busy') ledger.holdBack(items, keyIsBusy(key));
		else if (claimed === 'sent') ledger.sent(items, [sentBefore], 'before');
		else {
			const { tried } = ledger.entry(items[0] ?? 0).saved;
			const doubtful = tried ?? (claimed === 'open' ? keyIsOpen(key) : undefined);
			if (doubtful === undefined) return true;
			if (settings.whenUnknown === 'countAsSent') {
				ticket.end('sent');
				ledger.sent(items, [sentBefore], 'before');
				return false;
			}
			if (mayGoOutAgain(doubtful, call.call, settings)) {
				if (tried === undefined) ledger.cameBack(items, doubtful);
				return true;
			}
			ticket.end('open');
			const description = `${doubtful.description} ${ifUnknown(ledger.situation)}`;
			ledger.holdBack(items, { ...doubtful, description });
		}
		return false;
	}

	/** Makes the calls of a job one after the other. */
	private async sendCalls(job: Job): Promise<void> {
		const { calls, items, split } = job;
		const { ledger } = this;
		const output: IDataObject[] = [];
		for (const [n, compiled] of calls.entries()) {
			const call = await this.completed(compiled);
			const result = isFailure(call) ? call : await this.make(job, call, n);
			if (isFailure(result)) {
				if (n === 0 || split === undefined) ledger.fail(items, result);
				else ledger.fail(items, inPart(result, n * split.perCall, split.entries));
				return;
			}
			// A list may have more records than a call can have arguments.
			for (const json of result) output.push(json);
		}
		const { ticket } = job;
		ledger.sent(
			items,
			ticket === undefined
				? output
				: output.map((fields) => ({ ...fields, onceKey: fields.onceKey ?? ticket.key })),
		);
	}

	/** Makes one call, and output of its answer. */
	private async make(
		{ calls, items, settings }: Job,
		compiled: CompiledCall,
		n: number,
	): Promise<IDataObject[] | Failure> {
		const { ledger } = this;
		const { call, showToken = false, sources } = compiled;
		const nameOf = (path: string): string => editorName(this.fields, path, sources);
		const request = { ...settings, showToken, nameOf, ifSlow: RAISE_TIMEOUT };
		// Of an item with several calls, it stays on its way until the last of them has ended.
		const watch: CallWatch | undefined =
			n > 0
				? undefined
				: {
						left: () => ledger.left(items, call),
						cameBack: (failure) => ledger.cameBack(items, failure),
					};
		const result = await makeCall(this.env, call, request, watch);
		if (isFailure(result)) {
			return compiled.question === undefined ? result : withoutSignatures(result);
		}
		const isLast = n === calls.length - 1;
		try {
			if (isLast && ledger.entry(items[0] ?? 0).call !== undefined) {
				ledger.accepted(items, [compiled.known ?? {}]);
			}
			return await this.allOf(compiled.output(result.body));
		} catch (error) {
			return brokenAfter(error, call);
		}
	}

	/** A call with what had to be looked up for it, or why it must not leave. */
	private async completed(compiled: CompiledCall): Promise<CompiledCall | Failure> {
		const { before } = compiled;
		if (before === undefined) return compiled;
		const asked = this.lookups.get(before.call) ?? makeCall(this.env, before.call, LOOKUP_SETTINGS);
		this.lookups.set(before.call, asked);
		const answer = await asked;
		if (isFailure(answer)) return notLookedUp(answer);
		try {
			const ready = before.complete(answer.body);
			return 'hint' in ready ? unsent(ready.message, ready.hint) : ready;
		} catch (error) {
			return refusal(error);
		}
	}

	/** All of an output; the event loop turns while there is much of it. */
	private async allOf(made: Iterable<IDataObject>): Promise<IDataObject[]> {
		const turns = new Turns(this.env.clock);
		const all: IDataObject[] = [];
		for (const json of made) {
			all.push(json);
			if (turns.overAfter(10)) await turns.next();
		}
		return all;
	}
}
