import type { Asked } from '../question/asked';
import { Turns } from '../shared/turns';
import { queuedCall } from './call';
import type { Job } from './items';
import type { Ledger } from './ledger';
import type { QueuedJob } from './pace/queued-call';
import type { Run } from './run';
import { ASKED_BEFORE } from './wording';

/**
 * Fails questions whose links don't work, because another execution asked them.
 *
 * @param asked the questions that this execution has asked; a run that can't start has asked none
 */
export function failDeadLinks(ledger: Ledger, asked?: Asked): void {
	for (const [item, { key, sentIn }] of ledger.entries.entries()) {
		if (sentIn === 'earlierTry' && asked?.has(key) !== true) ledger.fail([item], ASKED_BEFORE);
	}
}

/**
 * Makes all calls of a run. Returns at once if it is cancelled, because n8n saves the execution then; calls in flight are
 * recorded in the background.
 */
export async function deliver(run: Run): Promise<void> {
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
		await Promise.race([sendAll(run), isCancelled]);
	} finally {
		// A loop runs the node many times in one execution, and each run adds a listener.
		over.abort();
	}
}

/** Makes the calls, and waits until everything about them is recorded. */
async function sendAll(run: Run): Promise<void> {
	const { asked, calls, context, halt, items, ledger, lookUps, onceKeys, operation } = run;
	// With On Error "Stop Workflow" a failure stops the run, unless questions are asked: those may still be answered.
	if (!context.continueOnFail() && asked === undefined) ledger.onFailure = () => halt.abort();
	try {
		const failure = await lookUps.readNamed(context, operation.fields);
		if (failure !== undefined) return ledger.end(failure);
		const turns = new Turns(calls.clock);
		const jobs: QueuedJob[] = [];
		for (const job of items.jobs()) {
			if (turns.over) await turns.next();
			if (job !== null) jobs.push(offerOf(run, job));
		}
		await calls.queue.offer(jobs);
	} finally {
		items.forgetUnsent();
		if (asked !== undefined) failDeadLinks(ledger, asked);
		if (onceKeys !== undefined) ledger.unrecorded = await onceKeys.close();
		ledger.release();
	}
}

/** A job as the queue takes it. */
function offerOf({ ordered, sender }: Pick<Run, 'ordered' | 'sender'>, job: Job): QueuedJob {
	return {
		...queuedCall(job.compiled, job.settings),
		lane: ordered ? job.compiled.lane : undefined,
		run: async (answer) => await sender.send(job, answer),
	};
}
