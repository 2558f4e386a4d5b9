import { isRounded } from '../json/rounded';
import { InvalidParameter } from './invalid-parameter';

/**
 * Refuses a number that is not what was meant any more: as an id or an address it would name something else.
 *
 * @param field the label of the field that it stands in
 * @throws InvalidParameter
 */
export function refuseRounded(value: unknown, field: string): void {
	if (!isRounded(value)) return;
	throw new InvalidParameter(
		field,
		`holds a number that was rounded: ${String(value)}`,
		'Numbers of more than 15 digits lose their last ones before they get here. Give it as text, in quotes: in the node before this one, if it comes from there.',
	);
}
