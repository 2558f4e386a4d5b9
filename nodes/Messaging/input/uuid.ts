import { isUuid } from '../shared/uuid';
import { isEmpty, misfit } from './values';

/** A UUID for examples. */
export const UUID_EXAMPLE = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

/** The advice for a field with a list, for any other, and for one that takes several. */
export const CHOOSE_IT =
	'Switch the field to From List ("mode": "list") and choose it, or copy the whole ID from the service. An expression has to give the ID. For the name of a channel or account, switch the field to By Name ("mode": "name").';
export const COPY_IT = 'Copy the whole ID from the service.';
export const ENTER_THEM = 'Enter one ID, several IDs separated by commas, or a list from an expression.';

/**
 * A UUID, without surrounding spaces; `undefined` when empty.
 *
 * @param advice what to do about anything else
 */
export function asUuid(value: unknown, field: string, advice = COPY_IT): string | undefined {
	if (isEmpty(value)) return undefined;
	if (isUuid(value)) return value.trim();
	throw misfit(value, field, 'a UUID', `A UUID looks like ${UUID_EXAMPLE}. ${advice}`);
}

/** UUIDs, in order and each once: one id, a comma-separated list, a list from an expression, or one as JSON. */
export function asUuidList(value: unknown, field: string): string[] {
	const entries: unknown[] =
		typeof value === 'string' ? value.replace(/["[\]]/g, '').split(',') : [value].flat();
	const seen = new Set<string>();
	// Upper and lower case are the same; the first spelling stays.
	return entries
		.flatMap((entry) => asUuid(entry, field, ENTER_THEM) ?? [])
		.filter((uuid) => seen.size < seen.add(uuid.toLowerCase()).size);
}
