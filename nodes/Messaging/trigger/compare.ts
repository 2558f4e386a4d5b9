import {
	type Channel,
	type ChannelFacts,
	type ChannelList,
	COMPARED,
	type ComparedFact,
	DESCRIBING,
} from './channels';
import type { KnownFacts, Memory, Pending } from './memory';
import { type EventName, isWatched, type Watch } from './watch';

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

/** What shows whether a fact has changed. A service may show a status by its name alone; if its ID is known, that counts. */
function comparedBy(fact: ComparedFact, facts: ChannelFacts, known?: KnownFacts): ComparedFact | 'status' {
	const hasId = (known?.channelStatusId ?? null) !== null;
	return fact === 'channelStatusId' && !hasId && facts.status !== null ? 'status' : fact;
}

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
	const comparison = new Comparison(memory, list, watch, now);
	comparison.readListed();
	comparison.readMissing();
	const { changes, channels, pending } = comparison;
	return { changes, memory: { scope: watch.scope, listed: list.size, channels, pending } };
}

/** One comparison: what it finds to report, and what is remembered after it. */
class Comparison {
	readonly changes: Change[] = [];

	readonly channels = new Map<string, KnownFacts>();

	/** The changes that have not lasted long enough to be reported, by fact and channel. */
	readonly pending = new Map<string, Pending>();

	private readonly before: ReadonlyMap<string, KnownFacts>;

	/** Whether the memory covers the same channels, so that it shows which ones are new or gone. */
	private readonly isSameScope: boolean;

	/** The facts whose changes are among the chosen events. */
	private readonly compared: readonly ComparedFact[];

	constructor(
		private readonly memory: Memory | undefined,
		private readonly list: ChannelList,
		private readonly watch: Watch,
		private readonly now: string,
	) {
		this.before = memory?.channels ?? new Map<string, KnownFacts>();
		this.isSameScope = memory?.scope === watch.scope;
		this.compared = COMPARED.filter((fact) =>
			[true, false].some((value) => watch.events.has(eventOf(fact, value))),
		);
	}

	readListed(): void {
		for (const [key, channel] of this.list) {
			const before = this.before.get(key);
			if (!isWatched(this.watch, key, channel, before !== undefined)) continue;
			if (before !== undefined || this.arrives(key, channel)) {
				this.channels.set(key, this.settled(key, channel, before));
			}
		}
	}

	/** Goes through the channels that are no longer listed, or are permanently deleted. */
	readMissing(): void {
		const { before, list, watch, channels } = this;
		const gone = [...before].filter(([key]) => list.get(key)?.isDeleted ?? this.isSameScope);
		const isShort = list.size * 2 < (this.memory?.listed ?? 0) || gone.length * 2 >= before.size;
		const polls = Math.max(watch.holdFor, isShort ? 2 : 1);
		const reportsListed = watch.events.has('channelCreated') || watch.events.has('channelRemoved');
		for (const [key, was] of gone) {
			if (!list.has(key)) {
				channels.set(key, was);
				// When it is listed again, it is compared with what it was.
				if (!reportsListed) continue;
			}
			const since = this.lasting(key, 'listed', false, polls);
			if (since === undefined) continue;
			channels.delete(key);
			this.report('channelRemoved', key, was, since);
		}
	}

	/** Reports a channel that was not there before. Returns whether it now counts as listed. */
	private arrives(key: string, { facts, isDeleted }: Channel): boolean {
		const { events, reportsFirst, holdFor } = this.watch;
		if (isDeleted) return false;
		if (this.memory === undefined && reportsFirst) {
			this.report('channelCreated', key, undefined, this.now);
			for (const fact of this.compared) {
				const value = facts[comparedBy(fact, facts)];
				if (value !== null && value !== '') this.report(eventOf(fact, value), key, undefined, this.now);
			}
		} else if (events.has('channelCreated') && this.isSameScope) {
			const since = this.lasting(key, 'listed', true, holdFor);
			if (since === undefined) return false;
			this.report('channelCreated', key, undefined, since);
		}
		return true;
	}

	/**
	 * Reports what has changed about a channel. Returns what to remember about it: known facts stay until a change has
	 * been reported.
	 */
	private settled(key: string, { facts }: Channel, before: KnownFacts | undefined): KnownFacts {
		const result: Record<string, ChannelFacts[keyof ChannelFacts] | undefined> = {};
		for (const fact of this.watch.events.has('channelRemoved') ? DESCRIBING : []) {
			result[fact] = facts[fact] ?? before?.[fact];
		}
		for (const fact of this.compared) {
			const by = comparedBy(fact, facts, before);
			const value = facts[by];
			const was = before?.[by] ?? null;
			let isTaken = value !== null;
			if (value !== null && was !== null && value !== was) {
				const since = this.lasting(key, fact, value, this.watch.holdFor);
				isTaken = since !== undefined;
				if (since !== undefined) this.report(eventOf(fact, value), key, before, since);
			}
			const remembered = isTaken ? facts : before;
			result[fact] = remembered?.[fact];
			if (fact === 'channelStatusId') result.status = remembered?.status;
		}
		return result;
	}

	private report(event: EventName, key: string, before: KnownFacts | undefined, seenSince: string): void {
		if (!this.watch.events.has(event)) return;
		this.changes.push({ event, key, channel: this.list.get(key), before, seenSince });
	}

	/** Counts a poll that found a change. Once enough polls in a row have, returns when it was first seen. */
	private lasting(
		key: string,
		fact: ComparedFact | 'listed',
		value: Pending['value'],
		polls: number,
	): string | undefined {
		const id = `${fact} ${key}`;
		const last = this.memory?.pending.get(id);
		const change =
			last?.value === value ? { ...last, polls: last.polls + 1 } : { value, polls: 1, since: this.now };
		if (change.polls >= polls) return change.since;
		this.pending.set(id, change);
		return undefined;
	}
}
