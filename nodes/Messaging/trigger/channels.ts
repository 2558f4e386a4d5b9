import { channelIn, type ChannelRecord } from '../service/channel';
import { cut } from '../shared/text';

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
		const found = channelIn(record);
		if (found !== undefined) channels.set(channelKey(found.id), { ...found, facts: factsOf(found) });
	}
	return channels;
}

/** How many characters of a text are remembered and shown: n8n saves what is remembered with the workflow. */
const MOST_CHARACTERS = 256;

function factsOf({ name, type, account, isConnected, status, feedbackChannelId: to }: ChannelRecord) {
	const text = (given: string): string | null => cut(given, MOST_CHARACTERS) || null;
	return {
		name: text(name),
		channelType: text(type.name || type.key),
		accountId: text(account.id),
		isConnected,
		status: text(status.name),
		channelStatusId: status.id,
		/** '' without a feedback channel. */
		feedbackChannelId: to && channelKey(to),
	};
}

/** The key under which a channel is remembered. The service may change the case of a UUID. */
export function channelKey(channelId: string): string {
	return cut(channelId.trim().toLowerCase(), MOST_CHARACTERS);
}
