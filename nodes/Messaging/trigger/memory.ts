import { isPlainObject } from '../shared/json';
import { type ChannelFacts, type ComparedFact, DESCRIBING } from './channels';

/** What is remembered about a channel: the facts that the chosen events need, as far as they are known. Others are null or missing. */
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
const VERSION = 6;

/** The facts in the order of a row. */
const FACTS = [...DESCRIBING, 'channelStatusId', 'feedbackChannelId'] as const;

/** The channels as saved: 10,000 of them take less than 1 MB, because most facts are the same for many channels. */
interface StoredChannels {
	/** Each value once. */
	values: Array<ChannelFacts[keyof ChannelFacts]>;
	/** For each channel its key, and the places of its facts among the values. */
	rows: Array<[key: string, ...places: number[]]>;
}

/** The memory to save: plain JSON. The order of the list does not show in its channels. */
export function toStored({ channels, pending, ...rest }: Memory) {
	const places = new Map<ChannelFacts[keyof ChannelFacts], number>();
	const placeOf = (value: ChannelFacts[keyof ChannelFacts]): number => {
		const place = places.get(value) ?? places.size;
		places.set(value, place);
		return place;
	};
	const sorted = [...channels].sort(([one], [other]) => (one < other ? -1 : 1));
	const rows = sorted.map(([key, facts]): [string, ...number[]] => [
		key,
		...FACTS.map((fact) => placeOf(facts[fact] ?? null)),
	]);
	const stored: StoredChannels = { values: [...places.keys()], rows };
	// As a text: n8n would observe each value of an object.
	return { ...rest, version: VERSION, channels: JSON.stringify(stored), pending: [...pending] };
}

/** The saved memory; `undefined` if there is none of this version, as before the first poll. */
export function fromStored(saved: unknown): Memory | undefined {
	if (!isPlainObject(saved) || saved.version !== VERSION) return undefined;
	// Only this node writes it, in the form of this version.
	const { scope, listed, channels, pending } = saved as unknown as ReturnType<typeof toStored>;
	const { rows, values } = JSON.parse(channels) as StoredChannels;
	const remembered = rows.map(([key, ...places]): [string, KnownFacts] => {
		const facts = FACTS.map((fact, at) => [fact, values[places[at] ?? 0]]);
		return [key, Object.fromEntries(facts) as KnownFacts];
	});
	return { scope, listed, channels: new Map(remembered), pending: new Map(pending) };
}
