import { isPlainObject } from '../shared/json';
import type { ChannelFacts, ComparedFact } from './channels';

/** What is remembered about a channel: the facts that the chosen events need, as far as they are known. */
export type KnownFacts = Partial<ChannelFacts>;

/** What the trigger remembers of the last poll. */
export interface Memory {
	/** The scope of the watch when it was made. */
	readonly scope: string;
	/** The length of the whole list, including channels that are not watched. */
	readonly listed: number;
	/** The watched channels by `channelKey`. */
	readonly channels: ReadonlyMap<string, KnownFacts>;
	/** Changes that have not lasted long enough to be reported: see `compare.ts`. */
	readonly pending: ReadonlyMap<string, Pending>;
}

/** A change that is reported only after enough polls in a row have found it. */
export interface Pending {
	/** The new value. */
	readonly value: ChannelFacts[ComparedFact];
	readonly polls: number;
	/** When it was first seen, as ISO 8601. */
	readonly since: string;
}

/** Increased whenever what is saved changes. */
const VERSION = 5;

/** The memory as saved: plain JSON. */
interface StoredMemory extends Pick<Memory, 'scope' | 'listed'> {
	version: number;
	/** Their entries as JSON. n8n would observe each value of an object. */
	channels: string;
	pending: Array<[key: string, pending: Pending]>;
}

/** The memory to save. The order of the list does not show in its channels. */
export function toStored({ channels, pending, ...rest }: Memory): StoredMemory {
	const entries = [...channels].sort(([one], [other]) => (one < other ? -1 : 1));
	return { ...rest, version: VERSION, channels: JSON.stringify(entries), pending: [...pending] };
}

/** The saved memory; `undefined` if there is none of this version, as before the first poll. */
export function fromStored(saved: unknown): Memory | undefined {
	if (!isPlainObject(saved) || saved.version !== VERSION) return undefined;
	// Only this node writes it, in the form of this version.
	const { scope, listed, channels, pending } = saved as unknown as StoredMemory;
	const remembered = new Map(JSON.parse(channels) as Array<[key: string, facts: KnownFacts]>);
	return { scope, listed, channels: remembered, pending: new Map(pending) };
}
