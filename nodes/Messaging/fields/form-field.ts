import type { ResourceMapperField } from 'n8n-workflow';

import { parseJson } from '../json/parse';
import { isPlainObject, type JsonObject } from '../json/plain-object';

/** One field of a form made from a JSON Schema. n8n saves it in the workflow, with all its members. */
export interface FormField extends ResourceMapperField {
	/** What a value has to fit, as JSON text: part of a JSON Schema. As text, n8n finds no expression in it. */
	rules: string;
	/** What the field is for. n8n's forms have no place for it yet; it is said when a value does not fit. */
	description?: string;
}

/** The id of the field for everything that has no field of its own, as a JSON object. */
export const OTHER_FIELDS = '*';

/** What stands in a form for a secret that there is: the secret itself must not get into the workflow. */
export const HIDDEN_SECRET = '••••••••';

/** What a saved field's value has to fit; any value of the field's kind where the rules are lost. */
export function rulesOf(field: Readonly<JsonObject>): JsonObject {
	const rules = typeof field.rules === 'string' ? parseJson(field.rules)?.value : undefined;
	if (isPlainObject(rules)) return rules;
	// Edited by hand: the field's kind is still there.
	const kind = field.type;
	return kind === 'number' || kind === 'boolean' || kind === 'object' || kind === 'array'
		? { type: kind }
		: kind === 'options'
			? {}
			: { type: 'string' };
}
