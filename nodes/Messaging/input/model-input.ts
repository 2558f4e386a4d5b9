import type { ParameterSource } from './parameter-source';
import { InvalidParameter } from './invalid-parameter';
import { type Properties, withMembers } from './parameter-types';
import { placesIn } from '../shared/json';
import { named } from '../shared/text';

const CHOOSE = 'The model sent a value of its own. To let it choose, use $fromAI in the field.';

/** Texts are the model's task anyway. Of a collection, each member is checked. */
const FREE = /^(text|newText|message|additionalFields|options)$/;

/** The code of an expression, as n8n finds it in a text. */
const CODE = /\{\{[^]*?(?:(?<!\\)\}\}|$)/g;

/**
 * A single field of the item, read by its plain name: `$json.email` or `$json["email"]`. What is called is no field:
 * n8n gives objects methods such as `values()`.
 */
const FIELD =
	/\$json\s*(?:\??\.\s*([\p{L}_$][\p{L}\p{N}_$]*)(?![\p{L}\p{N}_$\\])|(?:\?\.)?\s*\[\s*(?:'([^'\\]*)'|"([^"\\]*)")\s*\])(?!\s*(?:\?\.\s*)?(?:\(|`|\/[*/]))/gu;

/** What an expression may use besides: what is plainly the model's, other nodes, and what has no item in it. */
const APART =
	/^\$(?:|fromA[Ii]|fromai|node|execution|workflow|prevNode|itemIndex|runIndex|nodeId|nodeVersion|now|today|tool|vars|env|secrets|if|ifEmpty|min|max|average|not|jmes[Pp]ath)$/;

/**
 * Refuses a call of a tool if an expression that decides who gets what may give something that the workflow does not
 * mean: the model's own value, or one of another item. n8n adds what a model sends to the item, so of the item, only
 * fields that the expression names may be read.
 */
export function refuseModelInput(source: ParameterSource, fields: Properties): void {
	const { toolInput } = source.caller;
	if (toolInput === undefined) return;
	const { sent, items = 1 } = toolInput;
	for (const { field, path } of withMembers(fields)) {
		if (FREE.test(path)) continue;
		const refuse = (reason: string, hint: string): never => {
			throw new InvalidParameter(field.displayName, reason, hint);
		};
		const code = codeIn(source.unresolved?.(path));
		if (items > 1 && /\)\s*\.item\b|\$(?:itemIndex|node)\b/.test(code)) {
			const hint = 'Use {{ $json.email }}, not {{ $("Node").item.json.email }}.';
			refuse(`would be the same for all ${items} items of the agent`, hint);
		}
		const names: string[] = [];
		const rest = code.replace(FIELD, (_, ...found: Array<string | undefined>) => {
			names.push(found.slice(0, 3).join(''));
			return '';
		});
		const used = rest.match(/(?<![\w$])\$(?!\d)[\w$]*|\\u|\\x24/gi) ?? [];
		if (!used.every((name) => APART.test(name))) {
			const hint = 'Name the field: {{ $json.email }}. To let the model choose, use $fromAI in the field.';
			refuse('reads the whole input, or may, and a model can add to it', hint);
		}
		const own = sent.find((each) => names.includes(each));
		if (own !== undefined) refuse(`is set by the workflow: call the tool without ${named(own)}`, CHOOSE);
	}
}

/** The code in all expressions of a parameter. */
function codeIn(unresolved: unknown): string {
	return [...placesIn(unresolved)]
		.flatMap(
			({ value }) => (typeof value === 'string' && value.startsWith('=') ? value.match(CODE) : null) ?? [],
		)
		.join('\n');
}
