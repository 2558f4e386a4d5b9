/** No unrequested duplicates, and messages to one recipient stay in order. */
import type { Execution, Played } from '../executions.mts';
import type { Arrival } from '../world.mts';
import { arrivalsOf, choiceAt, isClear, isSure, madeFor, storyOf, underKey } from './seen.mts';

/** Unrequested duplicates within one execution. */
export function repetitions(played: Played, { number }: Execution): string[] {
	return [...played.scenario.items.keys()].flatMap((item) =>
		repetitionsIn(played, `e${number}i${item}`, madeFor(played, number, item), isSure),
	);
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
		wrong.push(...repetitionsIn(played, what, arrivals, isKnown));
		if (arrivals.some(({ cameAt }) => cameAt > (shownAt.get(key) ?? Infinity))) {
			wrong.push(`${what} was sent after it was sent, or counted as sent: ${storyOf(arrivals)}`);
		}
	}
	return wrong;
}

/**
 * Requests for the same message in a forbidden order: a refused one may be sent again, one that may have been
 * processed only if the user chose so, even if a later one was refused.
 *
 * @param isKnown whether the node must know how a request ended
 */
function repetitionsIn(
	played: Played,
	what: string,
	arrivals: readonly Arrival[],
	isKnown: (arrival: Arrival) => boolean,
): string[] {
	const wrong: string[] = [];
	for (const [n, { cameAt, execution, item }] of arrivals.entries()) {
		const isAsked = choiceAt(played.executions[execution]!, item, cameAt) === 'sendAgain';
		const forbidden = arrivals.slice(0, n).find((earlier) => {
			const isRefused = isClear(earlier) && !earlier.treatment.taken;
			return !isRefused && !(isAsked && !isKnown(earlier));
		});
		if (forbidden === undefined) continue;
		wrong.push(`${what} was sent again after ${forbidden.treatment.kind}: ${storyOf(arrivals)}`);
	}
	const packageIds = new Set(arrivals.map(({ packageId }) => packageId));
	if (packageIds.size > 1) wrong.push(`${what} went out under several packageIds`);
	return wrong;
}

/** Requests to one recipient keep the order of the items. */
export function order(played: Played, execution: Execution): string[] {
	const { scenario } = played;
	if (scenario.options.ordering === 'none') return [];
	const wrong: string[] = [];
	// Each new try of the node may start at the first item again.
	const begins = execution.begun * scenario.nodeTries;
	for (const [to, lane] of Map.groupBy(arrivalsOf(played, execution.number), (arrival) => arrival.lane)) {
		const steps = lane.map(({ item }, n) => item - (lane[n - 1]?.item ?? -1));
		if (steps.filter((step) => step < 0).length > begins - 1) {
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
