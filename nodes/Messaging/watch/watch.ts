import { type EventName } from './events';
import type { Sighting } from './sighting';

/** What the trigger is set to look for. */
export interface Watch {
	/** The events to tell of. */
	readonly events: ReadonlySet<EventName>;
	/** How many polls a change must have been there for, one after the other, until it counts. */
	readonly holdFor: number;
	/** Whether the very first poll tells of what it finds. */
	readonly reportsFirst: boolean;
	readonly filter: ChannelFilter;
	/**
	 * The same for the same service, key and filter; a short hash. With another one, that a channel is in the list or
	 * missing says nothing about what happened to it.
	 */
	readonly scope: string;
}

/** Which channels are watched; what is `undefined` is not asked for. */
export interface ChannelFilter {
	/** As `keyOf` writes it, as is the account's. */
	readonly channelId: string | undefined;
	readonly accountId: string | undefined;
	/** In lower case. */
	readonly channelType: string | undefined;
}

/**
 * Whether a channel is watched.
 *
 * @param isKnown whether it was watched before: one whose account or type the service does not show this time stays
 */
export function isWatched(filter: ChannelFilter, key: string, sighting: Sighting, isKnown: boolean): boolean {
	const { channelId, accountId, channelType } = filter;
	if (channelId !== undefined && channelId !== key) return false;
	const { typeNames } = sighting;
	const account = sighting.accountId.toLowerCase();
	if (accountId !== undefined && account !== accountId && !(isKnown && account === '')) return false;
	return channelType === undefined || typeNames.includes(channelType) || (isKnown && typeNames.length === 0);
}
