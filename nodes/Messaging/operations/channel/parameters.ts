import type { INodeProperties } from 'n8n-workflow';

import { HIDDEN_SECRET, OTHER_FIELDS, rulesOf } from '../../fields/form-field';
import { fromEntry } from '../../fields/form-entry';
import { InvalidParameter } from '../../fields/invalid-parameter';
import { checkingEffort } from '../../fields/json-schema';
import { asJsonObject } from '../../fields/values';
import { holdsToken, plainName } from '../../json/key-fields';
import { isPlainObject, type JsonObject } from '../../json/plain-object';

const LABEL = 'Parameters';

/** How the parameters of a channel are entered; the operation adds the two ways. */
export const parametersMode = {
	displayName: 'Parameters Mode',
	name: 'parametersMode',
	type: 'options',
	noDataExpression: true,
	options: [
		{ name: 'Form', value: 'form', description: 'Fill in the fields that the channel type has' },
		{ name: 'JSON', value: 'json', description: 'Give all parameters as one JSON object' },
	],
	default: 'form',
	description: 'How to enter the configuration of the channel',
} as const satisfies INodeProperties;

/**
 * The form for a channel's parameters.
 *
 * @param dependsOn the parameter that decides which fields there are
 */
export function parametersForm<const Name extends string>(dependsOn: Name) {
	return {
		displayName: LABEL,
		name: 'parametersForm',
		type: 'resourceMapper',
		noDataExpression: true,
		displayOptions: { show: { parametersMode: ['form'] } },
		default: { mappingMode: 'defineBelow', value: null },
		required: true,
		description: 'The configuration of the channel, in the fields that its type has',
		typeOptions: {
			loadOptionsDependsOn: [`${dependsOn}.value`],
			resourceMapper: {
				resourceMapperMethod: 'channelParameterFields',
				mode: 'add',
				valuesLabel: LABEL,
				fieldWords: { singular: 'field', plural: 'fields' },
				addAllFields: true,
				multiKeyMatch: false,
				supportAutoMap: false,
			},
		},
	} as const satisfies INodeProperties;
}

/**
 * The parameters that were entered in the form, each checked against its part of the schema. What was left empty is
 * not among them.
 *
 * @param form the form as n8n saves it: the fields and what was entered
 * @param zone IANA name of the workflow's time zone
 * @throws InvalidParameter naming the field
 */
export function readForm(form: unknown, zone: string): JsonObject {
	const schema: unknown = isPlainObject(form) ? form.schema : undefined;
	const fields = Array.isArray(schema) ? schema.filter(isPlainObject) : [];
	const entries: unknown = isPlainObject(form) ? form.value : undefined;
	if (!isPlainObject(form) || (fields.length === 0 && !isPlainObject(entries))) {
		throw new InvalidParameter(
			LABEL,
			'has no form to read',
			'Open the node and see why the form is not there, or set Parameters Mode to JSON.',
		);
	}
	const given = asJsonObject(entries, LABEL) ?? {};
	const effort = checkingEffort();
	let result: Array<[name: string, value: unknown]> = [];
	for (const field of fields) {
		const name = String(field.id);
		const label = `${LABEL} > ${typeof field.displayName === 'string' ? field.displayName : name}`;
		const entry = Object.hasOwn(given, name) ? given[name] : undefined;
		refuseHidden(entry, label, name);
		const about = typeof field.description === 'string' ? field.description : '';
		const value = fromEntry(entry, rulesOf(field), label, about, zone, effort);
		if (value !== undefined) {
			if (name === OTHER_FIELDS) result = result.concat(Object.entries(value as JsonObject));
			else result.push([name, value]);
		} else if (field.required === true) {
			throw new InvalidParameter(label, 'is empty', 'Enter a value: the channel type requires this field.');
		}
	}
	const known = new Set(fields.map(({ id }) => id));
	for (const [name, entry] of Object.entries(given)) {
		// What a saved form has no field for, because it was written by hand, goes out as it stands.
		if (known.has(name) || entry === null || entry === '') continue;
		refuseHidden(entry, `${LABEL} > ${name}`, name);
		result.push([name, entry]);
	}
	// An assignment would take a field named __proto__ for the object's prototype.
	return Object.fromEntries(result);
}

/** An API key as results show it, in any text. */
const MASKED = /(?:acc|org)_…[^\s…"']{4}/;

/** How what is masked begins in a field that holds a key. */
const MASKED_KEY = /^(?:acc_|org_)?…/;

/**
 * Refuses what stands for a secret in results and forms of this node: read, changed and written back, it would take the
 * place of the secret.
 *
 * @param label where it stands, as the editor calls it
 * @param name the name of its field, '' when it has none
 * @param above the name of the field that the object around it stands in, '' when it stands in none
 * @throws InvalidParameter naming the field
 */
export function refuseHidden(value: unknown, label = LABEL, name = '', above = ''): void {
	if (typeof value === 'string') {
		if (value.includes(HIDDEN_SECRET)) throw hidden(label, 'has a secret in it that is not shown');
		const isKey = MASKED_KEY.test(value) && holdsToken(plainName(name), plainName(above));
		if (isKey || MASKED.test(value)) throw hidden(label, 'has an API key in it that is masked');
	} else if (Array.isArray(value)) {
		for (const [index, entry] of value.entries()) refuseHidden(entry, `${label} > ${index}`, name, above);
	} else if (typeof value === 'object' && value !== null) {
		for (const [member, content] of Object.entries(value)) {
			refuseHidden(content, `${label} > ${member}`, member, name);
		}
	}
}

function hidden(label: string, reason: string): InvalidParameter {
	return new InvalidParameter(
		label,
		reason,
		'This node does not know it. Enter all of it once more: sent like this, it would be lost.',
	);
}
