import { channelIn, type ChannelRecord } from '../service/channel';
import { isPlainObject } from '../shared/json';

/** What the service shows of a channel, by the names in the output; null if it does not show it. */
export type ChannelFacts = Readonly<ReturnType<typeof factsOf>>;

/** The facts whose changes are events. */
export const COMPARED = ['isConnected', 'channelStatusId', 'feedbackChannelId'] as const;

/** A fact whose changes are events. */
export type ComparedFact = (typeof COMPARED)[number];

/** A channel that the service lists. */
export interface Channel extends ChannelRecord {
	readonly facts: ChannelFacts;
}

/** The readable part of the service's list of channels. */
export type ChannelList = Readonly<ReturnType<typeof readChannels>>;

/** Reads the records of the list: the channels by `channelKey`, in its order, and how many have no channel ID. */
export function readChannels(records: readonly unknown[]) {
	const channels = new Map<string, Channel>();
	let nameless = 0;
	for (const record of records) {
		const found = isPlainObject(record) ? channelIn(record) : undefined;
		if (found === undefined) {
			nameless += 1;
		} else {
			const key = channelKey(found.id);
			const channel = { ...found, facts: factsOf(found) };
			const twin = channels.get(key);
			channels.set(key, twin === undefined ? channel : merged(twin, channel));
		}
	}
	return { channels, nameless };
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

/**
 * One channel from two entries with the same ID. Facts in which they differ count as unknown: it is not known which
 * entry is right, and their order may change.
 */
function merged(one: Channel, other: Channel): Channel {
	const facts = { ...one.facts };
	for (const fact of COMPARED) if (other.facts[fact] !== facts[fact]) Object.assign(facts, { [fact]: null });
	return { ...one, facts, isDeleted: one.isDeleted && other.isDeleted };
}
