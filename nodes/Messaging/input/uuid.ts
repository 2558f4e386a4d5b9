import { isUuid } from '../shared/uuid';
import { InvalidParameter } from './invalid-parameter';
import { isEmpty, misfit } from './values';

/** A UUID for examples. */
export const UUID_EXAMPLE = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

/** The advice for any other field. */
export const COPY_IT = 'Copy the whole ID from the service.';
/** The advice for a field with a list. */
export const CHOOSE_IT =
	'Switch the field to From List and choose it by its name, or copy the whole ID from the service. An expression has to give the ID, not the name.';

/**
 * A UUID, without surrounding spaces; `undefined` when empty.
 *
 * @param advice what to do about anything else
 * @param reason what is wrong with it, if not what it is
 */
export function asUuid(value: unknown, field: string, advice = COPY_IT, reason?: string): string | undefined {
	if (isEmpty(value)) return undefined;
	if (isUuid(value)) return value.trim();
	const hint = `A UUID looks like ${UUID_EXAMPLE}. ${advice}`;
	throw reason === undefined
		? misfit(value, field, 'a UUID', hint)
		: new InvalidParameter(field, reason, hint);
}

/**
 * One or more UUIDs, in order and each once: one id, a comma-separated list, a list from an expression, or one as JSON.
 *
 * @param reason what is wrong with anything else, if not what it is
 */
export function asUuidList(value: unknown, field: string, reason?: string): string[] {
	const entries: unknown[] =
		typeof value === 'string' ? value.replace(/["[\]]/g, '').split(',') : [value].flat();
	const advice = `${COPY_IT} Separate several IDs by commas.`;
	const uuids = entries.flatMap((entry) => asUuid(entry, field, advice, reason) ?? []);
	if (uuids.length > 0) return eachOnce(uuids);
	throw new InvalidParameter(
		field,
		'is empty',
		'Enter one ID, several IDs separated by commas, or a list from an expression.',
	);
}

/** UUIDs in order, without repetitions. Upper and lower case are the same; the first spelling stays. */
export function eachOnce(uuids: readonly string[]): string[] {
	const firsts = new Map<string, string>();
	for (const uuid of uuids) if (!firsts.has(uuid.toLowerCase())) firsts.set(uuid.toLowerCase(), uuid);
	return [...firsts.values()];
}
