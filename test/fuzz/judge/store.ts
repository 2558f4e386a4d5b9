/** Rules for when the store for once keys fails. */
import type { Execution, Played } from '../play.ts';
import type { Run } from '../../engine/run.ts';
import type { End } from './ends.ts';
import { arrivalsOf, isClear } from './seen.ts';

const warning = 'could not note how these keys ended';

/** What a run says about once keys that could not be saved; '' when it says nothing. */
export function unnotedIn(run: Run): string {
	const said = [...run.hints.map(({ message }) => message), String(run.error?.description ?? '')];
	return said.find((each) => each.includes(warning)) ?? '';
}

/** Without the store nothing is sent; a message already sent is a success, with a hint that its key looks open. */
export function storeFailed(
	played: Played,
	execution: Execution,
	run: Run,
	ends: Map<number, End> | undefined,
): string[] {
	const { troubled, isFirst } = played;
	// A store that works again in time leaves no trace.
	if (troubled?.since === undefined || troubled.backAfterMs !== undefined) return [];
	return troubled.when === 'before'
		? isFirst
			? nothingLeft(played, execution, ends)
			: []
		: warned(played, execution, run, troubled.since);
}

function nothingLeft(played: Played, execution: Execution, ends: Map<number, End> | undefined): string[] {
	const left = arrivalsOf(played, execution.number).map(
		({ label }) => `${label} left without a note of its key`,
	);
	// An item that waits for another one with the same key may have to give up.
	const odd = [...(ends ?? [])].filter(([, end]) => end !== 'unsent' && end !== 'unknown');
	return [...left, ...odd.map(([item, end]) => `item ${item} is ${end} although its key could not be noted`)];
}

function warned(played: Played, execution: Execution, run: Run, since: number): string[] {
	const { items, nodeTries } = played.scenario;
	// A later try with the same key may have been sent, and have saved the key.
	if (nodeTries > 1 || run.status === 'canceled') return [];
	const unnoted = arrivalsOf(played, execution.number).filter(
		(arrival) => arrival.fate.taken && isClear(arrival) && (arrival.answeredAt ?? 0) > since,
	);
	const text = unnotedIn(run);
	return unnoted.flatMap(({ item, label }) => {
		const key = items[item]?.key ?? '';
		// Other keys may appear escaped or shortened.
		const isNamed = /^k\d\d$/.test(key) ? text.includes(key) : text !== '';
		return isNamed ? [] : [`nobody is told that the key ${key.slice(0, 20)} of ${label} could not be noted`];
	});
}
