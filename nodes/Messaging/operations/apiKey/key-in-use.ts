import { Effort } from '../../json/effort';
import { isPlainObject } from '../../json/plain-object';

/** Whether an API key is the one in use, as far as the body of /Me tells. */
export type KeyInUse = 'same' | 'other' | 'unclear';

/** The names under which the id of a key stands, without case and underscores. */
const ID_NAMES: ReadonlySet<string> = new Set(['id', 'apikeyid', 'keyid']);

/** What the record of the key may be wrapped in: an id in anything else, such as an account, is another thing's. */
const WRAPPERS: ReadonlySet<string> = new Set([
	'apikey',
	'caller',
	'consumer',
	'credential',
	'current',
	'currentkey',
	'data',
	'item',
	'key',
	'me',
	'payload',
	'record',
	'response',
	'result',
	'value',
]);

/** How deep the record may lie: the interface does not show the body of /Me. */
const MAX_DEPTH = 5;
/** How many members of the body are looked at for it. */
const MOST_MEMBERS = 10_000;
/** The longest way to write a UUID, and the longest name of one, in characters. */
const LONGEST = 100;

/**
 * Compares a key's id with what /Me shows. `unclear` when /Me shows no id of the key that could be compared: then the
 * key may be the one in use.
 *
 * @param me the body of /Me, whatever it is
 * @param apiKeyId a UUID
 */
export function keyInUse(me: unknown, apiKeyId: string): KeyInUse {
	const effort = new Effort(MOST_MEMBERS);
	const ids = idsOf(me, true, 0, effort);
	if (ids.some(({ id }) => id === uuidOf(apiKeyId))) return 'same';
	// What has not been looked at may hold it.
	if (effort.spent) return 'unclear';
	return ids.some(({ isOwn }) => isOwn) ? 'other' : 'unclear';
}

interface ShownId {
	id: string;
	/** Whether it is the key's own id, and not one of something that may be anything. */
	isOwn: boolean;
}

function idsOf(value: unknown, isOwn: boolean, depth: number, effort: Effort): ShownId[] {
	if (depth > MAX_DEPTH || effort.spent) return [];
	if (Array.isArray(value)) {
		effort.spend(value.length);
		if (effort.spent) return [];
		return value.flatMap((entry) => idsOf(entry, false, depth + 1, effort));
	}
	if (!isPlainObject(value)) return [];
	const names = Object.keys(value);
	effort.spend(names.length);
	if (effort.spent) return [];
	return names.flatMap((name) => {
		const plain = name.length > LONGEST ? '' : name.toLowerCase().replace(/[^a-z]/g, '');
		const id = ID_NAMES.has(plain) ? uuidOf(value[name]) : undefined;
		return id === undefined
			? idsOf(value[name], isOwn && WRAPPERS.has(plain), depth + 1, effort)
			: [{ id, isOwn }];
	});
}

/** The digits of a UUID, however it is written; `undefined` when the value is none. */
function uuidOf(value: unknown): string | undefined {
	if (typeof value !== 'string' || value.length > LONGEST) return undefined;
	const digits = value.toLowerCase().replace(/[\s{}-]|^urn:uuid:/g, '');
	return /^[0-9a-f]{32}$/.test(digits) ? digits : undefined;
}
