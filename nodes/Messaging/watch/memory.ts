import type { Aspect } from './events';

/** What the trigger remembers of the last poll, and of changes that have not held for long enough. */
export interface Memory {
	/** The scope of the watch that it was made with. */
	readonly scope: string;
	/** How many channels the whole list had, those that are not watched included. */
	readonly listed: number;
	/** The channels that are watched, by `keyOf`. */
	readonly channels: ReadonlyMap<string, Remembered>;
	/** What may become a change, by `keyOf`. */
	readonly pending: ReadonlyMap<string, PendingOf>;
}

/** What is remembered of a channel: only what the chosen events are about. */
export interface Remembered {
	readonly state: Readonly<Partial<Record<Aspect, string>>>;
	/** Who it is; only where removed channels are told of, since of those no list says it any more. */
	readonly identity?: Identity;
}

/** What is told of a channel that is gone; '' when not known. */
export interface Identity {
	readonly name: string;
	readonly channelType: string;
	readonly accountId: string;
}

/** A change that has been there for some polls, one after the other. */
export interface Pending {
	/** What it changed to. */
	readonly value: string;
	readonly polls: number;
	/** When it was first seen, as ISO 8601. */
	readonly since: string;
}

/** The changes of one channel that wait; `listed` is its coming or going. */
export type PendingOf = Readonly<Partial<Record<Aspect | 'listed', Pending>>>;
