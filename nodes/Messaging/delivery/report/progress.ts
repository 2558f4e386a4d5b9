import { count } from '../../shared/text';
import type { CallEnvironment } from '../call';
import type { Ledger } from '../ledger';
import { countsOf } from './report';

/** Why calls are held back, as hints and the log say it. */
export const REASONS = {
	outage: 'the service was failing',
	pause: 'the service asked to come back later',
	plan: 'the plan of the API key was used up',
};

/** How often a long run logs its progress, in milliseconds. */
const LOG_EVERY_MS = 30_000;

/**
 * Logs the progress of a run every 30 seconds, and what it is waiting for. The lines are for n8n's operator and contain
 * nothing that a user wrote.
 *
 * @param name the run, such as "message send, execution 17"
 * @param write writes a line, such as n8n's logger does
 * @returns a function to call when the run is over
 */
export function logProgress(
	env: Pick<CallEnvironment, 'clock' | 'gate' | 'keepToPlan'>,
	ledger: Ledger,
	name: string,
	write: (line: string) => void,
): () => void {
	const over = new AbortController();
	const watch = async (): Promise<void> => {
		for (;;) {
			await env.clock.sleep(LOG_EVERY_MS, over.signal);
			if (over.signal.aborted) return;
			const { done, total } = countsOf(ledger);
			const failed = ledger.entries.filter(({ failure }) => failure !== undefined).length;
			const ended = `${count(done)} of ${count(total)} items done, ${count(failed)} failed`;
			write(`Unified Messaging, ${name}: ${ended}${waitsFor(env)}`);
		}
	};
	void watch();
	return () => over.abort();
}

/** What the run is waiting for, since when, and until when at least. */
function waitsFor({ clock, gate, keepToPlan }: Parameters<typeof logProgress>[0]): string {
	const held = gate.heldBack(keepToPlan);
	if (held === undefined) return '';
	const now = clock.now();
	const timeAt = (moment: number): string => new Date(Date.now() + moment - now).toISOString();
	const since = held.since === undefined ? '' : ` since ${timeAt(held.since)}`;
	const until = held.until > now && held.until < Infinity ? `, at least until ${timeAt(held.until)}` : '';
	return `; waiting${since}${until}: ${REASONS[held.why]}`;
}
