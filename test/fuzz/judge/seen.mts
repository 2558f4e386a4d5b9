/** Queries over the requests that the service received in a round. */
import type { Execution, Played } from '../executions.mts';
import type { Treatment } from '../treatments.mts';
import type { Choice } from '../scenario.mts';
import type { Arrival } from '../world.mts';

/** Treatments that tell the sender the outcome. */
const clear: ReadonlySet<Treatment['kind']> = new Set(['ok', 'odd', 'no', 'later']);

/** Whether the sender of a request can know how it ended. */
export function isClear({ treatment, isCutOff }: Arrival): boolean {
	return clear.has(treatment.kind) && !isCutOff;
}

/** Whether the sender must know. */
export function isSure(arrival: Arrival): boolean {
	return isClear(arrival) && !arrival.isLate;
}

/** All requests of an execution. */
export function arrivalsOf({ world }: Played, execution: number): Arrival[] {
	return world.arrivals.filter((arrival) => arrival.execution === execution);
}

/** Requests that had their effect. */
export function takenOf(arrivals: readonly Arrival[]): Arrival[] {
	return arrivals.filter(({ treatment }) => treatment.taken);
}

/** Everything that these requests asked for. */
export function thingsOf(arrivals: readonly Arrival[]): Set<string> {
	return new Set(arrivals.flatMap(({ things }) => things));
}

/** The requests of an execution that were made for an item, alone or together with others. */
export function madeFor(played: Played, execution: number, item: number): Arrival[] {
	return arrivalsOf(played, execution).filter(({ items }) => items.includes(item));
}

/** Whether these requests together asked for everything that an item wants. */
export function isWhole({ scenario }: Played, item: number, arrivals: readonly Arrival[]): boolean {
	const things = thingsOf(arrivals);
	return scenario.items[item]?.things.every((thing) => things.has(thing)) === true;
}

/** The setting of When Outcome Is Unknown for an item at a time of the world's clock. */
export function choiceAt({ policies }: Execution, item: number, time: number): Choice {
	const newest = policies.findLast(({ since }) => since <= time);
	return newest?.whenUnknown[item % 2 === 0 ? 0 : 1] ?? 'hold';
}

/** Whether When Outcome Is Unknown was ever Count as Sent for an item in an execution. */
export function mayCount({ policies }: Execution, item: number): boolean {
	return policies.some(({ whenUnknown }) => whenUnknown[item % 2 === 0 ? 0 : 1] === 'countAsSent');
}

/** All requests under a once key. */
export function underKey({ scenario, world }: Played, key: string): Arrival[] {
	return world.arrivals.filter(({ item }) => scenario.items[item]?.key === key);
}

/** The treatments of some requests, in words. */
export function storyOf(arrivals: readonly Arrival[]): string {
	const words = arrivals.map(
		({ treatment, isCutOff, isLate }) =>
			treatment.kind +
			(treatment.taken ? ' (taken)' : '') +
			(isCutOff ? ' (cut off)' : '') +
			(isLate ? ' (late)' : ''),
	);
	return words.join(', ') || 'nothing arrived';
}
