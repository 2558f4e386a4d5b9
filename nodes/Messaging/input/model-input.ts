import type { INodeProperties } from 'n8n-workflow';

import type { ParameterSource } from './input';
import { InvalidParameter } from './invalid-parameter';
import type { Properties } from './parameter-types';
import { named } from '../shared/text';

const CHOOSE = 'The model sent a value of its own. To let it choose, use $fromAI in the field.';

/** Texts are the model's task anyway. In collections, only the once key decides about anything. */
const FREE = ['text', 'newText', 'message', 'additionalFields', 'options'];

/**
 * Refuses a call of a tool if an expression that decides who gets what may give something that the workflow does not
 * mean: the model's own value, or one of another item.
 *
 * @throws InvalidParameter
 */
export function refuseModelInput(source: ParameterSource, fields: Properties): void {
	const { toolInput } = source;
	if (toolInput === undefined) return;
	const { sent, items = 1 } = toolInput;
	const check = ({ displayName, name }: INodeProperties, path = name): void => {
		// What is asked of the model may be anything.
		const code = JSON.stringify(source.unresolved?.(path) ?? '').replace(/\$fromAI\([^)]*\)/g, '');
		if (items > 1 && /\)\s*\.item\b|\$(?:itemIndex|node)\b/.test(code)) {
			const reason = `would be the same for all ${items} items of the agent`;
			throw new InvalidParameter(
				displayName,
				reason,
				'Use {{ $json.email }}, not {{ $("Node").item.json.email }}.',
			);
		}
		if (/\$input\b|\$json\b(?!\s*(?:\?\.|\.|\[))/.test(code)) {
			const hint = 'Name the field: {{ $json.email }}.';
			throw new InvalidParameter(displayName, 'reads the whole input, which a model can add to', hint);
		}
		if (!/\$json\b/.test(code)) return;
		const words = code.split(/\W+/);
		const own = sent.find((each) => (/\W/.test(each) ? code.includes(each) : words.includes(each)));
		if (own === undefined) return;
		const reason = `is set by the workflow: call the tool without ${named(own)}`;
		throw new InvalidParameter(displayName, reason, CHOOSE);
	};
	for (const field of fields) {
		if (!FREE.includes(field.name)) check(field);
		for (const member of field.options ?? []) {
			if ('type' in member && member.name === 'onceKey') check(member, 'options.onceKey');
		}
	}
}
