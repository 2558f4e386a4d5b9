import { isPlainObject, type JsonObject, textAt, valueAt } from '../shared/json';

/** What the service shows of a channel, by the names in the output; null if it does not show it. */
export interface ChannelFacts {
	readonly name: string | null;
	readonly channelType: string | null;
	readonly accountId: string | null;
	readonly isConnected: boolean | null;
	readonly status: string | null;
	readonly channelStatusId: number | null;
	/** '' without a feedback channel. */
	readonly feedbackChannelId: string | null;
}

/** The facts whose changes are events. */
export const COMPARED = ['isConnected', 'channelStatusId', 'feedbackChannelId'] as const;

/** A fact whose changes are events. */
export type ComparedFact = (typeof COMPARED)[number];

/** A channel as the service's list shows it. */
export interface Channel {
	/** As the service spells it. */
	readonly channelId: string;
	readonly facts: ChannelFacts;
	/** The names and keys of its type in lower case; the filter may use any of them. */
	readonly typeNames: readonly string[];
	/** Whether it is permanently deleted. It then counts as not listed. */
	readonly isDeleted: boolean;
	/** '' if not known, like the next one. */
	readonly createdAt: string;
	readonly stateUpdatedAt: string;
}

/** The readable part of the service's list of channels. */
export interface ChannelList {
	/** The channels by `channelKey`, in the list's order. */
	readonly channels: ReadonlyMap<string, Channel>;
	/** How many entries have no channel ID. */
	readonly nameless: number;
}

/** Reads the body of the list; `undefined` if it is not a list. */
export function readChannels(body: unknown): ChannelList | undefined {
	if (!Array.isArray(body)) return undefined;
	const channels = new Map<string, Channel>();
	let nameless = 0;
	for (const record of body as unknown[]) {
		const channel = isPlainObject(record) ? channelOf(record) : undefined;
		if (channel === undefined) {
			nameless += 1;
		} else {
			const key = channelKey(channel.channelId);
			const twin = channels.get(key);
			channels.set(key, twin === undefined ? channel : merged(twin, channel));
		}
	}
	return { channels, nameless };
}

/** A channel from its record in the list; `undefined` without a channel ID. Any other field may be missing or null. */
export function channelOf(record: JsonObject): Channel | undefined {
	const channelId = textAt(record, 'channelId');
	if (channelId === '') return undefined;
	const typeName = textAt(record, 'channelType.name') || textAt(record, 'provider.channelTypeName');
	const typeKey = textAt(record, 'channelType.key') || textAt(record, 'provider.channelTypeKey');
	const { isConnected } = record;
	const feedback = channelKey(textAt(record, 'feedbackChannelId'));
	const statusId = valueAt(record, 'status.channelStatusId');
	return {
		channelId,
		facts: {
			name: textAt(record, 'name') || null,
			channelType: typeName || typeKey || null,
			accountId: textAt(record, 'accountId') || textAt(record, 'account.accountId') || null,
			isConnected: typeof isConnected === 'boolean' ? isConnected : null,
			status: textAt(record, 'status.name') || null,
			channelStatusId: typeof statusId === 'number' ? statusId : null,
			feedbackChannelId: record.feedbackChannelId === null ? '' : feedback || null,
		},
		typeNames: [typeName, typeKey].filter(Boolean).map((name) => name.toLowerCase()),
		isDeleted: valueAt(record, 'status.isTerminalDeletionState') === true,
		createdAt: textAt(record, 'createdAt'),
		stateUpdatedAt: textAt(record, 'stateUpdatedAt'),
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
