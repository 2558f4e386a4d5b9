import { defined, isPlainObject, type JsonObject, textAt, valueAt } from '../shared/json';

/** What may be remembered of a channel. The first three are compared, the others say who it was once it is removed. */
export const FACTS = ['connected', 'status', 'feedback', 'name', 'channelType', 'accountId'] as const;

export type Fact = (typeof FACTS)[number];

/** A channel as text, fact by fact; what is not known is missing. */
export type Facts = Readonly<Partial<Record<Fact, string>>>;

/** The two values of the fact `connected`. */
export const CONNECTED = 'yes';
export const DISCONNECTED = 'no';

/** The value of the fact `feedback` of a channel that has no feedback channel. */
export const NO_FEEDBACK = '';

/** A channel as one list shows it. */
export interface Channel {
	/** As the service writes it. */
	readonly channelId: string;
	readonly facts: Facts;
	/** The names and keys of its type, in lower case: the filter may have any of them. */
	readonly typeNames: readonly string[];
	/** Whether the service says that it is deleted for good: it counts as not listed. */
	readonly isDeleted: boolean;
	/** '' when not known, as is the next. */
	readonly createdAt: string;
	readonly stateUpdatedAt: string;
}

/** The service's list of channels, as far as it can be read. */
export interface ChannelList {
	/** The channels by `keyOf`, in the list's order. */
	readonly channels: ReadonlyMap<string, Channel>;
	/** How many entries do not say which channel they are about. */
	readonly nameless: number;
	/** Whether the service answered with nothing at all, which is how some say that there are none. */
	readonly isNothing: boolean;
}

/** Reads the body of the list; `undefined` when it is no list. Nothing at all is an empty one. */
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
		const key = keyOf(channel.channelId);
		const twin = channels.get(key);
		channels.set(key, twin === undefined ? channel : merged(twin, channel));
	}
	return { channels, nameless, isNothing: body === undefined || body === null };
}

/**
 * A channel by its record in the list; `undefined` when the record does not say which channel it is. The interface does
 * not say which fields are always there: what is missing or null is not known, and what is not known is no change.
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

/** The name under which a channel is remembered: the service may write a UUID in either case. */
export function keyOf(channelId: string): string {
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
	// A status that is given another name is still the same one.
	if (first.id !== null && second.id !== null) return first.id === second.id;
	// One that shows only its number can't be compared with one that shows only its name: no change that is known of.
	return first.name === null || second.name === null || first.name === second.name;
}

/** Of two values that are the same, the one to remember: the newer, unless it says less of a status. */
export function fuller(fact: Fact, known: string, value: string): string {
	if (fact !== 'status') return value;
	const { id, name } = statusParts(value);
	return id === null || name === null ? known : value;
}

/**
 * What a list says that has a channel twice. Where the two entries disagree nothing is known: which one is right can't
 * be told, and the service may swap them at any time.
 */
function merged(one: Channel, other: Channel): Channel {
	const agreed = Object.entries(one.facts).filter(([fact, value]) => other.facts[fact as Fact] === value);
	return { ...one, facts: Object.fromEntries(agreed), isDeleted: one.isDeleted && other.isDeleted };
}

function feedbackOf({ feedbackChannelId }: JsonObject): string | undefined {
	if (feedbackChannelId === null) return NO_FEEDBACK;
	return typeof feedbackChannelId === 'string' ? keyOf(feedbackChannelId) : undefined;
}
