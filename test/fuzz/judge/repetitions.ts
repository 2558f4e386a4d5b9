/** No unrequested duplicates, and messages to one recipient stay in order. */
import { mostIds } from '../kinds/requeue.ts';
import type { Execution, Played } from '../play.ts';
import type { Arrival } from '../world.ts';
import { endsOf } from './ends.ts';
import { arrivalsOf, choiceAt, isClear, isSure, storyOf, underKey } from './seen.ts';

/** Unrequested duplicates within one execution. */
export function repetitions(played: Played, execution: Execution): string[] {
	const { items, kind } = played.scenario;
	const wrong: string[] = [];
	const arrivals = arrivalsOf(played, execution.number);
	for (const [item, { things }] of items.entries()) {
		for (const thing of things) {
			const those = arrivals.filter((arrival) => arrival.things.includes(thing));
			const what = `e${execution.number}: ${thing}`;
			// Sending an item again that needs several requests repeats all of them.
			const isKnown = things.length > mostIds ? () => false : isSure;
			wrong.push(
				...(kind.isOnceOnly
					? repetitionsIn(played, item, { what, arrivals: those, isKnown })
					: needlessIn(what, those, execution)),
				...severalIds(what, those),
			);
		}
	}
	return wrong;
}

/** Duplicates under a once key. */
export function repetitionsOfKeys(played: Played): string[] {
	const { scenario, executions } = played;
	const wrong: string[] = [];
	for (const [item, { key }] of scenario.items.entries()) {
		if (scenario.items.findIndex((other) => other.key === key) !== item) continue;
		const arrivals = underKey(played, key);
		// A killed n8n may not have saved the outcome of its last calls; those are in doubt.
		const isLost = ({ execution }: Arrival): boolean =>
			played.wasKilled && executions[execution]?.isStopped === true;
		const isKnown = (arrival: Arrival): boolean => isSure(arrival) && !isLost(arrival);
		const what = `the key ${JSON.stringify(key.slice(0, 20))}`;
		const counted = arrivals.filter(({ cameAt }) => cameAt > countedAt(played, key));
		wrong.push(
			...repetitionsIn(played, undefined, { what, arrivals, isKnown }),
			...severalIds(what, arrivals),
			...(counted.length > 0
				? [`${what} was sent after it was sent, or counted as sent: ${storyOf(arrivals)}`]
				: []),
		);
	}
	return wrong;
}

/** The world's time from which an item with this key is shown as already sent. */
function countedAt(played: Played, key: string): number {
	const { executions, scenario } = played;
	const times = executions.flatMap((execution) =>
		execution.runs.flatMap((run, n) => {
			const ends = endsOf(played, execution, run, []) ?? new Map<number, unknown>();
			const isShown = [...ends].some(
				([item, end]) => end === 'alreadySent' && scenario.items[item]?.key === key,
			);
			return isShown ? (execution.endedAt[n] ?? Infinity) : Infinity;
		}),
	);
	return Math.min(...times, Infinity);
}

interface Story {
	readonly what: string;
	readonly arrivals: readonly Arrival[];
	/** Whether the node must know how a request ended. */
	readonly isKnown: (arrival: Arrival) => boolean;
}

/**
 * Requests for the same thing in a forbidden order: a refused one may be sent again, one that may have been
 * processed only if the user chose so, even if a later one was refused.
 *
 * @param item the item; without it, that of each request
 */
function repetitionsIn(
	played: Played,
	item: number | undefined,
	{ what, arrivals, isKnown }: Story,
): string[] {
	for (const [n, arrival] of arrivals.entries()) {
		const execution = played.executions[arrival.execution];
		const isAsked =
			execution !== undefined && choiceAt(execution, item ?? arrival.item, arrival.cameAt) === 'sendAgain';
		for (const earlier of arrivals.slice(0, n)) {
			const isRefused = isClear(earlier) && !earlier.fate.taken;
			if (isRefused || (isAsked && !isKnown(earlier))) continue;
			return [`${what} was sent again after ${earlier.fate.kind}: ${storyOf(arrivals)}`];
		}
	}
	return [];
}

/** An operation that may be repeated is not repeated once known to be done; a stopped n8n may have lost that. */
function needlessIn(what: string, arrivals: readonly Arrival[], { isStopped }: Execution): string[] {
	const done = arrivals.findIndex((arrival) => arrival.fate.taken && isSure(arrival));
	if (isStopped || done < 0 || done === arrivals.length - 1) return [];
	return [`${what} was done again: ${storyOf(arrivals)}`];
}

function severalIds(what: string, arrivals: readonly Arrival[]): string[] {
	return new Set(arrivals.map(({ packageId }) => packageId)).size > 1
		? [`${what} went out under several packageIds`]
		: [];
}

/** An item with so many entries leaves before the items that were to share its request. */
const many = 50;

/** Requests to one recipient keep the order of the items. */
export function order(played: Played, execution: Execution): string[] {
	const { scenario } = played;
	if (scenario.kind.offers.ordering && scenario.options.ordering === 'none') return [];
	const wrong: string[] = [];
	// Each new try of the node may start at the first item again.
	const begins = execution.begun * scenario.nodeTries;
	const hasLarge = scenario.items.some(({ things }) => things.length >= many);
	const inLanes = arrivalsOf(played, execution.number).filter(({ lane }) => lane !== undefined);
	for (const [to, lane] of Map.groupBy(inLanes, (arrival) => arrival.lane)) {
		const steps = lane.map(({ item }, n) => item - (lane[n - 1]?.item ?? -1));
		if (!hasLarge && steps.filter((step) => step < 0).length > begins - 1) {
			wrong.push(`to ${to} in the order ${lane.map(({ item }) => item).join(', ')}, in ${begins} tries`);
		}
		for (const [n, arrival] of lane.entries()) {
			const next = lane[n + 1];
			const { answeredAt, isCutOff } = arrival;
			if (next === undefined || answeredAt === undefined || isCutOff) continue;
			if (next.cameAt < answeredAt) wrong.push(`${next.label} was sent while ${arrival.label} was under way`);
		}
	}
	return wrong;
}
