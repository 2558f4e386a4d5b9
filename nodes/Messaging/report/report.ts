import type { Outcome } from '../service/endings';
import { type Entry, type Failed, isDone, type Ledger } from '../delivery/ledger';

/** What there is to tell about a failure, as data. `text.ts` words it for a person. */
export type Report = Readonly<ReturnType<typeof reportOn>>;

/**
 * The report on a failure: of a run that it stops, or of one item of a run that goes on.
 *
 * @param counts how the items of the run ended, if it stops
 */
export function reportOn(ledger: Ledger, failed: Failed, counts?: Counts) {
	const items = counts === undefined ? [failed.item] : ledger.entries.keys();
	/** The items that may have been processed, and how to find their messages at the service. */
	const inDoubt = [...items]
		.filter((item) => item !== undefined)
		.filter((item) => outcomeOf(ledger.entry(item)) === 'unknown')
		.map((item) => ({ item, ...ledger.entry(item).saved.message }));
	return { ...failed, ledger, counts, inDoubt };
}

/** Whether a new run would repeat items of this run, or of an earlier one of the node, that are done or may be. */
export function repeats({ effect, isSubWorkflow, run }: Ledger, { done, unknown }: Counts): boolean {
	return effect !== 'reads' && (run > 0 || isSubWorkflow || done + unknown > 0);
}

/** How many items of a run ended in each way. */
export type Counts = Readonly<ReturnType<typeof countsOf>>;

/**
 * Counts how the items ended. Of those done, it tells apart what an earlier try of this execution sent, what was sent
 * before according to the once key or the service, and what is counted as sent because the user says so.
 */
export function countsOf({ entries }: Ledger) {
	const done = { thisTry: 0, earlierTry: 0, before: 0, counted: 0 };
	const counts = { ...done, done: 0, rejected: 0, unsent: 0, unknown: 0 };
	for (const entry of entries) {
		const end = outcomeOf(entry);
		counts[end] += 1;
		if (end !== 'done') continue;
		counts[entry.saved.isCounted === true ? 'counted' : entry.sentIn] += 1;
	}
	return { ...counts, total: entries.length };
}

/** How an item ended. An item whose call never left counts as not sent. */
function outcomeOf(entry: Entry): Outcome | 'done' {
	return entry.failure?.outcome ?? (isDone(entry) ? 'done' : 'unsent');
}
