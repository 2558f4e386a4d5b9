import { defined, isPlainObject, type JsonObject, textAt, valueAt } from '../shared/json';

/** What is remembered about a channel. Only the first three are compared; the others describe it after its removal. */
export const FACTS = ['connected', 'status', 'feedback', 'name', 'channelType', 'accountId'] as const;

export type Fact = (typeof FACTS)[number];

/** The facts about a channel as text; unknown ones are missing. */
export type Facts = Readonly<Partial<Record<Fact, string>>>;

/** The values of the fact `connected`. */
export const CONNECTED = 'yes';
export const DISCONNECTED = 'no';

/** The fact `feedback` of a channel without a feedback channel. */
export const NO_FEEDBACK = '';

/** A channel as the service's list shows it. */
export interface Channel {
	/** As the service spells it. */
	readonly channelId: string;
	readonly facts: Facts;
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
	/** Whether the answer was empty. Some services answer like this when there are no channels. */
	readonly isNothing: boolean;
}

/** Reads the body of the list; `undefined` if it is not a list. An empty body is an empty list. */
export function readChannels(body: unknown): ChannelList | undefined {
	const records: unknown = body ?? [];
	if (!Array.isArray(records)) return undefined;
	const channels = new Map<string, Channel>();
	let nameless = 0;
	for (const record of records as unknown[]) {
		const channel = isPlainObject(record) ? channelOf(record) : undefined;
		if (channel === undefined) {
			nameless += 1;
			continue;
		}
		const key = channelKey(channel.channelId);
		const twin = channels.get(key);
		channels.set(key, twin === undefined ? channel : merged(twin, channel));
	}
	return { channels, nameless, isNothing: body === undefined || body === null };
}

/**
 * A channel from its record in the list; `undefined` without a channel ID. Any field may be missing or null. It then
 * counts as unknown, not as changed.
 */
export function channelOf(record: JsonObject): Channel | undefined {
	const channelId = textAt(record, 'channelId');
	if (channelId === '') return undefined;
	const typeName = textAt(record, 'channelType.name') || textAt(record, 'provider.channelTypeName');
	const typeKey = textAt(record, 'channelType.key') || textAt(record, 'provider.channelTypeKey');
	const { isConnected } = record;
	const statusId = valueAt(record, 'status.channelStatusId');
	const status = `${typeof statusId === 'number' ? statusId : ''}:${textAt(record, 'status.name')}`;
	return {
		channelId,
		facts: defined<Facts>({
			connected: typeof isConnected === 'boolean' ? (isConnected ? CONNECTED : DISCONNECTED) : undefined,
			status: status === ':' ? undefined : status,
			feedback: feedbackOf(record),
			name: textAt(record, 'name') || undefined,
			channelType: typeName || typeKey || undefined,
			accountId: textAt(record, 'accountId') || textAt(record, 'account.accountId') || undefined,
		}),
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

/** The number and the name of a status, either of which may be missing. */
export function statusParts(status: string): { id: number | null; name: string | null } {
	const colon = status.indexOf(':');
	const [number, name] = [status.slice(0, colon), status.slice(colon + 1)];
	return { id: number === '' ? null : Number(number), name: name === '' ? null : name };
}

/** Whether two values of a fact are the same. */
export function isSame(fact: Fact, one: string, other: string): boolean {
	if (fact !== 'status' || one === other) return one === other;
	const [first, second] = [statusParts(one), statusParts(other)];
	// A renamed status is still the same status.
	if (first.id !== null && second.id !== null) return first.id === second.id;
	// A status with only a number can't be compared with one that has only a name, so no change is assumed.
	return first.name === null || second.name === null || first.name === second.name;
}

/** Which of two equal values to remember: the newer one, unless it is an incomplete status. */
export function fuller(fact: Fact, known: string, value: string): string {
	if (fact !== 'status') return value;
	const { id, name } = statusParts(value);
	return id === null || name === null ? known : value;
}

/**
 * One channel from two entries with the same ID. Facts in which they differ count as unknown: it is not known which
 * entry is right, and their order may change.
 */
function merged(one: Channel, other: Channel): Channel {
	const agreed = Object.entries(one.facts).filter(([fact, value]) => other.facts[fact as Fact] === value);
	return { ...one, facts: Object.fromEntries(agreed), isDeleted: one.isDeleted && other.isDeleted };
}

function feedbackOf({ feedbackChannelId }: JsonObject): string | undefined {
	if (feedbackChannelId === null) return NO_FEEDBACK;
	return typeof feedbackChannelId === 'string' ? channelKey(feedbackChannelId) : undefined;
}
