import { isUuid } from '../fields/uuid';
import { textAt, valueAt } from '../json/path';
import { sameCase } from '../text/fold';
import type { JsonObject } from '../json/plain-object';
import { type Aspect, CONNECTED, DISCONNECTED } from './events';

/**
 * What one list shows of a channel. The interface does not say which fields are always there: what is missing or null
 * is not known, and what is not known is no change.
 */
export interface Sighting {
	/** As the service writes it. */
	readonly channelId: string;
	/** '' when not known, as with all texts here. */
	readonly name: string;
	/** Its name, or its key where it has no name. */
	readonly channelType: string;
	/** The names and keys under which its type may be asked for, as `sameCase` gives them. */
	readonly typeNames: readonly string[];
	readonly accountId: string;
	/** Its state, aspect by aspect; only what is known. */
	readonly state: Readonly<Partial<Record<Aspect, string>>>;
	/** Whether the service says that it is deleted for good: such a channel counts as one that is not listed. */
	readonly isDeleted: boolean;
	readonly createdAt: string;
	readonly stateUpdatedAt: string;
}

/** The word that stands for "no feedback channel". */
export const NO_FEEDBACK = '-';

/** How much of the name of a type is compared. */
const LONGEST_TYPE = 1_000;

/** A channel by its record in the list; `undefined` when the record does not say which channel it is. */
export function sightingOf(record: JsonObject): Sighting | undefined {
	const channelId = textAt(record, 'channelId');
	if (channelId === '') return undefined;
	const typeName = textAt(record, 'channelType.name') || textAt(record, 'provider.channelTypeName');
	const typeKey = textAt(record, 'channelType.key') || textAt(record, 'provider.channelTypeKey');
	const [connected, status, feedback] = [connectedOf(record), statusOf(record), feedbackOf(record)];
	return {
		channelId,
		name: textAt(record, 'name'),
		channelType: typeName || typeKey,
		typeNames: [typeName, typeKey].filter(Boolean).map((name) => sameCase(name.slice(0, LONGEST_TYPE))),
		accountId: textAt(record, 'accountId') || textAt(record, 'account.accountId'),
		state: {
			...(connected !== undefined && { connected }),
			...(status !== undefined && { status }),
			...(feedback !== undefined && { feedback }),
		},
		isDeleted: valueAt(record, 'status.isTerminalDeletionState') === true,
		createdAt: textAt(record, 'createdAt'),
		stateUpdatedAt: textAt(record, 'stateUpdatedAt'),
	};
}

/**
 * One sighting of a channel that a list has twice. What the two entries do not agree on is not known: which one is
 * right can't be told, and the service may turn their order around at any time.
 */
export function merged(one: Sighting, other: Sighting): Sighting {
	const agreed = Object.entries(one.state).filter(
		([aspect, value]) => other.state[aspect as Aspect] === value,
	);
	return { ...one, state: Object.fromEntries(agreed), isDeleted: one.isDeleted && other.isDeleted };
}

/** Under which name a channel is remembered: UUIDs may come in either case. */
export function keyOf({ channelId }: Pick<Sighting, 'channelId'>): string {
	return isUuid(channelId) ? channelId.toLowerCase() : channelId;
}

function connectedOf(record: JsonObject): string | undefined {
	const value = record.isConnected;
	if (typeof value !== 'boolean') return undefined;
	return value ? CONNECTED : DISCONNECTED;
}

/** A status as `number:name`, either of which may be missing. */
function statusOf(record: JsonObject): string | undefined {
	const id = valueAt(record, 'status.channelStatusId');
	const name = textAt(record, 'status.name');
	const number = typeof id === 'number' ? String(id) : '';
	return number === '' && name === '' ? undefined : `${number}:${name}`;
}

/** The number and the name of a status that is written as `number:name`. */
export function statusParts(status: string): { id: number | null; name: string | null } {
	const colon = status.indexOf(':');
	const [number, name] = [status.slice(0, colon), status.slice(colon + 1)];
	return { id: number === '' ? null : Number(number), name: name === '' ? null : name };
}

function feedbackOf(record: JsonObject): string | undefined {
	const { feedbackChannelId } = record;
	if (feedbackChannelId === null) return NO_FEEDBACK;
	if (typeof feedbackChannelId !== 'string') return undefined;
	const text = feedbackChannelId.trim();
	return text === '' ? NO_FEEDBACK : keyOf({ channelId: text });
}

/** Whether two values of an aspect are the same state. */
export function isSame(aspect: Aspect, one: string, other: string): boolean {
	if (aspect !== 'status' || one === other) return one === other;
	const [first, second] = [statusParts(one), statusParts(other)];
	// A status that is given another name is still the same one.
	if (first.id !== null && second.id !== null) return first.id === second.id;
	// Of which one shows only the number and the other only the name can't be compared: no change that is known of.
	return first.name === null || second.name === null || first.name === second.name;
}

/** Of two values that are the same state, the one to remember: the newer, unless it says less of a status. */
export function fuller(aspect: Aspect, known: string, value: string): string {
	if (aspect !== 'status') return value;
	const { id, name } = statusParts(value);
	return id === null || name === null ? known : value;
}
