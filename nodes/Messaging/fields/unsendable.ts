import { pathTo } from '../json/path';
import { isRounded } from '../json/rounded';
import { hasHalf } from '../text/half';
import { fieldName, type Sources } from './field-name';
import { refuseHalf } from './half-text';
import type { Properties } from './parameter-types';
import { refuseRounded } from './rounded';

/**
 * Refuses a call with a value in its body or its query that would not arrive as it was meant: half of a character, or a
 * number that was rounded.
 *
 * @param fields those of the operation, whose labels the error names
 * @param sources the parameters that fields of the body come from
 * @throws InvalidParameter
 */
export function refuseUnsendable(
	{ body, query = [] }: { body?: object; query?: ReadonlyArray<readonly [name: string, value: string]> },
	fields: Properties,
	sources?: Sources,
): void {
	let found: unknown;
	const path = pathTo(body, (value) => {
		found = value;
		return typeof value === 'string' ? hasHalf(value) : isRounded(value);
	});
	if (path !== undefined) {
		const name = fieldName(fields, path.join('.'), sources);
		refuseRounded(found, name);
		refuseHalf(String(found), name);
	}
	for (const [name, value] of query) {
		for (const part of [name, value]) refuseHalf(part, `Query Parameters > ${name}`);
	}
}
