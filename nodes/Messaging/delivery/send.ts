import type { IDataObject } from 'n8n-workflow';

import { USED_KEY } from '../agent/text-for-model';
import type { CompiledCall } from '../operations/operation';
import type { Asked } from '../question/asked';
import { CUT_ADVICE } from '../service/advice';
import { type Failure, isFailure, unsent } from '../service/endings';
import type { NoStart, Start } from './pace/queued-call';
import { Turns } from '../shared/turns';
import { type CallEnvironment, type CallWatch, makeCall } from './call';
import type { Job } from './items';
import type { Hints, LookUps } from './look-up';
import { isDone, type Ledger } from './ledger';
import type { OnceKeys } from './once/once-keys';
import type { Claim } from './once/claim';
import { decide } from './repetition';
import { broken, FILL_IN, keyIsInDoubt, notLookedUp, RAISE_TIMEOUT, refusal } from './wording';
import type { CallSettings } from './settings';

/** What jobs are sent with. */
export interface ForSending {
	readonly calls: CallEnvironment;
	readonly ledger: Ledger;
	readonly lookUps: LookUps;
	/** The once keys of the items, if they have any. */
	readonly onceKeys: OnceKeys | undefined;
	/** Takes the questions that went out; only in an operation that waits for an answer. */
	readonly asked: Asked | undefined;
	readonly hints: Hints;
}

/** For how long a job keeps its turn while it claims its key, in milliseconds. */
const QUICK_MS = 250;

/** Sends the jobs of a run, and records how they end. */
export class Sender {
	constructor(private readonly run: ForSending) {}

	/**
	 * Sends a job whose turn has come. Its once key is not claimed earlier, because n8n may be stopped while the job waits.
	 * Never rejects.
	 *
	 * @param first the queue's answer to its first request
	 */
	async send(job: Job, first: Start | NoStart): Promise<void> {
		let turn: Start | NoStart | undefined = first;
		/** Gives the turn back to the queue, because what has to be done first takes longer. The job queues again after it. */
		const giveBack = (): void => {
			if (turn?.kind !== 'start') return;
			turn.cancel();
			turn = undefined;
		};
		if (job.settings.onceKey === undefined && job.compiled.before === undefined) {
			return await this.record(job, first);
		}
		const { clock, queue } = this.run.calls;
		const ready = new AbortController();
		void clock.sleep(QUICK_MS, ready.signal).then(() => ready.signal.aborted || giveBack());
		const isToDo = await this.getReady(job, giveBack);
		ready.abort();
		if (!isToDo || queue.isHalted) giveBack();
		if (isToDo) await this.record(job, turn);
	}

	/** Claims the once key of a job, and looks up what its call needs. Returns whether it is still to be done. */
	private async getReady(job: Job, giveBack: () => void): Promise<boolean> {
		const { compiled, items, settings } = job;
		const { maxWaitMs, onceKey } = settings;
		const claim =
			onceKey === undefined ? undefined : await this.run.onceKeys?.claimInTurn(onceKey, maxWaitMs);
		job.claim = claim;
		if (claim !== undefined && !(await this.mayBeSent(job, claim, giveBack))) return false;
		if (compiled.before === undefined) return true;
		giveBack();
		const completed = await this.completed(compiled, settings);
		if (!isFailure(completed)) {
			job.compiled = completed;
			return true;
		}
		this.run.ledger.fail(items, completed);
		claim?.end('free');
		return false;
	}

	/** Makes the call of a job, and records how it ends. */
	private async record(job: Job, first: Start | NoStart | undefined): Promise<void> {
		const { asked, ledger } = this.run;
		const { compiled, items, claim } = job;
		const { call, question } = compiled;
		// Items that share a call end alike.
		const [item = 0] = items;
		const entry = ledger.entry(item);
		try {
			await this.make(job, first);
		} catch (error) {
			const hasStarted = entry.saved.state !== 'waiting';
			ledger.fail(items, broken(error, hasStarted ? call : undefined));
		}
		const isSent = isDone(entry);
		const isUnknown = entry.saved.state === 'unknown';
		claim?.end(isSent ? 'sent' : isUnknown ? 'inDoubt' : 'free');
		// The person may have got the question, and can answer it.
		if (question !== undefined && (isSent || isUnknown)) asked?.note(entry.key, { question, item });
	}

	/** Waits for the job's once key. If the job may not be sent, its item is done, held back or failed. */
	private async mayBeSent(job: Job, claim: Claim, giveBack: () => void): Promise<boolean> {
		const { ledger } = this.run;
		const { items, settings } = job;
		const { key } = claim;
		const [item = 0] = items;
		const found = await claim.result;
		if (found !== 'free') giveBack();
		if (typeof found === 'object') {
			ledger.fail(items, found);
			return false;
		}
		const isTried = ledger.isInDoubt(item);
		switch (decide(isTried, found, settings.whenUnknown)) {
			case 'sendAgain':
				// If the key is in doubt, so is the item.
				if (!isTried) ledger.requestFailed(items, keyIsInDoubt(key));
				return true;
			case 'countAsSent':
				claim.end('sent');
				ledger.countAsSent(item, this.outputOfEarlier(job, key), 'before');
				return false;
			case 'alreadySent':
				ledger.sent(items, [this.outputOfEarlier(job, key)], 'before');
				return false;
			case 'hold':
				claim.end('inDoubt');
				ledger.holdBack(items, keyIsInDoubt(key));
				return false;
			default:
				return true;
		}
	}

	/** Makes the call of a job, and reads its answer. */
	private async make(
		{ compiled, items, settings, claim }: Job,
		first: Start | NoStart | undefined,
	): Promise<void> {
		const { call, channel = '', lane: recipient, showToken = false } = compiled;
		const { calls, hints, ledger } = this.run;
		const request = { ...settings, channel, recipient, showToken, ifSlow: RAISE_TIMEOUT };
		const watch: CallWatch = {
			started: () => ledger.startRequest(items),
			failed: (failure) => ledger.requestFailed(items, failure),
		};
		const result = await makeCall(calls, call, request, { first, watch });
		if (isFailure(result)) {
			ledger.fail(items, result);
			return;
		}
		if (result.cut !== undefined) hints.set(`${result.cut}. ${CUT_ADVICE}`, 'warning');
		// If the answer can't be read, the items are still done.
		ledger.sent(items, [compiled.ownFields ?? {}]);
		const records: IDataObject[] = [];
		const turns = new Turns(calls.clock);
		for (const json of compiled.output(result.body, result.cut, (hint) => hints.set(hint, 'info'))) {
			if (claim !== undefined) json.onceKey ??= claim.key;
			records.push(json);
			// A list may be long.
			if (turns.over) await turns.next();
		}
		ledger.sent(items, records);
	}

	/** The call, completed with its lookup's answer if it needs one, or why it must not leave. */
	private async completed(compiled: CompiledCall, settings: CallSettings): Promise<CompiledCall | Failure> {
		const { before } = compiled;
		if (before === undefined) return compiled;
		const answer = await (before.isPerCall === true
			? makeCall(this.run.calls, before.call, { ...settings, showToken: true })
			: this.run.lookUps.answerTo(before.call, settings));
		if (isFailure(answer)) return notLookedUp(answer);
		// A part of the list will do for one record of it.
		if (answer.cut !== undefined && before.isPerCall !== true) {
			return notLookedUp(unsent(answer.cut, FILL_IN));
		}
		try {
			return before.complete(answer.body);
		} catch (error) {
			return refusal(error);
		}
	}

	/** The output of an item whose key was used before. */
	private outputOfEarlier({ compiled }: Job, onceKey: string): IDataObject {
		const note = this.run.ledger.isTool ? { note: USED_KEY } : {};
		return { alreadySent: true, onceKey, ...compiled.ownFields, ...note };
	}
}
