import type { IDataObject } from 'n8n-workflow';

import { ASKED_UNDER_KEY, USED_KEY } from '../agent/text-for-model';
import type { CompiledCall, Lookup } from '../operations/operation';
import type { Asked } from '../question/asked';
import { CUT_ADVICE } from '../service/advice';
import { type Failure, isFailure, unsent } from '../service/endings';
import { Turns } from '../shared/turns';
import { type CallOptions, type CallWatch, makeCall, queuedCall } from './call';
import type { Items, Job } from './items';
import type { Ledger } from './ledger';
import type { Claim, ClaimResult } from './once/claim';
import type { NoStart, QueuedJob, Start, Waiting } from './pace/queued-call';
import { decide } from './repetition';
import type { Run } from './run';
import {
	ASKED_BEFORE,
	broken,
	FILL_IN,
	keyIsInDoubt,
	LEFT_OUT,
	notLookedUp,
	RAISE_TIMEOUT,
	refusal,
} from './wording';

/**
 * Fails questions whose links don't work, because another execution asked them.
 *
 * @param asked the questions that this execution has asked; a run that can't start has asked none
 */
export function failDeadLinks(ledger: Ledger, asked?: Asked): void {
	for (const [item, { key, sentIn }] of ledger.entries.entries()) {
		if (sentIn === 'earlierTry' && asked?.has(key) !== true) ledger.fail(item, ASKED_BEFORE);
	}
}

/**
 * Makes all calls of a run. Returns at once if it is cancelled, because n8n saves the execution then; calls in flight are
 * recorded in the background.
 */
export async function deliver(run: Run, items: Items): Promise<void> {
	const cancel = run.context.getExecutionCancelSignal();
	const over = new AbortController();
	const isCancelled = new Promise<void>((resolve) => {
		const onCancel = (): void => {
			run.halt.abort();
			resolve();
		};
		if (cancel?.aborted === true) onCancel();
		cancel?.addEventListener('abort', onCancel, { signal: over.signal });
	});
	try {
		await Promise.race([sendAll(run, items), isCancelled]);
	} finally {
		// A loop runs the node many times in one execution, and each run adds a listener.
		over.abort();
	}
}

/** Looks at all items, makes the calls, and waits until everything about them is recorded. */
async function sendAll(run: Run, items: Items): Promise<void> {
	const { asked, calls, context, halt, ledger, onceKeys, ordered } = run;
	const sender = new Sender(run);
	try {
		const failure = await items.look();
		if (failure !== undefined) return ledger.end(failure);
		const jobs = await items.jobs();
		// With On Error "Stop Workflow" a failure stops the run, unless questions are asked: those may still be answered.
		if (!context.continueOnFail() && asked === undefined) ledger.onFailure = () => halt.abort();
		const offerOf = (job: Job): QueuedJob => ({
			...queuedCall(job.compiled, job.settings),
			lane: ordered ? job.compiled.lane : undefined,
			run: async (answer) => await sender.send(job, answer),
		});
		await calls.queue.offer(jobs.map(offerOf));
	} finally {
		items.endRun();
		if (asked !== undefined) failDeadLinks(ledger, asked);
		if (onceKeys !== undefined) ledger.unrecorded = await onceKeys.close();
		ledger.release();
	}
}

/**
 * For how long a job keeps its turn at first while it claims its key, in milliseconds. Half: a busy database costs turns.
 * Double: a key that another execution holds keeps a place from others for longer.
 */
const PATIENCE_MS = 250;

/** Sends the jobs of a run, and records how they end. */
class Sender {
	constructor(private readonly run: Run) {}

	/**
	 * Does a job whose turn has come: makes the lookup that its call needs, or claims its once key, and sends it. Never rejects.
	 *
	 * @param turn the queue's answer to its first request
	 */
	async send(job: Job, turn: Start | NoStart): Promise<void> {
		const { before } = job.compiled;
		const { onceKey } = job.settings;
		if (before !== undefined && turn.kind === 'start') {
			const compiled = await this.completed(job, before, turn);
			if (isFailure(compiled)) this.run.ledger.fail(job.item, compiled);
			else await this.record({ ...job, compiled }, {});
		} else if (onceKey === undefined) await this.record(job, { first: turn });
		else await this.sendOnce(job, onceKey, turn);
	}

	/**
	 * Claims the key of a job whose turn has come, and sends it. A crash leaves its key in doubt from then on, so a job that has
	 * its key starts at once, or gives it back: also while it waits for another try.
	 */
	private async sendOnce(job: Job, onceKey: string, first: Start | NoStart): Promise<void> {
		const { queue } = this.run.calls;
		let claim: Claim | undefined;
		const giveBack = (): void => claim?.end(this.run.ledger.isInDoubt(job.item) ? 'inDoubt' : 'free');
		/** The turn once it has the key; `undefined` if the message is not to be sent. */
		const withKey = async (call: Waiting, turn: Start | NoStart): Promise<Start | NoStart | undefined> => {
			// Another execution may hold the key for minutes. But if all claims take long, none may give back each turn it gets.
			for (let patienceMs = PATIENCE_MS; ; patienceMs *= 2) {
				const claimed = await this.claim(job, onceKey, turn, patienceMs);
				({ claim } = claimed);
				if (claim === undefined) return undefined;
				const start = claimed.keptTurn ?? (await queue.enterSoon({ ...call }));
				if (start !== undefined) return start;
				giveBack();
				turn = await queue.enter({ ...call });
			}
		};
		const again = async (call: Waiting): Promise<Start | NoStart | undefined> => {
			giveBack();
			const turn = await queue.enter(call);
			return turn.kind === 'start' ? await withKey(call, turn) : turn;
		};
		const turn = await withKey(queuedCall(job.compiled, job.settings), first);
		if (turn === undefined) return;
		await this.record(job, { first: turn, again }, () => claim === undefined);
		const { state } = this.run.ledger.entry(job.item).saved;
		claim?.end(state === 'sent' ? 'sent' : state === 'unknown' ? 'inDoubt' : 'free');
	}

	/**
	 * Claims the key of a job.
	 *
	 * @returns the claim if the job is still to be done, and its turn, unless that was given back: the claim took longer than
	 * `patienceMs`
	 */
	private async claim(
		job: Job,
		onceKey: string,
		turn: Start | NoStart,
		patienceMs: number,
	): Promise<{ claim: Claim | undefined; keptTurn: Start | NoStart | undefined }> {
		const { calls, onceKeys } = this.run;
		if (onceKeys === undefined) throw new Error('This run has no once keys');
		let keptTurn: Start | NoStart | undefined = turn;
		const giveBack = (): void => {
			if (keptTurn?.kind !== 'start') return;
			keptTurn.cancel();
			keptTurn = undefined;
		};
		const isClaimed = new AbortController();
		void calls.clock.sleep(patienceMs, isClaimed.signal).then(() => isClaimed.signal.aborted || giveBack());
		const claim = await onceKeys.claimInTurn(onceKey, job.settings.maxWaitMs);
		const found = await claim.result;
		isClaimed.abort();
		const isToDo = this.mayBeSent(job, claim, found);
		// A message that is to be sent keeps its turn: given back and asked for again, it could be refused each time. But the
		// run may have been stopped meanwhile.
		if (!isToDo || calls.queue.isHalted) giveBack();
		return { claim: isToDo ? claim : undefined, keptTurn };
	}

	/**
	 * Makes the call of a job, and records how it ends.
	 *
	 * @param isOver whether its item is done or failed already, as its key showed before a further try
	 */
	private async record(job: Job, options: CallOptions, isOver = (): boolean => false): Promise<void> {
		const { asked, ledger } = this.run;
		const { item } = job;
		const { call, question } = job.compiled;
		const entry = ledger.entry(item);
		try {
			await this.make(job, options, isOver);
		} catch (error) {
			const hasStarted = entry.saved.state !== 'waiting';
			ledger.fail(item, broken(error, hasStarted ? call : undefined));
		}
		// The person may have got the question, and can answer it.
		const isAsked = ledger.isSentNow(item) || entry.saved.state === 'unknown';
		if (question !== undefined && isAsked) asked?.note(entry.key, question, item);
	}

	/** Whether a job may be sent whose key was found to be this. If not, its item is done, held back or failed. */
	private mayBeSent(job: Job, claim: Claim, found: ClaimResult): boolean {
		const { ledger } = this.run;
		const { item, settings } = job;
		const { key } = claim;
		if (typeof found === 'object') {
			ledger.fail(item, found);
			return false;
		}
		const isTried = ledger.isInDoubt(item);
		switch (decide(isTried, found, settings.whenUnknown)) {
			case 'sendAgain':
				// If the key is in doubt, so is the item.
				if (!isTried) ledger.requestFailed(item, keyIsInDoubt(key));
				return true;
			case 'countAsSent':
				claim.end('sent');
				ledger.countAsSent(item, this.outputOfEarlier(job, key), 'before');
				return false;
			case 'alreadySent':
				ledger.sent(item, [this.outputOfEarlier(job, key)], 'before');
				return false;
			case 'hold':
				claim.end('inDoubt');
				ledger.holdBack(item, keyIsInDoubt(key));
				return false;
			default:
				return true;
		}
	}

	/** Makes the call of a job, and reads its answer. */
	private async make(
		{ compiled, item, settings }: Job,
		options: CallOptions,
		isOver: () => boolean,
	): Promise<void> {
		const { call, channel, lane: recipient, showToken = false } = compiled;
		const { calls, hints, ledger } = this.run;
		const request = { ...settings, channel, recipient, showToken, ifSlow: RAISE_TIMEOUT };
		const watch: CallWatch = {
			started: () => ledger.startRequest(item),
			failed: (failure) => ledger.requestFailed(item, failure),
		};
		const result = await makeCall(calls, call, request, { ...options, watch });
		if (isFailure(result)) {
			if (!isOver()) ledger.fail(item, result);
			return;
		}
		if (result.cut !== undefined) hints.set(`${result.cut}. ${CUT_ADVICE}`, 'warning');
		// If the answer can't be read, the item is still done.
		ledger.sent(item, [compiled.ownFields ?? {}]);
		const records: IDataObject[] = [];
		const turns = new Turns(calls.clock);
		const output: Iterable<IDataObject> = ledger.keeps(result.size ?? 0)
			? compiled.output(result.body, result.cut, (hint) => hints.set(hint, 'info'))
			: [{ ...compiled.ownFields, note: LEFT_OUT }];
		for (const json of output) {
			if (settings.onceKey !== undefined) json.onceKey ??= settings.onceKey;
			records.push(json);
			// A list may be long.
			if (turns.over) await turns.next();
		}
		ledger.sent(item, records);
	}

	/** The call, completed with its lookup's answer, or why it must not leave. */
	private async completed({ settings }: Job, before: Lookup, turn: Start): Promise<CompiledCall | Failure> {
		// A lookup that jobs share has a turn of its own.
		if (before.isPerCall !== true) turn.cancel();
		const answer = await (before.isPerCall === true
			? makeCall(this.run.calls, before.call, { ...settings, showToken: true }, { first: turn })
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
		const { isTool, waits } = this.run.ledger;
		const note = isTool ? { note: waits ? ASKED_UNDER_KEY : USED_KEY } : {};
		return { alreadySent: true, onceKey, ...compiled.ownFields, ...note };
	}
}
