import type { Asked } from '../question/asked';
import { queuedCall } from './call';
import type { Items, Job } from './items';
import type { Ledger } from './ledger';
import type { QueuedJob } from './pace/queued-call';
import type { Run } from './run';
import { Sender } from './send';
import { ASKED_BEFORE } from './wording';

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
