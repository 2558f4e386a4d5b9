import type { IDataObject } from 'n8n-workflow';

import { USED_KEY } from '../agent/text-for-model';
import { editorName } from '../input/field-name';
import type { CompiledCall } from '../operations/operation';
import { CUT_ADVICE } from '../service/advice';
import { type Failure, isFailure, unsent } from '../service/endings';
import type { Need, NoPass, Pass } from './pace/waiting-call';
import { Turns } from '../shared/turns';
import { type CallWatch, makeCall } from './call';
import type { Job, Run } from './items';
import { lookUp } from './look-up';
import { isDone, type SentIn } from './ledger';
import type { Ticket } from './once/ticket';
import { decide } from './repetition';
import {
	brokenAfter,
	brokenBefore,
	FILL_IN,
	HELD_BACK,
	inPart,
	keyIsBusy,
	keyIsOpen,
	notFound,
	notLookedUp,
	RAISE_TIMEOUT,
	refusal,
} from './wording';
import type { CallSettings } from './settings';

/** Sends the jobs of a run, and records how they end. */
export class Sender {
	constructor(private readonly run: Run) {}

	/** Gets what a job needs before it may leave: its once key, which is being claimed, and what has to be looked up. */
	prepare(job: Job, ticket: Ticket | undefined): Need {
		const settled = ticket?.settled ?? Promise.resolve();
		const giveBack = (): void =>
			void ticket?.claimed.then((end) => ticket.end(end === 'open' ? 'open' : 'free'));
		return { claimed: this.isToDo(job), settled, giveBack };
	}

	/** Whether a job that has its key is still to be done. Otherwise its items are done, held back or failed. */
	private async isToDo(job: Job): Promise<boolean> {
		const { calls, items, settings, ticket } = job;
		if (ticket !== undefined && !(await this.mayBeSent(job, ticket))) return false;
		const call = await this.completed(calls[0], settings);
		if (!isFailure(call)) {
			calls[0] = call;
			return true;
		}
		this.run.ledger.fail(items, call);
		ticket?.end('free');
		return false;
	}

	/** Sends a job that needs nothing, or has it. Never rejects. */
	async send(job: Job, first: Pass | NoPass): Promise<void> {
		const { asked, ledger } = this.run;
		const { ticket } = job;
		const [item = 0] = job.items;
		const entry = ledger.entry(item);
		try {
			await this.sendCalls(job, first);
		} catch (error) {
			const hasLeft = entry.saved.state !== 'waiting';
			ledger.fail(job.items, hasLeft ? brokenAfter(error, job.calls[0].call) : brokenBefore(error));
		}
		const isUnknown = entry.saved.state === 'unknown';
		if (isDone(entry)) ticket?.end('sent');
		else ticket?.end(isUnknown ? 'open' : 'free');
		const { question } = job.calls[0];
		// A question that may have arrived can be answered.
		if (question !== undefined && (isDone(entry) || isUnknown)) {
			asked?.note(entry.key, { question, item });
		}
	}

	/** Waits for the job's once key. If the job may not be sent, its item is done, held back or failed. */
	private async mayBeSent({ calls: [call], items, settings }: Job, ticket: Ticket): Promise<boolean> {
		const { ledger } = this.run;
		const { key } = ticket;
		const [item = 0] = items;
		const claimed = await ticket.claimed;
		const isTried = ledger.isInDoubt(item);
		const note = ledger.isTool ? { note: USED_KEY } : {};
		const output: IDataObject = { alreadySent: true, onceKey: key, ...call.ownFields, ...note };
		switch (decide(isTried, claimed, settings.whenUnknown)) {
			case 'sendAgain':
				// The doubt about the key is one about the item.
				if (!isTried) ledger.cameBack(items, keyIsOpen(key));
				return true;
			case 'countAsSent':
				ticket.end('sent');
				ledger.countAsSent(item, await this.withEarlier(output, call, settings), 'before');
				return false;
			case 'alreadySent':
				ledger.sent(items, [await this.withEarlier(output, call, settings)], 'before');
				return false;
			case 'hold':
				ticket.end('open');
				ledger.holdBack(items, claimed === 'busy' ? keyIsBusy(key) : keyIsOpen(key));
				return false;
			case 'fail':
				ledger.fail(items, typeof claimed === 'object' ? claimed : HELD_BACK.halted);
				return false;
			default:
				return true;
		}
	}

	/** Makes the calls of a job one after the other. */
	private async sendCalls(job: Job, first: Pass | NoPass): Promise<void> {
		const { calls, items, split, ticket } = job;
		const { ledger } = this.run;
		const output: IDataObject[] = [];
		let sentIn: SentIn = 'thisTry';
		for (const [n, compiled] of calls.entries()) {
			const call = n === 0 ? compiled : await this.completed(compiled, job.settings);
			const result = isFailure(call) ? call : await this.make(job, call, n, output, first);
			if (typeof result === 'object') {
				if (n === 0 || split === undefined) ledger.fail(items, result);
				else ledger.fail(items, inPart(result, n * split.perCall, split.entries));
				return;
			}
			sentIn = result;
		}
		if (ticket !== undefined) for (const json of output) json.onceKey ??= ticket.key;
		ledger.sent(items, output, sentIn);
	}

	/** Makes one call, and adds the output of its answer. */
	private async make(
		{ calls, items, settings }: Job,
		compiled: CompiledCall,
		n: number,
		all: IDataObject[],
		first: Pass | NoPass,
	): Promise<SentIn | Failure> {
		const { call, channel, ownFields, output, showToken = false, sources } = compiled;
		const { clock, hints, ledger, operation } = this.run;
		const nameOf = (path: string): string => editorName(operation.fields, path, sources);
		const request = { ...settings, channel, showToken, nameOf, ifSlow: RAISE_TIMEOUT };
		const watch: CallWatch = {
			left: () => ledger.left(items),
			cameBack: (failure) => ledger.cameBack(items, failure),
		};
		// An item with several calls is in flight from the first call to the last.
		const result = await makeCall(this.run, call, request, n === 0 ? { first, watch } : {});
		if (isFailure(result)) {
			if (compiled.means?.(result) === 'sentBefore') {
				all.push({ alreadySent: true, ...ownFields });
				return 'before';
			}
			return result;
		}
		if (result.cut !== undefined) hints.set(`${result.cut}. ${CUT_ADVICE}`, 'warning');
		if (n === calls.length - 1) ledger.accepted(items, [ownFields ?? {}]);
		try {
			const turns = new Turns(clock);
			for (const json of output(result.body, result.cut, (hint) => hints.set(hint, 'info'))) {
				all.push(json);
				// A list may be long.
				if (turns.over) await turns.next();
			}
			return 'thisTry';
		} catch (error) {
			return brokenAfter(error, call);
		}
	}

	/** The call, completed with its lookup's answer if it needs one, or why it must not leave. */
	private async completed(compiled: CompiledCall, settings: CallSettings): Promise<CompiledCall | Failure> {
		const { before } = compiled;
		if (before === undefined) return compiled;
		const answer = await (before.isOwn === true
			? makeCall(this.run, before.call, { ...settings, showToken: true })
			: lookUp(this.run, before.call, settings));
		if (isFailure(answer)) return notLookedUp(answer);
		if (answer.cut !== undefined) return notLookedUp(unsent(answer.cut, FILL_IN));
		try {
			return before.complete(answer.body);
		} catch (error) {
			return refusal(error);
		}
	}

	/** The output of an item whose key was used before, with what the earlier call has created. */
	private async withEarlier(
		output: IDataObject,
		{ earlier }: CompiledCall,
		settings: CallSettings,
	): Promise<IDataObject> {
		if (earlier === undefined) return output;
		const answer = await lookUp(this.run, earlier.call, settings);
		const found = isFailure(answer) ? answer.message : (answer.cut ?? earlier.find(answer.body));
		if (typeof found !== 'string') return { ...found, ...output };
		this.run.hints.set(notFound(found), 'info');
		return output;
	}
}
