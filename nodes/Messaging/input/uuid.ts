import { InvalidParameter } from './invalid-parameter';
import { isEmpty, shown } from './values';

const DIGITS = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}';

/** Matches a UUID of any version, with spaces around it allowed. n8n's editor uses it too. */
export const UUID_PATTERN = `^\\s*${DIGITS}\\s*$`;

const UUID = new RegExp(UUID_PATTERN);

/** Whether a value is the text of a UUID. */
export function isUuid(value: unknown): value is string {
	return typeof value === 'string' && UUID.test(value);
}

/** A UUID for examples. */
export const UUID_EXAMPLE = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

/** How the user enters an ID: from a list, typed in, or several at once. Errors give advice for each. */
export type IdEntry = 'list' | 'typed' | 'several';

const UUID_ADVICE: Readonly<Record<IdEntry, { wrong: string; empty: string }>> = {
	list: {
		wrong: 'Copy the whole ID from the service, or pick the entry from the list.',
		empty:
			'Pick an entry from the list or enter its UUID. If it is an expression, check that it finds one for this item.',
	},
	typed: {
		wrong: 'Copy the whole ID from the service.',
		empty: 'Enter the UUID. If it is an expression, check that it finds one for this item.',
	},
	several: {
		wrong: 'Copy the whole ID from the service. Separate several IDs by commas, without quotes or brackets.',
		empty: 'Enter one ID, several IDs separated by commas, or a list from an expression.',
	},
};

/** A UUID, without surrounding spaces; `undefined` when empty. */
export function asUuid(value: unknown, field: string, entry: IdEntry = 'typed'): string | undefined {
	if (isEmpty(value)) return undefined;
	if (isUuid(value)) return value.trim();
	throw new InvalidParameter(
		field,
		`needs a UUID, but ${shown(value)}`,
		`A UUID looks like ${UUID_EXAMPLE}. ${UUID_ADVICE[entry].wrong}`,
	);
}

/** A UUID that may not be empty. */
export function asRequiredUuid(value: unknown, field: string, entry: IdEntry = 'typed'): string {
	const uuid = asUuid(value, field, entry);
	if (uuid !== undefined) return uuid;
	throw new InvalidParameter(field, 'is empty', UUID_ADVICE[entry].empty);
}

/** One or more UUIDs, in order and each once: one id, a comma-separated list, or a list from an expression. */
export function asUuidList(value: unknown, field: string): string[] {
	const entries: unknown[] = Array.isArray(value)
		? value
		: typeof value === 'string'
			? value.split(',')
			: [value];
	const uuids = entries.flatMap((entry) => asUuid(entry, field, 'several') ?? []);
	if (uuids.length > 0) return eachOnce(uuids);
	throw new InvalidParameter(field, 'is empty', UUID_ADVICE.several.empty);
}

/** UUIDs in order, without repetitions. Upper and lower case are the same; the first spelling stays. */
export function eachOnce(uuids: readonly string[]): string[] {
	const firsts = new Map<string, string>();
	for (const uuid of uuids) if (!firsts.has(uuid.toLowerCase())) firsts.set(uuid.toLowerCase(), uuid);
	return [...firsts.values()];
}
