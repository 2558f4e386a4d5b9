import { isPlainObject } from '../json/plain-object';
import { Turns } from '../time/turns';
import { keyOf, merged, type Sighting, sightingOf } from './sighting';

/** The service's list of channels, as far as it can be read. */
export interface ChannelList {
	/** The channels by the name under which they are remembered, in the list's order. */
	readonly channels: ReadonlyMap<string, Sighting>;
	/** How many entries do not say which channel they are about. */
	readonly nameless: number;
	/** Whether the service answered with nothing at all, which is how some say that there are none. */
	readonly isNothing: boolean;
}

/**
 * Reads the body of the list; `undefined` when it is none. Nothing at all is an empty list. The event loop turns while
 * a long one is read.
 */
export async function readChannels(body: unknown): Promise<ChannelList | undefined> {
	const records: unknown = body ?? [];
	if (!Array.isArray(records)) return undefined;
	const channels = new Map<string, Sighting>();
	const turns = new Turns();
	let nameless = 0;
	for (const record of records as unknown[]) {
		const sighting = isPlainObject(record) ? sightingOf(record) : undefined;
		if (sighting === undefined) {
			nameless += 1;
			continue;
		}
		const key = keyOf(sighting);
		const known = channels.get(key);
		channels.set(key, known === undefined ? sighting : merged(known, sighting));
		if (turns.over) await turns.next();
	}
	return { channels, nameless, isNothing: body === undefined || body === null };
}
