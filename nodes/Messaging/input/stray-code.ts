import { stringsIn } from '../shared/json';
import { Recent } from '../shared/recent';
import { templateOf } from './expressions';

/** A path or a call of n8n's: "Order $json.id". */
const PATH =
	/\$(?:json|input|node)\b\s*(?:\??\.[A-Za-z_$]|(?:\?\.)?\[)|\$\((?:'[^']*'|"[^"]*")\)\s*\.(?:item|first|last|all|json|params|context|isExecuted|pairedItem|itemMatching)\b|\$fromAI\s*\(/
		.source;
const BARE = new RegExp(PATH);
/** The beginnings of what n8n calls an expression, and of JavaScript's own braces. {{name}} is text. */
const EXPRESSION = /^\{\{\s*(?:\$|new Date\b|(?:DateTime|Date|JSON|Math|json)\.)/;
const TEMPLATE = new RegExp(String.raw`^\$\{\s*(?:[A-Za-z_$][\w$]*(?:\?\.|\.|\[)|${PATH})`);

/** The beginnings of what stands in such braces, up to the next brace. */
const inDouble = (text: string): readonly string[] => text.match(/\{\{[^{}]*/g) ?? [];
const inTemplate = (text: string): readonly string[] => text.match(/\$\{[^{}]*/g) ?? [];

/** What was found in fields as saved, which are the same for all items of a run. '' if there is nothing wrong. */
const reasons = new Recent<string>(100, (saved) => reasonIn(saved) ?? '');

/** Why a field as saved holds code that n8n does not evaluate, a clause that follows the field's name. */
export function strayCode(saved: unknown): string | undefined {
	if (typeof saved !== 'string') return reasonIn(saved);
	return (reasons.peek(saved) ?? reasons.use(saved)) || undefined;
}

function reasonIn(saved: unknown): string | undefined {
	const texts = stringsIn(saved);
	const isExpression = (code: string): boolean => EXPRESSION.test(code) || BARE.test(code);
	if (texts.some((text) => !text.startsWith('=') && inDouble(text).some(isExpression))) {
		return 'holds an expression, but is not in Expression mode';
	}
	if (typeof saved === 'string' && saved.startsWith('=={{')) {
		return 'begins with "=" in front of its expression';
	}
	// The texts that n8n does not evaluate: a fixed field, or what stands around expressions.
	const fixed = texts.flatMap((text) => (text.startsWith('=') ? templateOf(text).texts : [text]));
	if (fixed.some((text) => inTemplate(text).some((code) => TEMPLATE.test(code))))
		return 'holds code in ${ }, which n8n does not evaluate';
	return fixed.some((text) => BARE.test(text)) ? 'holds a path of n8n without braces around it' : undefined;
}
