import type { INodeProperties } from 'n8n-workflow';

import { OTHER_FIELDS, rulesOf } from '../../fields/form-field';
import { fromEntry } from '../../fields/form-entry';
import { InvalidParameter } from '../../fields/invalid-parameter';
import { checkingEffort } from '../../fields/json-schema';
import { asJsonObject } from '../../fields/values';
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
		if (!known.has(name) && entry !== null && entry !== '') result.push([name, entry]);
	}
	// An assignment would take a field named __proto__ for the object's prototype.
	return Object.fromEntries(result);
}
