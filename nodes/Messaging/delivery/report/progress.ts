import type { Clock } from '../../shared/clock';
import type { Ledger } from '../ledger';
import type { KeyGate } from '../pace/key-gate';
import { count, endOf, failedKinds, summaryOf } from './summary';

/** How often a long run says where it is, in milliseconds. A run that is over before says nothing. */
const EVERY_MS = 30_000;

/** What a run says of itself. Nothing that a user wrote stands in it. */
export interface Running {
	/** Resource and operation, such as "message send". */
	readonly what: string;
	/** The execution's id; `undefined` when it has none. */
	readonly execution: string | undefined;
	readonly ledger: Ledger;
	readonly gate: Pick<KeyGate, 'heldBack'>;
	readonly keepToPlan: boolean;
	readonly clock: Clock;
	/** Writes a line, such as that of n8n's logger. */
	write(line: string): void;
}

/**
 * Writes a line every 30 seconds while a run lasts, for those who run n8n: how far it is, and what it waits for.
 *
 * @returns must be called when the run is over: then a last line says how it ended, if there was one before
 */
export function logProgress(running: Running): () => void {
	const { clock, ledger } = running;
	const began = clock.now();
	const over = new AbortController();
	let spoke = false;

	const say = (what: string): void => {
		const whose = running.execution === undefined ? '' : `, execution ${running.execution}`;
		try {
			running.write(
				`Unified Messaging, ${running.what}${whose}, after ${lengthOf(clock.now() - began)}: ${what}`,
			);
		} catch {
			// A log that is full or gone is no reason to fail a run.
		}
	};
	const watch = async (): Promise<void> => {
		for (;;) {
			await clock.sleep(EVERY_MS, over.signal);
			if (over.signal.aborted) return;
			spoke = true;
			say(`${soFar(ledger)}${waitsFor(running)}`);
		}
	};
	void watch();
	return () => {
		over.abort();
		if (!spoke) return;
		const summary = summaryOf(ledger);
		const kinds = failedKinds(summary);
		const failed = kinds === '' ? '' : `; ${kinds}`;
		say(`ended; ${count(summary.done)} of ${count(summary.total)} items went through${failed}`);
	};
}

function soFar({ entries }: Ledger): string {
	let [ended, failed] = [0, 0];
	for (const entry of entries) {
		const isDone = endOf(entry) === 'done';
		if (isDone || entry.failure !== undefined) ended += 1;
		if (entry.failure !== undefined) failed += 1;
	}
	return `${count(ended)} of ${count(entries.length)} items, ${count(failed)} failed`;
}

/** What keeps the run from going on now, since when, and until when as far as that is known. */
function waitsFor({ clock, gate, keepToPlan }: Running): string {
	const held = gate.heldBack(keepToPlan);
	if (held === undefined) return '';
	const reason = {
		plan: 'the plan of the API key is used up for now',
		pause: 'the service asked to come back later',
		outage: 'the service is failing',
	}[held.why];
	const until = held.until === undefined ? '' : ` until ${timeAt(held.until - clock.now())}`;
	return `; waiting since ${timeAt(held.since - clock.now())}${until}: ${reason}`;
}

/** The time of day so many milliseconds from now. */
function timeAt(ms: number): string {
	return new Date(Date.now() + ms).toISOString();
}

/** A length of time, such as "45 s", "2 min 30 s" or "3 h 5 min". */
function lengthOf(ms: number): string {
	const seconds = Math.round(ms / 1000);
	if (seconds < 120) return `${seconds} s`;
	if (seconds < 7200) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
	return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}
