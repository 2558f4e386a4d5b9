import { quotedExpressions } from './expressions';
import { InvalidParameter } from './invalid-parameter';
import { type Properties, knownIn } from './parameter-types';

/** How to put data into JSON. A quote in the data would end quotes around it, and the rest could add other fields. */
export const DATA_IN_JSON =
	'Write expressions without quotes around them: "text": {{ JSON.stringify($json.text) }}, or {{ JSON.stringify($json.text ?? "") }} where the value may be missing';

/**
 * What to do about JSON that is broken, if the reason may be an expression inside quotes.
 *
 * @throws InvalidParameter for such an expression in a tool of an AI agent
 */
export function adviceOnQuotes(unresolved: unknown, label: string, isTool: boolean): string | undefined {
	if (quotedExpressions(unresolved).length === 0) return undefined;
	if (isTool) {
		const advice = `With it, a model could change other fields, such as the recipient. ${DATA_IN_JSON}.`;
		throw new InvalidParameter(label, 'has an expression inside quotes', advice);
	}
	return `An expression stands inside quotes, so a quote or a line break in its data breaks the JSON. ${DATA_IN_JSON}.`;
}

/** The labels of JSON fields with an expression inside quotes. */
export function fieldsQuotingData(
	fields: Properties,
	source: { unresolved?(path: string): unknown },
): string[] {
	const quoting = knownIn(fields)
		.filter(
			({ field, path }) => field.type === 'json' && quotedExpressions(source.unresolved?.(path)).length > 0,
		)
		.map(({ field }) => field.displayName);
	// Two fields may have one label, such as the forms of an address.
	return [...new Set(quoting)];
}
