import { channelIn, type ChannelRecord } from '../service/channel';
import { isPlainObject } from '../shared/json';

/** What the service shows of a channel, by the names in the output; null if it does not show it. */
export type ChannelFacts = Readonly<ReturnType<typeof factsOf>>;

/** The facts whose changes are events. */
export const COMPARED = ['isConnected', 'channelStatusId', 'feedbackChannelId'] as const;

/** A fact whose changes are events. */
export type ComparedFact = (typeof COMPARED)[number];

/** The facts that describe a channel, also after its removal. */
export const DESCRIBING = ['name', 'channelType', 'accountId', 'isConnected', 'status'] as const;

/** A channel that the service lists. */
export interface Channel extends ChannelRecord {
	readonly facts: ChannelFacts;
}

/** The channels that the service lists, by `channelKey` and in its order. */
export type ChannelList = ReadonlyMap<string, Channel>;

/** Reads the records of the list. Those without a channel ID are left out; of two with one ID, the last one counts. */
export function readChannels(records: readonly unknown[]): ChannelList {
	const channels = new Map<string, Channel>();
	for (const record of records) {
		const found = isPlainObject(record) ? channelIn(record) : undefined;
		if (found !== undefined) channels.set(channelKey(found.id), { ...found, facts: factsOf(found) });
	}
	return channels;
}

function factsOf({ name, type, account, isConnected, status, feedbackChannelId: to }: ChannelRecord) {
	return {
		name: name || null,
		channelType: type.name || type.key || null,
		accountId: account.id || null,
		isConnected,
		status: status.name || null,
		channelStatusId: status.id,
		/** '' without a feedback channel. */
		feedbackChannelId: to && channelKey(to),
	};
}

/** The key under which a channel is remembered. The service may change the case of a UUID. */
export function channelKey(channelId: string): string {
	return channelId.trim().toLowerCase();
}
