import { count } from '../shared/text';
import type { Run } from '../delivery/run';
import type { RunQueue } from '../delivery/pace/run-queue';
import { REASONS } from '../delivery/wording';
import { countsOf } from './report';

/** How often a long run logs its progress, in milliseconds. */
const LOG_EVERY_MS = 30_000;

/**
 * Logs the progress of a run every 30 seconds, and what it is waiting for. The lines are for n8n's operator and contain
 * nothing that a user wrote.
 *
 * @returns a function to call when the run is over
 */
export function logProgress({ calls, context, ledger, operation }: Run): () => void {
	const execution = context.getExecutionId();
	const name = `${operation.resource} ${operation.name}${execution === undefined ? '' : `, execution ${execution}`}`;
	const over = new AbortController();
	const watch = async (): Promise<void> => {
		for (;;) {
			await calls.clock.sleep(LOG_EVERY_MS, over.signal);
			if (over.signal.aborted) return;
			const { done, total } = countsOf(ledger);
			const failed = ledger.entries.filter(({ failure }) => failure !== undefined).length;
			const ended = `${count(done)} of ${count(total)} items done, ${count(failed)} failed`;
			context.logger.info(`Unified Messaging, ${name}: ${ended}${waitsFor(calls.queue)}`);
		}
	};
	void watch();
	return () => over.abort();
}

/** What the run is waiting for, apart from answers to its own calls. */
function waitsFor({ waiting }: Pick<RunQueue, 'waiting'>): string {
	const why = waiting?.waitsFor?.why;
	return why === undefined || why === 'own' ? '' : `; waiting: ${REASONS[why]}`;
}
