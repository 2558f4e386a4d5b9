import type { IDataObject } from 'n8n-workflow';

import { defined, isPlainObject } from '../shared/json';
import {
	type Channel,
	type ChannelList,
	CONNECTED,
	type Fact,
	type Facts,
	FACTS,
	fuller,
	isSame,
	NO_FEEDBACK,
} from './channels';
import { type EventName, isWatched, type Watch } from './watch';

/** What the trigger remembers of the last poll. */
export interface Memory {
	/** The scope of the watch when it was made. */
	readonly scope: string;
	/** The length of the whole list, including channels that are not watched. */
	readonly listed: number;
	/** The watched channels by `channelKey`, with the facts that the chosen events need. */
	readonly channels: ReadonlyMap<string, Facts>;
	/** Changes that have not lasted long enough to be reported, by `holdKey`. */
	readonly pending: ReadonlyMap<string, Pending>;
}

/** A change that is reported only after enough polls in a row have found it. */
interface Pending {
	/** The new value. */
	readonly value: string;
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
	readonly before: Facts | undefined;
	/** When it was first seen, as ISO 8601. */
	readonly seenSince: string;
}

/** The result of comparing a list with the memory. */
export interface Comparison {
	readonly changes: readonly Change[];
	readonly memory: Memory;
	/** Whether the memory has unreported changes without which a later change could be missed. */
	readonly learnt: boolean;
}

/** The facts that each event needs: one to compare, or those that describe a removed channel. */
const NEEDED: Readonly<Record<EventName, readonly Fact[]>> = {
	channelConnected: ['connected'],
	channelCreated: [],
	channelDisconnected: ['connected'],
	channelRemoved: ['name', 'channelType', 'accountId'],
	channelStatusChanged: ['status'],
	feedbackChannelChanged: ['feedback'],
};

/** The event for a fact that has changed to this value; `undefined` if there is no event for that fact. */
function eventOf(fact: Fact, value: string): EventName | undefined {
	if (fact === 'connected') return value === CONNECTED ? 'channelConnected' : 'channelDisconnected';
	if (fact === 'status') return 'channelStatusChanged';
	return fact === 'feedback' ? 'feedbackChannelChanged' : undefined;
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
): Comparison {
	return new Comparing(memory, list, watch, now).result();
}

class Comparing {
	private readonly facts: readonly Fact[];

	private readonly before: ReadonlyMap<string, Facts>;

	/** Whether the memory covers the same channels, so that it shows which ones are new or gone. */
	private readonly sameScope: boolean;

	private readonly changes: Change[] = [];

	private readonly channels = new Map<string, Facts>();

	private readonly pending = new Map<string, Pending>();

	private learnt = false;

	constructor(
		private readonly memory: Memory | undefined,
		private readonly list: ChannelList,
		private readonly watch: Watch,
		private readonly now: string,
	) {
		this.facts = FACTS.filter((fact) => [...watch.events].some((event) => NEEDED[event].includes(fact)));
		this.before = memory?.channels ?? new Map<string, Facts>();
		this.sameScope = memory?.scope === watch.scope;
	}

	result(): Comparison {
		const { before, channels, list, memory, pending, watch } = this;
		for (const [key, channel] of list.channels) {
			const known = before.get(key);
			if (!isWatched(watch.filter, key, channel, known !== undefined)) continue;
			if (known === undefined && !this.comes(key, channel)) continue;
			channels.set(key, this.settled(key, channel, known));
		}
		this.leave([...before].filter(([key]) => list.channels.get(key)?.isDeleted ?? this.sameScope));
		return {
			changes: this.changes,
			memory: { scope: watch.scope, listed: list.channels.size, channels, pending },
			learnt: this.learnt && memory !== undefined,
		};
	}

	/** Reports a channel that was not there before. Returns whether it now counts as listed. */
	private comes(key: string, channel: Channel): boolean {
		const { events, holdFor, reportsFirst } = this.watch;
		if (channel.isDeleted) return false;
		if (this.memory === undefined && reportsFirst) {
			this.report('channelCreated', key, undefined, this.now);
			for (const fact of this.facts) {
				const value = channel.facts[fact];
				const event = value === undefined ? undefined : eventOf(fact, value);
				if (event !== undefined && value !== NO_FEEDBACK) this.report(event, key, undefined, this.now);
			}
		} else if (events.has('channelCreated') && this.sameScope) {
			const since = this.held(key, 'listed', 'yes', holdFor);
			if (since === undefined) return false;
			this.report('channelCreated', key, undefined, since);
		} else {
			this.learnt = true;
		}
		return true;
	}

	/** Reports what has changed about a channel. Returns what to remember about it. */
	private settled(key: string, channel: Channel, before: Facts | undefined): Facts {
		const facts: Partial<Record<Fact, string>> = {};
		for (const fact of this.facts) {
			const value = this.settledFact(fact, key, channel, before);
			if (value !== undefined) facts[fact] = value;
		}
		return facts;
	}

	private settledFact(
		fact: Fact,
		key: string,
		channel: Channel,
		before: Facts | undefined,
	): string | undefined {
		const [known, value] = [before?.[fact], channel.facts[fact]];
		if (value === undefined) {
			this.keepWaiting(key, fact);
			return known;
		}
		const event = eventOf(fact, value);
		if (known === undefined || event === undefined) {
			if (before !== undefined && event !== undefined) this.learnt = true;
			return value;
		}
		if (isSame(fact, known, value)) return fuller(fact, known, value);
		const since = this.held(key, fact, value, this.watch.holdFor);
		if (since === undefined) return known;
		if (!this.watch.events.has(event)) this.learnt = true;
		this.report(event, key, before, since);
		return value;
	}

	/** Reports the channels that are no longer listed, or are permanently deleted. */
	private leave(gone: ReadonlyArray<[string, Facts]>): void {
		const { list, memory, watch } = this;
		const { size } = list.channels;
		const short = size === 0 || size * 2 < (memory?.listed ?? 0) || gone.length * 2 >= this.before.size;
		const polls = Math.max(watch.holdFor, short || list.nameless > 0 ? 2 : 1);
		const reportsListed = watch.events.has('channelCreated') || watch.events.has('channelRemoved');
		let missing = 0;
		for (const [key, before] of gone) {
			if (!list.channels.has(key)) {
				this.channels.set(key, before);
				for (const fact of this.facts) this.keepWaiting(key, fact);
				if (!reportsListed && ++missing <= MOST_MISSING) continue;
			}
			// It is permanently deleted and was no longer watched.
			if (!this.channels.has(key)) continue;
			const since = this.held(key, 'listed', 'no', polls);
			if (since === undefined) continue;
			this.channels.delete(key);
			this.report('channelRemoved', key, before, since);
		}
	}

	/** Reports an event if it was chosen. */
	private report(event: EventName, key: string, before: Facts | undefined, seenSince: string): void {
		if (!this.watch.events.has(event)) return;
		this.changes.push({ event, key, channel: this.list.channels.get(key), before, seenSince });
	}

	/** Counts the polls that found a change. Once enough polls in a row have, returns when it was first seen. */
	private held(key: string, fact: Fact | 'listed', value: string, polls: number): string | undefined {
		const last = this.memory?.pending.get(holdKey(key, fact));
		const goesOn =
			last !== undefined && (fact === 'listed' ? last.value === value : isSame(fact, last.value, value));
		const pending = goesOn ? { ...last, polls: last.polls + 1 } : { value, polls: 1, since: this.now };
		if (pending.polls >= polls) return pending.since;
		this.pending.set(holdKey(key, fact), pending);
		return undefined;
	}

	/** Keeps a pending change that this poll can't confirm: the poll neither counts for it nor ends it. */
	private keepWaiting(key: string, fact: Fact): void {
		const last = this.memory?.pending.get(holdKey(key, fact));
		if (last !== undefined) this.pending.set(holdKey(key, fact), last);
	}
}

function holdKey(key: string, fact: Fact | 'listed'): string {
	return `${fact} ${key}`;
}

/** Increased whenever the saved form changes. */
const VERSION = 3;

type Columns = ReadonlyArray<string | null>;

/** The memory as saved. Channels are grouped by type and account, which would otherwise take up most of the space. */
interface StoredMemory {
	version: number;
	scope: string;
	listed: number;
	groups: Array<[shared: Columns, rows: Array<[key: string, ...values: Columns]>]>;
	pending: Array<[key: string, value: string, polls: number, since: string]>;
}

/** The facts that are saved once per group, and those that are saved per channel. */
const SHARED = ['channelType', 'accountId'] as const satisfies readonly Fact[];
const OWN = ['connected', 'status', 'feedback', 'name'] as const satisfies readonly Fact[];

/** The memory in its saved form: plain JSON. */
export function toStored({ scope, listed, channels, pending }: Memory): IDataObject {
	const groups = new Map<string, StoredMemory['groups'][number]>();
	for (const [key, facts] of channels) {
		const shared = SHARED.map((fact) => facts[fact] ?? null);
		const name = JSON.stringify(shared);
		const group = groups.get(name) ?? [shared, []];
		groups.set(name, group);
		group[1].push([key, ...OWN.map((fact) => facts[fact] ?? null)]);
	}
	const stored: StoredMemory = {
		version: VERSION,
		scope,
		listed,
		groups: [...groups.values()],
		pending: [...pending].map(([key, { value, polls, since }]) => [key, value, polls, since]),
	};
	return { ...stored };
}

/** The saved memory; `undefined` if there is none in the current form, as before the first poll. */
export function fromStored(saved: unknown): Memory | undefined {
	if (!isPlainObject(saved) || saved.version !== VERSION) return undefined;
	// Only this node writes it, and the version identifies the form.
	const { scope, listed, groups, pending } = saved as unknown as StoredMemory;
	const channels = groups.flatMap(([shared, rows]) =>
		rows.map(([key, ...own]): [string, Facts] => [key, { ...factsIn(SHARED, shared), ...factsIn(OWN, own) }]),
	);
	return {
		scope,
		listed,
		channels: new Map(channels),
		pending: new Map(pending.map(([key, value, polls, since]) => [key, { value, polls, since }])),
	};
}

function factsIn(names: readonly Fact[], values: Columns): Facts {
	return defined<Facts>(Object.fromEntries(names.map((name, column) => [name, values[column] ?? undefined])));
}
