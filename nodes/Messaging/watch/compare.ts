import { Turns } from '../time/turns';
import type { ChannelList } from './channel-list';
import { type Aspect, aspectsOf, type EventName, eventOf } from './events';
import type { Identity, Memory, Pending, PendingOf, Remembered } from './memory';
import { fuller, isSame, NO_FEEDBACK, type Sighting } from './sighting';
import { isWatched, type Watch } from './watch';

/** A change to tell of. */
export interface Change {
	readonly event: EventName;
	/** The channel's key, for one that the list does not show any more. */
	readonly key: string;
	/** The channel as the list shows it; `undefined` for one that it does not show. */
	readonly sighting: Sighting | undefined;
	/** What was remembered of it; `undefined` for one that was not there. */
	readonly before: Remembered | undefined;
	/** When it was first seen, as ISO 8601. */
	readonly seenSince: string;
}

/** What a poll makes of a list. */
export interface Comparison {
	readonly changes: readonly Change[];
	readonly memory: Memory;
	/** Whether something was learnt that nothing is told of, and whose loss could hide a change to come. */
	readonly learnt: boolean;
}

/**
 * How many channels are remembered that are not listed any more. Where nobody is told who comes and goes, one that is
 * missing for a while, as in the list of a service that starts, is still the same one when it is back.
 */
const MOST_GONE = 10_000;

/** The values of the pending "listed". */
const COME = 'come';
const GONE = 'gone';

/**
 * Compares a list with what is remembered. Changes are in the order of the list, channels that are gone last. The event
 * loop turns while there are many.
 *
 * @param memory `undefined` before the first poll
 * @param now this moment as ISO 8601
 */
export async function compare(
	memory: Memory | undefined,
	list: ChannelList,
	watch: Watch,
	now: string,
): Promise<Comparison> {
	return await new Comparing(memory, list, watch, now).all();
}

class Comparing {
	private readonly aspects: readonly Aspect[];

	private readonly isFirst: boolean;

	/** Whether the list can say who came and who went. */
	private readonly sameScope: boolean;

	private readonly before: ReadonlyMap<string, Remembered>;

	private readonly changes: Change[] = [];

	private readonly channels = new Map<string, Remembered>();

	private readonly pending = new Map<string, PendingOf>();

	private learnt = false;

	/** How many are remembered that are gone. */
	private missing = 0;

	constructor(
		private readonly memory: Memory | undefined,
		private readonly list: ChannelList,
		private readonly watch: Watch,
		private readonly now: string,
	) {
		this.aspects = aspectsOf(watch.events);
		this.isFirst = memory === undefined;
		this.sameScope = memory?.scope === watch.scope;
		this.before = memory?.channels ?? new Map<string, Remembered>();
	}

	async all(): Promise<Comparison> {
		const turns = new Turns();
		const { before, list, watch } = this;
		const gone: string[] = [];
		for (const [key, remembered] of before) {
			const sighting = list.channels.get(key);
			if (sighting === undefined || sighting.isDeleted) gone.push(key);
			if (sighting === undefined && this.sameScope) this.channels.set(key, remembered);
			if (turns.over) await turns.next();
		}
		for (const [key, sighting] of list.channels) {
			if (turns.over) await turns.next();
			const remembered = before.get(key);
			if (!isWatched(watch.filter, key, sighting, remembered !== undefined)) continue;
			if (remembered !== undefined) this.again(key, sighting, remembered);
			else if (!sighting.isDeleted) this.newcomer(key, sighting);
		}
		// Those gone last: a channel that is deleted for good may have changed its status as well.
		const polls = Math.max(watch.holdFor, this.isDoubtful(gone.length) ? 2 : 1);
		for (const key of gone) if (this.channels.has(key)) this.gone(key, polls);
		const memory = {
			scope: watch.scope,
			listed: list.channels.size,
			channels: this.channels,
			pending: this.pending,
		};
		return { changes: this.changes, memory, learnt: this.learnt && !this.isFirst };
	}

	/**
	 * Whether it takes a second poll to believe that channels are gone: the list is empty or much shorter all at once,
	 * or entries in it do not say who they are.
	 */
	private isDoubtful(gone: number): boolean {
		const { channels, nameless } = this.list;
		const listed = this.memory?.listed ?? 0;
		return nameless > 0 || channels.size === 0 || channels.size * 2 < listed || gone * 2 >= this.before.size;
	}

	/** A channel that was not there before. */
	private newcomer(key: string, sighting: Sighting): void {
		const { events, holdFor, reportsFirst } = this.watch;
		const tells = events.has('channelCreated');
		if (this.isFirst && reportsFirst) {
			if (tells) this.tell('channelCreated', key, sighting, undefined, this.now);
			for (const aspect of this.aspects) this.tellPresent(aspect, key, sighting);
		} else if (tells && this.sameScope) {
			const pending = this.counted(key, 'listed', COME);
			if (pending.polls < holdFor) return this.wait(key, 'listed', pending);
			this.tell('channelCreated', key, sighting, undefined, pending.since);
		} else {
			this.learnt = true;
		}
		this.channels.set(key, { state: this.tracked(sighting.state), ...this.identity(sighting) });
	}

	/** A channel that was there before. */
	private again(key: string, sighting: Sighting, before: Remembered): void {
		const state: Partial<Record<Aspect, string>> = {};
		for (const aspect of this.aspects) {
			const value = this.settled(aspect, key, sighting, before);
			if (value !== undefined) state[aspect] = value;
		}
		this.channels.set(key, { state, ...this.identity(sighting, before) });
	}

	/** The value of an aspect that counts from now on. */
	private settled(aspect: Aspect, key: string, sighting: Sighting, before: Remembered): string | undefined {
		const [known, value] = [before.state[aspect], sighting.state[aspect]];
		if (value === undefined) {
			// Not shown this time: neither a change nor an end of one that waits.
			this.keepWaiting(key, aspect);
			return known;
		}
		if (known === undefined) this.learnt = true;
		if (known === undefined) return value;
		if (isSame(aspect, known, value)) return fuller(aspect, known, value);
		const pending = this.counted(key, aspect, value);
		if (pending.polls < this.watch.holdFor) {
			this.wait(key, aspect, pending);
			return known;
		}
		const event = eventOf(aspect, value);
		if (this.watch.events.has(event)) this.tell(event, key, sighting, before, pending.since);
		else this.learnt = true;
		return value;
	}

	/** A channel that is not listed any more, or deleted for good. */
	private gone(key: string, polls: number): void {
		const sighting = this.list.channels.get(key);
		const before = this.before.get(key);
		if (sighting === undefined) {
			for (const aspect of this.aspects) this.keepWaiting(key, aspect);
			const { events } = this.watch;
			const tellsOfList = events.has('channelCreated') || events.has('channelRemoved');
			if (!tellsOfList && ++this.missing <= MOST_GONE) return;
		}
		const pending = this.counted(key, 'listed', GONE);
		if (pending.polls < polls) return this.wait(key, 'listed', pending);
		this.channels.delete(key);
		this.pending.delete(key);
		if (this.watch.events.has('channelRemoved')) {
			this.tell('channelRemoved', key, sighting, before, pending.since);
		}
	}

	private tellPresent(aspect: Aspect, key: string, sighting: Sighting): void {
		const value = sighting.state[aspect];
		if (value === undefined || value === NO_FEEDBACK) return;
		const event = eventOf(aspect, value);
		if (this.watch.events.has(event)) this.tell(event, key, sighting, undefined, this.now);
	}

	private tell(
		event: EventName,
		key: string,
		sighting: Sighting | undefined,
		before: Remembered | undefined,
		seenSince: string,
	): void {
		this.changes.push({ event, key, sighting, before, seenSince });
	}

	/** A change as it stands with this poll. */
	private counted(key: string, aspect: Aspect | 'listed', value: string): Pending {
		const known = this.memory?.pending.get(key)?.[aspect];
		const goes = known !== undefined && isSameChange(aspect, known.value, value);
		return goes ? { ...known, polls: known.polls + 1 } : { value, polls: 1, since: this.now };
	}

	private keepWaiting(key: string, aspect: Aspect): void {
		const known = this.memory?.pending.get(key)?.[aspect];
		if (known !== undefined) this.wait(key, aspect, known);
	}

	private wait(key: string, aspect: Aspect | 'listed', pending: Pending): void {
		this.pending.set(key, { ...this.pending.get(key), [aspect]: pending });
	}

	private tracked(state: Sighting['state']): Remembered['state'] {
		const known = this.aspects.filter((aspect) => state[aspect] !== undefined);
		return Object.fromEntries(known.map((aspect) => [aspect, state[aspect]]));
	}

	private identity(sighting: Sighting, before?: Remembered): { identity?: Identity } {
		if (!this.watch.events.has('channelRemoved')) return {};
		const { name, channelType, accountId } = sighting;
		const known = before?.identity;
		return {
			identity: {
				name: name || (known?.name ?? ''),
				channelType: channelType || (known?.channelType ?? ''),
				accountId: accountId || (known?.accountId ?? ''),
			},
		};
	}
}

function isSameChange(aspect: Aspect | 'listed', one: string, other: string): boolean {
	return aspect === 'listed' ? one === other : isSame(aspect, one, other);
}
