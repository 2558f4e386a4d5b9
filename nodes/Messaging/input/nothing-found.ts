import { named } from '../shared/text';
import { codesIn } from './expressions';
import { InvalidParameter } from './invalid-parameter';
import type { ParameterSource } from './parameter-source';

/** The name under which a model that calls the tool gives a value. */
const FROM_MODEL = /\$from(?:AI|ai|Ai)\(\s*['"`]([^'"`]+)/;

/** How many fields of an item are named. */
const MOST_FIELDS = 20;

/** The words on expressions that find nothing: what to call the tool with, or which fields the item has. */
export function nothingFound(codes: readonly string[], source: ParameterSource): string {
	const given = codes.flatMap((code) => FROM_MODEL.exec(code)?.[1] ?? []);
	if (given.length > 0) return `call the tool with ${named(given.join(' and '), 100)}`;
	const each = codes.map((code) => `{{ ${named(code.trim())} }}`);
	const fields = (source.itemFields ?? []).slice(0, MOST_FIELDS);
	const isSent = fields.includes('alreadySent') ? ' was sent before, so it' : '';
	const has = fields.length > 0 ? `. This item${isSent} has: ${named(fields.join(', '), 200)}` : '';
	return `${each.join(', ')} find${each.length === 1 ? 's' : ''} nothing for this item${has}`;
}

/** The error for a field that may not be empty. It never advises what the field already holds. */
export function emptyField(
	label: string,
	hint: string,
	saved: unknown,
	source: ParameterSource,
): InvalidParameter {
	const codes = codesIn(saved);
	if (codes.length === 0) return new InvalidParameter(label, 'is empty', hint);
	const isAdvised = codes.some((code) => hint.includes(`{{ ${code.trim()} }}`));
	const advice = isAdvised ? 'Correct the expression.' : hint;
	return new InvalidParameter(label, `is empty: ${nothingFound(codes, source)}`, advice);
}
