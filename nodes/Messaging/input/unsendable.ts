import { placesIn } from '../shared/json';
import { editorName, type Sources } from './field-name';
import { InvalidParameter } from './invalid-parameter';
import type { Properties } from './parameter-types';

/** Half a character: an unpaired surrogate, as in an emoji that was cut in two. It can't be encoded as UTF-8. */
const HALF = /\p{Surrogate}/u;

/** Refuses a call whose body would not arrive as intended. The error names the field of the operation. */
export function refuseUnsendable({ body }: { body?: object }, fields: Properties, sources?: Sources): void {
	for (const { value, path } of placesIn(body)) {
		const fault = faultOf(path.at(-1)) ?? faultOf(value);
		if (fault === undefined) continue;
		throw new InvalidParameter(editorName(fields, path.join('.'), sources), ...fault);
	}
}

/** Refuses a text or number that would not arrive as intended. */
export function refuseFaulty(value: unknown, field: string): void {
	const fault = faultOf(value);
	if (fault !== undefined) throw new InvalidParameter(field, ...fault);
}

function faultOf(value: unknown): [reason: string, hint: string] | undefined {
	// Services replace it, or reject the request without saying why.
	if (typeof value === 'string' && HALF.test(value)) {
		return [
			'contains half a character',
			'An emoji was cut in two. If an expression shortens the text, let it count whole characters: {{ Array.from($json.text).slice(0, 100).join("") }}.',
		];
	}
	// Above 2^53, a number may have lost its last digits: as an id or address it would mean something else.
	if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) {
		return [
			`contains a rounded number: ${value}`,
			'Numbers with more than 15 digits lose their last digits before the node sees them. Put it in quotes. If it comes from an earlier node, change it there.',
		];
	}
	return undefined;
}
