import { isRounded } from '../shared/json';
import { fieldName, type Sources } from './field-name';
import { InvalidParameter } from './invalid-parameter';
import type { Properties } from './parameter-types';
import { namesTo, placesIn } from './places';

/** Half of a character: a surrogate without its partner, as in an emoji that was cut in two. It can't be sent as UTF-8. */
const HALF = /\p{Surrogate}/u;

/**
 * Refuses a call with something in its body or its query that would not arrive as it was meant: half of a character, or
 * a number that was rounded.
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
	for (const place of placesIn(body)) {
		const isHalf = HALF.test(place.name) || (typeof place.value === 'string' && HALF.test(place.value));
		if (!isHalf && !isRounded(place.value)) continue;
		const field = fieldName(fields, namesTo(place).join('.'), sources);
		refuseHalf(place.name, field);
		refuseHalf(String(place.value), field);
		refuseRounded(place.value, field);
	}
	for (const [name, value] of query) {
		for (const part of [name, value]) refuseHalf(part, `Query Parameters > ${name}`);
	}
}

/**
 * Refuses text with half of a character in it: services put something else in its place, or turn the request away
 * without saying why.
 */
export function refuseHalf(text: string, field: string): void {
	if (!HALF.test(text)) return;
	throw new InvalidParameter(
		field,
		'has half of a character in it',
		'An emoji, or another character of two parts, was cut in two. Where an expression shortens text, have it count whole characters: {{ Array.from($json.text).slice(0, 100).join("") }}.',
	);
}

/** Refuses a number that has lost its last digits, or may have: as an id or an address it would name something else. */
export function refuseRounded(value: unknown, field: string): void {
	if (!isRounded(value)) return;
	throw new InvalidParameter(
		field,
		`holds a number that was rounded: ${String(value)}`,
		'Numbers of more than 15 digits lose their last ones before they get here. Give it as text, in quotes: in the node before this one, if it comes from there.',
	);
}
