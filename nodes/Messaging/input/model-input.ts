import type { ParameterSource } from './parameter-source';
import { InvalidParameter } from './invalid-parameter';
import { type Properties, withMembers } from './parameter-types';
import { named } from '../shared/text';

const CHOOSE = 'The model sent a value of its own. To let it choose, use $fromAI in the field.';

/** Texts are the model's task anyway. Of a collection, each member is checked. */
const FREE = /^(text|newText|message|additionalFields|options)$/;

/**
 * Refuses a call of a tool if an expression that decides who gets what may give something that the workflow does not
 * mean: the model's own value, or one of another item.
 */
export function refuseModelInput(source: ParameterSource, fields: Properties): void {
	const { toolInput } = source;
	if (toolInput === undefined) return;
	const { sent, items = 1 } = toolInput;
	for (const { field, path } of withMembers(fields)) {
		if (FREE.test(path)) continue;
		const refuse = (reason: string, hint: string): never => {
			throw new InvalidParameter(field.displayName, reason, hint);
		};
		// What is asked of the model may be anything.
		const code = JSON.stringify(source.unresolved?.(path) ?? '').replace(/\$fromAI\([^)]*\)/g, '');
		if (items > 1 && /\)\s*\.item\b|\$(?:itemIndex|node)\b/.test(code)) {
			const hint = 'Use {{ $json.email }}, not {{ $("Node").item.json.email }}.';
			refuse(`would be the same for all ${items} items of the agent`, hint);
		}
		if (/\$input\b|\$json\b(?!\s*(?:\?\.|\.|\[))/.test(code)) {
			refuse('reads the whole input, which a model can add to', 'Name the field: {{ $json.email }}.');
		}
		if (!/\$json\b/.test(code)) continue;
		const words = code.split(/\W+/);
		const own = sent.find((each) => (/\W/.test(each) ? code.includes(each) : words.includes(each)));
		if (own !== undefined) refuse(`is set by the workflow: call the tool without ${named(own)}`, CHOOSE);
	}
}
