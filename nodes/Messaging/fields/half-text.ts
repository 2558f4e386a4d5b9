import { hasHalf } from '../text/half';
import { InvalidParameter } from './invalid-parameter';

/**
 * Refuses text with half of a character in it, such as an emoji that an expression has cut in two: services turn it
 * into something else, or turn away the whole request without saying why.
 *
 * @param field the label of the field that it stands in
 * @throws InvalidParameter
 */
export function refuseHalf(text: string, field: string): void {
	if (!hasHalf(text)) return;
	throw new InvalidParameter(
		field,
		'has half of a character in it',
		'An emoji, or another character of two parts, was cut in two. Where an expression shortens text, have it count whole characters: {{ Array.from($json.text).slice(0, 100).join("") }}.',
	);
}
