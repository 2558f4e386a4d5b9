import { isPlainObject } from '../shared/json';
import { type Channel, type ChannelFacts, type ChannelList, COMPARED, type ComparedFact } from './channels';
import { type EventName, isWatched, type Watch } from './watch';

/** What is remembered about a channel: the facts that the chosen events need, as far as they are known. */
export type KnownFacts = Partial<ChannelFacts>;

/** The facts that describe a channel after its removal. */
const DESCRIBING = ['name', 'channelType', 'accountId'] as const;

/** What the trigger remembers of the last poll. */
export interface Memory {
	/** The scope of the watch when it was made. */
	readonly scope: string;
	/** The length of the whole list, including channels that are not watched. */
	readonly listed: number;
	/** The watched channels by `channelKey`. */
	readonly channels: ReadonlyMap<string, KnownFacts>;
	/** Changes that have not lasted long enough to be reported, by `holdKey`. */
	readonly pending: ReadonlyMap<string, Pending>;
}

/** A change that is reported only after enough polls in a row have found it. */
interface Pending {
	/** The new value. */
	readonly value: ChannelFacts[ComparedFact];
	readonly polls: number;
	/** When it was first seen, as ISO 8601. */
	readonly since: string;
}

/** A change to report. */
export interface Change {
	readonly event: EventName;
	readonly key: string;
	/** The channel as the list shows it; `undefined` if it is no longer listed. */
	readonly channel: Channel | undefined;
	/** What was remembered about it; `undefined` if it was not there. */
	readonly before: KnownFacts | undefined;
	/** When it was first seen, as ISO 8601. */
	readonly seenSince: string;
}

/** The event for a fact that has changed to this value. */
function eventOf(fact: ComparedFact, value: ChannelFacts[ComparedFact]): EventName {
	if (fact === 'isConnected') return value === true ? 'channelConnected' : 'channelDisconnected';
	return fact === 'channelStatusId' ? 'channelStatusChanged' : 'feedbackChannelChanged';
}

/**
 * How many missing channels are remembered at most while neither Channel Created nor Channel Removed is chosen, so that
 * a channel that is missing for a while still counts as the same channel.
 */
const MOST_MISSING = 10_000;

/**
 * Compares a list with what is remembered. Changes are in the order of the list, removed channels last.
 *
 * @param memory `undefined` before the first poll
 * @param now this moment as ISO 8601
 */
export function compare(
	memory: Memory | undefined,
	list: ChannelList,
	watch: Watch,
	now: string,
): { changes: readonly Change[]; memory: Memory } {
	const { events, holdFor, reportsFirst, scope } = watch;
	const before = memory?.channels ?? new Map<string, KnownFacts>();
	// Whether the memory covers the same channels, so that it shows which ones are new or gone.
	const sameScope = memory?.scope === scope;
	const watched = COMPARED.filter((fact) => [true, false].some((value) => events.has(eventOf(fact, value))));
	const changes: Change[] = [];
	const channels = new Map<string, KnownFacts>();
	const pending = new Map<string, Pending>();

	/** Reports an event if it was chosen. */
	function report(event: EventName, key: string, known: KnownFacts | undefined, seenSince: string): void {
		if (!events.has(event)) return;
		changes.push({ event, key, channel: list.channels.get(key), before: known, seenSince });
	}

	/** Counts the polls that found a change. Once enough polls in a row have, returns when it was first seen. */
	function held(id: string, value: Pending['value'], polls: number): string | undefined {
		const last = memory?.pending.get(id);
		const change =
			last?.value === value ? { ...last, polls: last.polls + 1 } : { value, polls: 1, since: now };
		if (change.polls >= polls) return change.since;
		pending.set(id, change);
		return undefined;
	}

	/** Keeps a pending change that this poll can't confirm: the poll neither counts for it nor ends it. */
	function keepWaiting(id: string): void {
		const last = memory?.pending.get(id);
		if (last !== undefined) pending.set(id, last);
	}

	/** Reports a channel that was not there before. Returns whether it now counts as listed. */
	function comes(key: string, { facts, isDeleted }: Channel): boolean {
		if (isDeleted) return false;
		if (memory === undefined && reportsFirst) {
			report('channelCreated', key, undefined, now);
			for (const fact of watched) {
				const value = facts[fact];
				if (value !== null && value !== '') report(eventOf(fact, value), key, undefined, now);
			}
		} else if (events.has('channelCreated') && sameScope) {
			const since = held(holdKey(key, 'listed'), true, holdFor);
			if (since === undefined) return false;
			report('channelCreated', key, undefined, since);
		}
		return true;
	}

	/**
	 * Reports what has changed about a channel. Returns what to remember about it: known facts stay until a change has
	 * been reported.
	 */
	function settled(key: string, { facts }: Channel, known: KnownFacts | undefined): KnownFacts {
		const result: Record<string, ChannelFacts[keyof ChannelFacts] | undefined> = {};
		for (const fact of events.has('channelRemoved') ? DESCRIBING : []) {
			result[fact] = facts[fact] ?? known?.[fact];
		}
		for (const fact of watched) {
			const value = facts[fact];
			const was = known?.[fact] ?? null;
			let isTaken = value !== null;
			if (value === null) {
				keepWaiting(holdKey(key, fact));
			} else if (was !== null && value !== was) {
				const since = held(holdKey(key, fact), value, holdFor);
				isTaken = since !== undefined;
				if (since !== undefined) report(eventOf(fact, value), key, known, since);
			}
			const remembered = isTaken ? facts : known;
			result[fact] = remembered?.[fact];
			if (fact === 'channelStatusId') result.status = remembered?.status;
		}
		return result;
	}

	/** Reports the channels that are no longer listed, or are permanently deleted. */
	function leave(gone: ReadonlyArray<[string, KnownFacts]>): void {
		const isShort = list.channels.size * 2 < (memory?.listed ?? 0) || gone.length * 2 >= before.size;
		const polls = Math.max(holdFor, isShort || list.nameless > 0 ? 2 : 1);
		const reportsListed = events.has('channelCreated') || events.has('channelRemoved');
		let missing = 0;
		for (const [key, known] of gone) {
			if (!list.channels.has(key)) {
				channels.set(key, known);
				for (const fact of watched) keepWaiting(holdKey(key, fact));
				if (!reportsListed && ++missing <= MOST_MISSING) continue;
			}
			// It is permanently deleted and was no longer watched.
			if (!channels.has(key)) continue;
			const since = held(holdKey(key, 'listed'), false, polls);
			if (since === undefined) continue;
			channels.delete(key);
			report('channelRemoved', key, known, since);
		}
	}

	for (const [key, channel] of list.channels) {
		const known = before.get(key);
		if (!isWatched(watch, key, channel, known !== undefined)) continue;
		if (known === undefined && !comes(key, channel)) continue;
		channels.set(key, settled(key, channel, known));
	}
	leave([...before].filter(([key]) => list.channels.get(key)?.isDeleted ?? sameScope));
	return { changes, memory: { scope, listed: list.channels.size, channels, pending } };
}

function holdKey(key: string, fact: ComparedFact | 'listed'): string {
	return `${fact} ${key}`;
}

/** Increased whenever the saved form changes. */
const VERSION = 4;

/** The memory as saved: plain JSON. */
interface StoredMemory extends Pick<Memory, 'scope' | 'listed'> {
	version: number;
	/** JSON of `StoredChannels`. n8n would observe each value of an object. */
	channels: string;
	pending: Array<[key: string, pending: Pending]>;
}

/** The channels, in groups whose facts are the same except for the name. This keeps the memory small. */
type StoredChannels = Array<[facts: KnownFacts, rows: Array<[key: string, name: string | null]>]>;

/** The memory in its saved form. The order of the list does not show in its channels. */
export function toStored({ channels, pending, ...rest }: Memory): StoredMemory {
	const groups = new Map<string, StoredChannels[number]>();
	for (const key of [...channels.keys()].sort()) {
		const { name = null, ...facts } = channels.get(key) ?? {};
		const id = JSON.stringify(facts);
		const group: StoredChannels[number] = groups.get(id) ?? [facts, []];
		groups.set(id, group);
		group[1].push([key, name]);
	}
	const stored = JSON.stringify([...groups.values()]);
	return { ...rest, version: VERSION, channels: stored, pending: [...pending] };
}

/** The saved memory; `undefined` if there is none in the current form, as before the first poll. */
export function fromStored(saved: unknown): Memory | undefined {
	if (!isPlainObject(saved) || saved.version !== VERSION) return undefined;
	// Only this node writes it, and the version identifies the form.
	const { scope, listed, channels, pending } = saved as unknown as StoredMemory;
	const known = (JSON.parse(channels) as StoredChannels).flatMap(([facts, rows]) =>
		rows.map(([key, name]): [string, KnownFacts] => [key, { name, ...facts }]),
	);
	return { scope, listed, channels: new Map(known), pending: new Map(pending) };
}
