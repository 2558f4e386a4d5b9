import { hasHalf, pathToHalf } from '../text/half';
import { fieldName, type Sources } from './field-name';
import { InvalidParameter } from './invalid-parameter';
import type { Properties } from './parameter-types';

/**
 * Refuses text with half of a character in it, such as an emoji that an expression has cut in two: services turn it
 * into something else, or turn away the whole request without saying why.
 *
 * @param field the label of the field that it stands in
 * @throws InvalidParameter
 */
export function refuseHalf(text: string, field: string): void {
	if (hasHalf(text)) throw halfCharacter(field);
}

/**
 * Refuses a call with such a text in its body or its query.
 *
 * @param fields those of the operation, whose labels the error names
 * @param sources the parameters that fields of the body come from
 * @throws InvalidParameter
 */
export function refuseHalves(
	{ body, query = [] }: { body?: object; query?: ReadonlyArray<readonly [name: string, value: string]> },
	fields: Properties,
	sources?: Sources,
): void {
	const path = pathToHalf(body);
	if (path !== undefined) throw halfCharacter(fieldName(fields, path.join('.'), sources));
	const part = query.find(([name, value]) => hasHalf(name) || hasHalf(value));
	if (part !== undefined) throw halfCharacter(`Query Parameters > ${part[0]}`);
}

function halfCharacter(field: string): InvalidParameter {
	return new InvalidParameter(
		field,
		'has half of a character in it',
		'An emoji, or another character of two parts, was cut in two. Where an expression shortens text, have it count whole characters: {{ Array.from($json.text).slice(0, 100).join("") }}.',
	);
}
