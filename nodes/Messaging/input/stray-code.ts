import { placesIn } from '../shared/json';
import { templateOf } from './expressions';

/** A path or a call of n8n's: "Order $json.id". */
const PATH = /\$(?:json|input|node)\b\s*(?:\?\.|[.[])|\$\((?:'[^']*'|"[^"]*")\)\s*\.|\$fromAI\s*\(/.source;
/** What n8n calls an expression, in a field that is not in Expression mode. In other braces, such as {{name}}, it is text. */
const EXPRESSION = new RegExp(
	String.raw`\{\{(?:\s*(?:\$|new Date\b|(?:DateTime|Date|JSON|Math|json)\.)|[^{}]*(?:${PATH}))`,
);
/** The same in JavaScript's own braces: "${order.name}". */
const TEMPLATE = new RegExp(String.raw`\$\{\s*(?:[A-Za-z_$][\w$]*(?:\?\.|\.|\[)|${PATH})`);
const BARE = new RegExp(PATH);

/** Why a field as saved holds code that n8n does not evaluate, a clause that follows the field's name. */
export function strayCode(saved: unknown): string | undefined {
	const texts = textsOf(saved);
	if (texts.some((text) => !text.startsWith('=') && EXPRESSION.test(text))) {
		return 'holds an expression, but is not in Expression mode';
	}
	if (typeof saved === 'string' && saved.startsWith('=={{')) {
		return 'begins with "=" in front of its expression';
	}
	// What goes out as it is: a fixed text, or those around expressions.
	const fixed = texts.flatMap((text) => (text.startsWith('=') ? templateOf(text).texts : [text]));
	if (fixed.some((text) => TEMPLATE.test(text))) return 'holds code in ${ }, which n8n does not evaluate';
	return fixed.some((text) => BARE.test(text)) ? 'holds a path of n8n without braces around it' : undefined;
}

/** A field as saved, or the texts in it. */
function textsOf(saved: unknown): readonly string[] {
	return [...placesIn(saved)].flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
}
