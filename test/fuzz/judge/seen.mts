/** Queries over the requests that the service received in a round. */
import type { Execution, Played } from '../executions.mts';
import type { Treatment } from '../treatments.mts';
import type { Choice } from '../scenario.mts';
import type { Arrival } from '../world.mts';

/** Treatments that tell the sender the outcome. */
const clear: ReadonlySet<Treatment['kind']> = new Set(['ok', 'odd', 'no', 'later']);

/** The largest answer to a change that the node reads to its end, in bytes. */
const MOST_BYTES = 2 ** 20;

/** Whether the sender of a request can know how it ended. An empty success proves something only of the service. */
export function isClear({ isCutOff, isProven, treatment: { bytes, kind } }: Arrival): boolean {
	const isReadable = (bytes?.length ?? 0) <= MOST_BYTES && (isProven || bytes?.length !== 0);
	return clear.has(kind) && !isCutOff && isReadable;
}

/** Whether the sender must know. */
export function isSure(arrival: Arrival): boolean {
	return isClear(arrival) && !arrival.isLate;
}

/** All requests of an execution. */
export function arrivalsOf({ world }: Played, execution: number): Arrival[] {
	return world.arrivals.filter((arrival) => arrival.execution === execution);
}

/** The requests of an execution that were made for an item. */
export function madeFor(played: Played, execution: number, item: number): Arrival[] {
	return arrivalsOf(played, execution).filter((arrival) => arrival.item === item);
}

/** Whether the service has processed one of these requests. */
export function wasTaken(arrivals: readonly Arrival[]): boolean {
	return arrivals.some(({ treatment }) => treatment.taken);
}

/** The setting of When Outcome Is Unknown for an item at a time of the world's clock. */
export function choiceAt({ policies }: Execution, item: number, time: number): Choice {
	const newest = policies.findLast(({ since }) => since <= time);
	return newest?.whenUnknown[item % 2 === 0 ? 0 : 1] ?? 'hold';
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
