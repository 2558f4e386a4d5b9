/** Nothing is sent again unasked, and what belongs to one recipient keeps its order. */
import type { Execution, Played } from '../play.ts';
import type { Arrival } from '../world.ts';
import { arrivalsOf, isClear, isSure, storyOf, takenOf, underKey } from './seen.ts';

/** What is sent again in one execution, although nobody asked for it. */
export function repetitions(played: Played, execution: Execution): string[] {
	const { kind, options } = played.scenario;
	const wrong: string[] = [];
	const arrivals = arrivalsOf(played, execution.number);
	const all = arrivals.flatMap((arrival) => arrival.things.map((thing) => ({ arrival, thing })));
	// Where items share no requests, each has a right to its own.
	const nameOf = ({ arrival, thing }: (typeof all)[number]): string =>
		options.grouping === 'perItem' && kind.sharesCalls ? `${thing} of item ${arrival.item}` : thing;
	for (const [name, some] of Map.groupBy(all, nameOf)) {
		const what = `e${execution.number}: ${name}`;
		const those = some.map(({ arrival }) => arrival);
		wrong.push(
			...(kind.isOnceOnly
				? repetitionsIn(what, those, execution.resends)
				: needlessIn(what, those, execution)),
			...severalIds(what, those),
		);
	}
	return wrong;
}

/** What is sent again under a once key. */
export function repetitionsOfKeys(played: Played): string[] {
	const { scenario, executions } = played;
	const wrong: string[] = [];
	for (const key of new Set(scenario.items.map((item) => item.key))) {
		const arrivals = underKey(played, key);
		const resends = executions.some((execution) => execution.resends);
		// How a call of an n8n that was killed had ended may not have been noted yet, and is unknown then.
		const isLost = ({ execution }: Arrival): boolean =>
			played.wasKilled && executions[execution]?.isStopped === true;
		const isNoted = (arrival: Arrival): boolean => isSure(arrival) && !isLost(arrival);
		const what = `the key ${JSON.stringify(key.slice(0, 20))}`;
		wrong.push(...repetitionsIn(what, arrivals, resends, isNoted), ...severalIds(what, arrivals));
	}
	return wrong;
}

/**
 * What must not follow what, among requests for the same.
 *
 * @param isKnown whether the node must know how a request ended
 */
function repetitionsIn(
	what: string,
	arrivals: readonly Arrival[],
	resends: boolean,
	isKnown: (arrival: Arrival) => boolean = isSure,
): string[] {
	const taken = takenOf(arrivals).length;
	if (taken > 1 && !resends) return [`${what} was sent ${taken} times: ${storyOf(arrivals)}`];
	for (const arrival of arrivals.slice(0, -1)) {
		const mayFollow = (isClear(arrival) && !arrival.fate.taken) || (resends && !isKnown(arrival));
		if (!mayFollow) return [`${what} was sent again after ${arrival.fate.kind}: ${storyOf(arrivals)}`];
	}
	return [];
}

/** What may be done twice is not done again once it is known to be done; in an n8n that was stopped nobody may know. */
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

/** What goes to one recipient keeps the order of the items, and nothing overtakes. */
export function order(played: Played, execution: Execution): string[] {
	const { scenario } = played;
	if (scenario.kind.offers.ordering && scenario.options.ordering === 'none') return [];
	const wrong: string[] = [];
	// Each time that the node begins anew it may begin at the front; what is resent shares no request with the rest.
	const parts = scenario.kind.sharesCalls && execution.resends ? 2 : 1;
	const begins = execution.begun * scenario.nodeTries * parts;
	const inLanes = arrivalsOf(played, execution.number).filter(({ lane }) => lane !== undefined);
	for (const [to, lane] of Map.groupBy(inLanes, (arrival) => arrival.lane)) {
		const steps = lane.map(({ item }, n) => item - (lane[n - 1]?.item ?? -1));
		if (steps.filter((step) => step < 0).length > begins - 1) {
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
