import { namesTo, placesIn } from '../shared/json';
import { editorName, type Sources } from './field-name';
import { InvalidParameter } from './invalid-parameter';
import type { Properties } from './parameter-types';

/** Half a character: an unpaired surrogate, as in an emoji that was cut in two. It can't be encoded as UTF-8. */
const HALF = /\p{Surrogate}/u;

/**
 * Refuses a call whose body or query would not arrive as intended: with half a character, or a number that was rounded.
 * The error names the field of the operation.
 */
export function refuseUnsendable(
	{ body, query = [] }: { body?: object; query?: ReadonlyArray<readonly [name: string, value: string]> },
	fields: Properties,
	sources?: Sources,
): void {
	for (const place of placesIn(body)) {
		const isHalf = HALF.test(place.name) || (typeof place.value === 'string' && HALF.test(place.value));
		if (!isHalf && !isRounded(place.value)) continue;
		const field = editorName(fields, namesTo(place).join('.'), sources);
		refuseHalf(place.name, field);
		refuseHalf(String(place.value), field);
		refuseRounded(place.value, field);
	}
	for (const [name, value] of query) {
		for (const part of [name, value]) refuseHalf(part, `Query Parameters > ${name}`);
	}
}

/** Whether a number may have lost its last digits, because it is above 2^53. */
function isRounded(value: unknown): boolean {
	return typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
}

/** Refuses text with half a character: services replace it, or reject the request without saying why. */
export function refuseHalf(text: string, field: string): void {
	if (!HALF.test(text)) return;
	throw new InvalidParameter(
		field,
		'contains half a character',
		'An emoji was cut in two. If an expression shortens the text, let it count whole characters: {{ Array.from($json.text).slice(0, 100).join("") }}.',
	);
}

/** Refuses a number that has lost its last digits, or may have: as an id or address it would mean something else. */
export function refuseRounded(value: unknown, field: string): void {
	if (!isRounded(value)) return;
	throw new InvalidParameter(
		field,
		`contains a rounded number: ${String(value)}`,
		'Numbers with more than 15 digits lose their last digits before the node sees them. Put it in quotes. If it comes from an earlier node, change it there.',
	);
}
