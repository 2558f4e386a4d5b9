import { validateFieldType } from 'n8n-workflow';

import { OTHER_FIELDS, PARAMETERS_LABEL as LABEL, parametersFields } from '../../fields/channel-parameters';
import type { Input } from '../../input/input';
import { InvalidParameter } from '../../input/invalid-parameter';
import type { ParameterSource } from '../../input/parameter-source';
import { readingOf } from '../../input/reading';
import { refuse } from '../../input/rules';
import * as values from '../../input/values';
import { maskIn } from '../../service/secrets';
import { isEmpty, isPlainObject, type JsonObject, valueAt } from '../../shared/json';
import { channelWith } from '../records';

const FIELDS = parametersFields('channelId', { form: '', json: '' });

/** The parameters entered for a channel, in the form or as JSON; `undefined` when the JSON is empty. */
export function parametersFrom(item: Pick<Input<[]>, 'part'>): JsonObject | undefined {
	const input = item.part(FIELDS);
	const isForm = input.choice('parametersMode') === 'form';
	const entered = isForm
		? readForm(input.raw('parametersForm'), input.source, input.saved('parametersForm'))
		: input.jsonObject('parameters');
	refuseMasks(entered);
	return entered;
}

/**
 * All parameters of a channel, some of them changed, for a request that replaces all of them.
 *
 * @param list the channels as the service lists them, secrets included
 * @throws InvalidParameter if the list does not show the present values, or masks one that stays
 */
export function withPresent(entered: JsonObject, list: unknown, channelId: string): JsonObject {
	const present = valueAt(channelWith(channelId, list), 'parameters');
	if (!isPlainObject(present)) {
		const reason = "can't be changed in part: the list of channels does not show the present values";
		const hint =
			'Set Parameters Mode to JSON ("parametersMode": "json") and enter all "parameters": they replace what is there.';
		throw new InvalidParameter(LABEL, reason, hint);
	}
	const changed = { ...present, ...entered };
	refuseMasks(changed);
	return changed;
}

/**
 * The parameters entered in the form, converted to the types of its fields; empty ones are left out. The service checks
 * whether they suit the channel type.
 *
 * @param form as n8n saves it
 * @param saved its values as saved in the workflow, expressions not resolved
 */
export function readForm(form: unknown, source: ParameterSource, saved?: unknown): JsonObject {
	const { schema, value }: JsonObject = isPlainObject(form) ? form : {};
	const fields = Array.isArray(schema) ? schema.filter(isPlainObject) : [];
	if (fields.length === 0 && !isPlainObject(value)) {
		const hint =
			'Open the node to see why the form is missing, or set Parameters Mode to JSON ("parametersMode": "json").';
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
		refuseMasks(entry, label);
		refuse('text', label, readingOf(entry, valueAt(saved, [name]), source));
		if (name === OTHER_FIELDS) others = values.asJsonObject(entry, label) ?? {};
		else if (!isEmpty(entry)) entries.set(name, inTypeOf(entry, field, label, source.timezone));
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

/** Refuses what stands in place of a secret. Sending it back would replace the real secret. */
function refuseMasks(value: unknown, label = LABEL): void {
	const found = maskIn(value);
	if (found === undefined) return;
	throw new InvalidParameter(
		[label, ...found.path].join(' > '),
		`contains ${found.mask}`,
		'Enter the full value again. The node does not know it, and sending the mask would overwrite it.',
	);
}
