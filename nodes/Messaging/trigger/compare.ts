import type { IDataObject } from 'n8n-workflow';

import { isPlainObject } from '../shared/json';
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
	/** The scope of the watch that it was made with. */
	readonly scope: string;
	/** How many channels the whole list had, those that are not watched included. */
	readonly listed: number;
	/** The channels that are watched, by `keyOf`, with the facts that the chosen events are about. */
	readonly channels: ReadonlyMap<string, Facts>;
	/** Changes that have not held for long enough, by `holdKey`. */
	readonly pending: ReadonlyMap<string, Pending>;
}

/** A change that several polls in a row have seen. */
interface Pending {
	/** What it changed to. */
	readonly value: string;
	readonly polls: number;
	/** When it was first seen, as ISO 8601. */
	readonly since: string;
}

/** A change to report. */
export interface Change {
	readonly event: EventName;
	readonly key: string;
	/** The channel as the list shows it; `undefined` for one that is not listed any more. */
	readonly channel: Channel | undefined;
	/** What was remembered of it; `undefined` for one that was not there. */
	readonly before: Facts | undefined;
	/** When it was first seen, as ISO 8601. */
	readonly seenSince: string;
}

/** What a poll makes of a list. */
export interface Comparison {
	readonly changes: readonly Change[];
	readonly memory: Memory;
	/** Whether something was learnt that is not reported, and whose loss could hide a later change. */
	readonly learnt: boolean;
}

/** The facts that each event needs: one that is compared, or those that say who a removed channel was. */
const NEEDED: Readonly<Record<EventName, readonly Fact[]>> = {
	channelConnected: ['connected'],
	channelCreated: [],
	channelDisconnected: ['connected'],
	channelRemoved: ['name', 'channelType', 'accountId'],
	channelStatusChanged: ['status'],
	feedbackChannelChanged: ['feedback'],
};

/** The event that it is when a fact has this value now; `undefined` for one that no event is about. */
function eventOf(fact: Fact, value: string): EventName | undefined {
	if (fact === 'connected') return value === CONNECTED ? 'channelConnected' : 'channelDisconnected';
	if (fact === 'status') return 'channelStatusChanged';
	return fact === 'feedback' ? 'feedbackChannelChanged' : undefined;
}

/**
 * How many channels that are not listed any more are remembered at most where nobody asks who comes and goes: there a
 * channel that is missing for a while is still the same one when it is back.
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

	/** Whether the memory is of the same channels, so that the list can say who came and who went. */
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

	/** Reports a channel that was not there before; says whether it counts as listed from now on. */
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

	/** Reports what has changed of a channel; gives what is to be remembered of it. */
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

	/** Channels that were there before and are not listed any more, or are deleted for good. */
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
			// Deleted for good, and not watched any more.
			if (!this.channels.has(key)) continue;
			const since = this.held(key, 'listed', 'no', polls);
			if (since === undefined) continue;
			this.channels.delete(key);
			this.report('channelRemoved', key, before, since);
		}
	}

	/** Reports an event that is chosen. */
	private report(event: EventName, key: string, before: Facts | undefined, seenSince: string): void {
		if (!this.watch.events.has(event)) return;
		this.changes.push({ event, key, channel: this.list.channels.get(key), before, seenSince });
	}

	/** Counts a change; once it has been there for so many polls in a row, says since when. */
	private held(key: string, fact: Fact | 'listed', value: string, polls: number): string | undefined {
		const last = this.memory?.pending.get(holdKey(key, fact));
		const goesOn =
			last !== undefined && (fact === 'listed' ? last.value === value : isSame(fact, last.value, value));
		const pending = goesOn ? { ...last, polls: last.polls + 1 } : { value, polls: 1, since: this.now };
		if (pending.polls >= polls) return pending.since;
		this.pending.set(holdKey(key, fact), pending);
		return undefined;
	}

	/** A poll that does not show a fact neither counts nor ends a change of it. */
	private keepWaiting(key: string, fact: Fact): void {
		const last = this.memory?.pending.get(holdKey(key, fact));
		if (last !== undefined) this.pending.set(holdKey(key, fact), last);
	}
}

function holdKey(key: string, fact: Fact | 'listed'): string {
	return `${fact} ${key}`;
}

/** Goes up when the saved form changes. */
const VERSION = 2;

/** The memory in the form that is saved: plain JSON, with a row for each channel and for each change that waits. */
export function toStored({ scope, listed, channels, pending }: Memory): IDataObject {
	return {
		version: VERSION,
		scope,
		listed,
		channels: [...channels].map(([key, facts]) => [key, ...FACTS.map((fact) => facts[fact] ?? null)]),
		pending: [...pending].map(([key, { value, polls, since }]) => [key, value, polls, since]),
	};
}

/** The memory that was saved; `undefined` when there is none that can be read, as before the first poll. */
export function fromStored(stored: unknown): Memory | undefined {
	if (!isPlainObject(stored) || stored.version !== VERSION) return undefined;
	const { scope, listed } = stored;
	const [channels, pending] = [rowsOf(stored.channels), rowsOf(stored.pending)];
	if (typeof scope !== 'string' || typeof listed !== 'number') return undefined;
	if (channels === undefined || pending === undefined) return undefined;
	return {
		scope,
		listed,
		channels: new Map(channels.map(([key, ...values]) => [String(key), factsOf(values)])),
		pending: new Map(
			pending.map(([key, value, polls, since]) => [
				String(key),
				{ value: String(value), polls: Number(polls), since: String(since) },
			]),
		),
	};
}

function factsOf(values: readonly unknown[]): Facts {
	const facts = FACTS.map((fact, column) => [fact, values[column]] as const);
	return Object.fromEntries(facts.filter(([, value]) => typeof value === 'string'));
}

/** A list of lists; `undefined` when it is something else. */
function rowsOf(value: unknown): unknown[][] | undefined {
	return Array.isArray(value) && value.every((row): row is unknown[] => Array.isArray(row))
		? value
		: undefined;
}
