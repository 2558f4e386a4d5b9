import { validateFieldType } from 'n8n-workflow';

import { OTHER_FIELDS, PARAMETERS_LABEL as LABEL, parametersFields } from '../../fields/channel-parameters';
import type { Input } from '../../input/input';
import { InvalidParameter } from '../../input/invalid-parameter';
import * as values from '../../input/values';
import { isPlainObject, type JsonObject, placesIn } from '../../shared/json';
import { HIDDEN_SECRET } from '../../shared/text';

const FIELDS = parametersFields('channelId', { description: '' });

/** The parameters of a channel, from the form or from JSON; `undefined` when the JSON is empty. */
export function parametersFrom(item: Pick<Input<[]>, 'part'>): JsonObject | undefined {
	const input = item.part(FIELDS);
	const isForm = input.choice('parametersMode') === 'form';
	const parameters = isForm
		? readForm(input.raw('parametersForm'), input.source.timezone)
		: input.jsonObject('parameters');
	refuseHidden(parameters);
	return parameters;
}

/**
 * The parameters entered in the form, converted to the types of its fields; empty ones are left out. The service checks
 * whether they suit the channel type.
 *
 * @param form as n8n saves it
 */
export function readForm(form: unknown, zone: string): JsonObject {
	const { schema, value }: JsonObject = isPlainObject(form) ? form : {};
	const fields = Array.isArray(schema) ? schema.filter(isPlainObject) : [];
	if (fields.length === 0 && !isPlainObject(value)) {
		const hint = 'Open the node to see why the form is missing, or set Parameters Mode to JSON.';
		throw new InvalidParameter(LABEL, 'has no form', hint);
	}
	// A form written by hand may have values without fields; they are sent unchanged.
	const entries = new Map(Object.entries(values.asJsonObject(value, LABEL) ?? {}));
	let others: JsonObject = {};
	for (const field of fields) {
		const name = String(field.id);
		const label = `${LABEL} > ${typeof field.displayName === 'string' ? field.displayName : name}`;
		const entry = entries.get(name);
		entries.delete(name);
		refuseHidden(entry, label);
		if (values.isEmpty(entry)) continue;
		if (name === OTHER_FIELDS) others = values.asJsonObject(entry, label) ?? {};
		else entries.set(name, inTypeOf(entry, field, label, zone));
	}
	for (const [name, entry] of entries) if (entry === null || entry === '') entries.delete(name);
	return Object.fromEntries([...entries, ...Object.entries(others)]);
}

/** A value converted to the type of its field, if it can be. It may be a secret, so errors quote only dates. */
function inTypeOf(entry: unknown, { type, options }: JsonObject, label: string, zone: string): unknown {
	switch (type) {
		case 'dateTime':
			return values.asTimestamp(entry, label, zone);
		case 'object':
			return values.asJsonObject(entry, label);
		case 'array':
			return values.asJsonList(entry, label, '["one", "two"]');
		case 'number':
		case 'boolean': {
			const result = validateFieldType(label, entry, type);
			// n8n would convert a list with one entry, or none, to a number.
			return result.valid && typeof entry !== 'object' ? result.newValue : entry;
		}
		case 'options': {
			const choices = Array.isArray(options) ? options.filter(isPlainObject) : [];
			const chosen = choices.find(({ value }) => String(value) === String(entry));
			return chosen === undefined ? entry : chosen.value;
		}
		default:
			return values.asText(entry, label);
	}
}

/** A masked API key: anywhere in a text, or on its own, where it may be short or without a prefix. */
const MASKED = /(?:acc|org)_…[^\s…"']{4}|^(?:acc_|org_)?…\S{0,4}$/;

/** Refuses masked secrets. Results and forms show them, and sending one back would replace the real secret. */
function refuseHidden(value: unknown, label = LABEL): void {
	for (const { value: text, path } of placesIn(value)) {
		if (typeof text !== 'string') continue;
		const isHidden = text.includes(HIDDEN_SECRET);
		if (!isHidden && !MASKED.test(text)) continue;
		throw new InvalidParameter(
			[label, ...path].join(' > '),
			isHidden ? 'contains a hidden secret' : 'contains a masked API key',
			'Enter the full value again. The node does not know it, and sending the mask would overwrite it.',
		);
	}
}
