/** No unrequested duplicates, and messages to one recipient stay in order. */
import { isLarge } from '../kinds/requeue.mts';
import type { Execution, Played } from '../executions.mts';
import type { Arrival } from '../world.mts';
import { arrivalsOf, choiceAt, isClear, isSure, storyOf, underKey } from './seen.mts';

/** Unrequested duplicates within one execution. */
export function repetitions(played: Played, execution: Execution): string[] {
	const { items, kind } = played.scenario;
	const wrong: string[] = [];
	const all = arrivalsOf(played, execution.number);
	for (const [item, given] of items.entries()) {
		for (const thing of given.things) {
			const arrivals = all.filter((arrival) => arrival.things.includes(thing));
			const what = `e${execution.number}: ${thing}`;
			// Sending an item again that needs several requests repeats all of them.
			const isKnown = isLarge(given) ? () => false : isSure;
			wrong.push(
				...(kind.isOnceOnly
					? repetitionsIn(played, item, { what, arrivals, isKnown })
					: needlessIn(what, arrivals, execution)),
				...severalIds(what, arrivals),
			);
		}
	}
	return wrong;
}

/** Duplicates under a once key. */
export function repetitionsOfKeys(played: Played): string[] {
	const { executions, scenario, shownAt, wasKilled } = played;
	const wrong: string[] = [];
	for (const key of new Set(scenario.items.map((item) => item.key))) {
		const arrivals = underKey(played, key);
		// A killed n8n may not have saved the outcome of its last calls; those are in doubt.
		const isLost = ({ execution }: Arrival): boolean =>
			wasKilled && executions[execution]?.isStopped === true;
		const isKnown = (arrival: Arrival): boolean => isSure(arrival) && !isLost(arrival);
		const what = `the key ${JSON.stringify(key.slice(0, 20))}`;
		wrong.push(
			...repetitionsIn(played, undefined, { what, arrivals, isKnown }),
			...severalIds(what, arrivals),
		);
		if (arrivals.some(({ cameAt }) => cameAt > (shownAt.get(key) ?? Infinity))) {
			wrong.push(`${what} was sent after it was sent, or counted as sent: ${storyOf(arrivals)}`);
		}
	}
	return wrong;
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
			const isRefused = isClear(earlier) && !earlier.treatment.taken;
			if (isRefused || (isAsked && !isKnown(earlier))) continue;
			return [`${what} was sent again after ${earlier.treatment.kind}: ${storyOf(arrivals)}`];
		}
	}
	return [];
}

/** An operation that may be repeated is not repeated once known to be done; a stopped n8n may have lost that. */
function needlessIn(what: string, arrivals: readonly Arrival[], { isStopped }: Execution): string[] {
	const done = arrivals.findIndex((arrival) => arrival.treatment.taken && isSure(arrival));
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
	if (!scenario.kind.sharesCalls && scenario.options.ordering === 'none') return [];
	const wrong: string[] = [];
	// Each new try of the node may start at the first item again.
	const begins = execution.begun * scenario.nodeTries;
	const hasMany = scenario.items.some(({ things }) => things.length >= many);
	for (const [to, lane] of Map.groupBy(arrivalsOf(played, execution.number), (arrival) => arrival.lane)) {
		const steps = lane.map(({ item }, n) => item - (lane[n - 1]?.item ?? -1));
		if (!hasMany && steps.filter((step) => step < 0).length > begins - 1) {
			wrong.push(`to ${to} in the order ${lane.map(({ item }) => item).join(', ')}, in ${begins} tries`);
		}
		for (const [n, { answeredAt, isCutOff, label }] of lane.entries()) {
			const next = lane[n + 1];
			if (next === undefined || answeredAt === undefined || isCutOff) continue;
			if (next.cameAt < answeredAt) wrong.push(`${next.label} was sent while ${label} was under way`);
		}
	}
	return wrong;
}
