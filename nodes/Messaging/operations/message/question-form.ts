import type { INodeProperties } from 'n8n-workflow';

import type { QuestionField, QuestionFieldType } from '../../question/question';
import { choiceField, flagField, groupField, textField } from '../../fields/builders';
import { Input } from '../../input/input';
import { InvalidParameter } from '../../input/invalid-parameter';
import { asJsonList, asJsonObject, refuseRepeated } from '../../input/values';
import { named } from '../../shared/text';

const FIELD_EXAMPLE = '{"fieldLabel": "Reason", "fieldType": "text", "requiredField": true}';
const FORM_EXAMPLE = `[${FIELD_EXAMPLE}]`;

/** The field types with options to choose from. */
const CHOOSING: readonly QuestionFieldType[] = ['checkbox', 'dropdown', 'radio'];

/** The output field for the time of the answer. */
const TAKEN = 'respondedAt';

/** The settings of a form field, named as in n8n's own forms. */
const members = [
	textField({
		displayName: 'Label',
		name: 'fieldLabel',
		description: 'The label above the field. The output has the answer under this name.',
		placeholder: 'What is your name?',
		required: true,
	}),
	choiceField({
		displayName: 'Element Type',
		name: 'fieldType',
		description: 'The kind of field',
		default: 'text',
		choices: {
			checkbox: ['Checkboxes', 'Any number of options'],
			date: 'A day',
			dropdown: 'One option of a list',
			email: 'An email address',
			number: 'A number, decimals allowed',
			radio: ['Radio Buttons', 'One option, all of them visible'],
			text: ['Text Input', 'A line of text'],
			textarea: 'Several lines of text',
		},
	}),
	groupField({
		name: 'fieldOptions',
		description: 'The options to choose from',
		displayOptions: { show: { fieldType: [...CHOOSING] } },
		typeOptions: { multipleValues: true, sortable: true },
		placeholder: 'Add Field Option',
		default: { values: [{ option: '' }] },
		values: [textField({ name: 'option', description: 'One of the options', placeholder: 'By mail' })],
	}),
	flagField({ name: 'requiredField', description: 'Whether the field must be filled in to send the form' }),
	textField({
		displayName: 'Custom Field Name',
		name: 'fieldName',
		description: 'Its name in the output, in place of the label',
		placeholder: 'reason',
	}),
	textField({
		name: 'placeholder',
		description: 'An example of what to enter, shown while the field is empty',
		placeholder: 'Ada',
		displayOptions: { show: { fieldType: ['email', 'number', 'text', 'textarea'] } },
	}),
	textField({
		name: 'defaultValue',
		description:
			'What is in the field at first. Options as they are written, several checkboxes with commas between them, a date as year, month and day (2030-01-31).',
		placeholder: 'Ada',
	}),
] as const satisfies INodeProperties[];

/** A form that the user defines, row by row or as JSON. */
export const formElements = [
	choiceField({
		name: 'defineForm',
		description: 'How to define the fields of the form',
		default: 'fields',
		noDataExpression: true,
		displayOptions: { show: { responseType: ['customForm'] } },
		choices: {
			fields: ['Using Fields Below', 'Add one field after the other'],
			json: ['Using JSON', 'Enter all fields as one JSON list'],
		},
	}),
	groupField({
		displayName: 'Form Elements',
		name: 'formFields',
		description: 'The fields of the form, in order',
		typeOptions: { multipleValues: true, sortable: true },
		displayOptions: { show: { responseType: ['customForm'], defineForm: ['fields'] } },
		required: true,
		placeholder: 'Add Form Element',
		values: members,
	}),
	{
		displayName: 'Form Fields',
		name: 'jsonOutput',
		type: 'json',
		typeOptions: { rows: 8 },
		displayOptions: { show: { responseType: ['customForm'], defineForm: ['json'] } },
		required: true,
		default:
			'[\n\t{ "fieldLabel": "Reason", "fieldType": "textarea", "requiredField": true },\n\t{\n\t\t"fieldLabel": "Ship By",\n\t\t"fieldType": "dropdown",\n\t\t"fieldOptions": { "values": [{ "option": "Mail" }, { "option": "Courier" }] }\n\t}\n]',
		description: `The fields of the form as a JSON list, e.g. ${FORM_EXAMPLE}. A field can also have a fieldName (its name in the output), a placeholder and a defaultValue.`,
	},
] as const satisfies INodeProperties[];

type MemberInput = Input<typeof members>;

/** The fields of the form, at least one. */
export function questionFieldsFrom(input: Input<typeof formElements>): QuestionField[] {
	const asJson = input.choice('defineForm') === 'json';
	const label = input.label(asJson ? 'jsonOutput' : 'formFields');
	const entries = asJson ? entriesInJson(input, label) : input.groups('formFields');
	const fields = entries.map(fieldFrom);
	if (fields.length === 0) {
		throw new InvalidParameter(label, 'is empty', 'Add a field, or choose another Response Type.');
	}
	const hint = `Give each field its own name. The output has one answer for each name, and the time as ${TAKEN}.`;
	refuseRepeated([TAKEN, ...fields.map(({ name }) => name)], label, hint);
	return fields;
}

function entriesInJson(input: Input<typeof formElements>, label: string): MemberInput[] {
	const settingNames: readonly string[] = members.map(({ name }) => name);
	return (asJsonList(input.raw('jsonOutput'), label, FORM_EXAMPLE) ?? []).map((entry, index) => {
		const place = `${label} > ${index + 1}`;
		const settings = asJsonObject(entry, place, FIELD_EXAMPLE) ?? {};
		const field = new Input(members, input.source, `${place} > `, settings);
		// Checked first: a type of n8n's forms that this node lacks would have unknown settings, too.
		field.choice('fieldType');
		const unknown = Object.keys(settings).find((name) => !settingNames.includes(name));
		if (unknown !== undefined) {
			throw new InvalidParameter(
				place,
				`has an unknown setting: ${named(unknown)}`,
				`Remove it or check its spelling. The settings are ${settingNames.join(', ')}.`,
			);
		}
		return field;
	});
}

function fieldFrom(input: MemberInput): QuestionField {
	const label = input.requiredText('fieldLabel').trim();
	const name = input.text('fieldName').trim() || label;
	const type = input.choice('fieldType');
	const initial = input.text('defaultValue');
	return {
		name,
		label,
		type,
		required: input.flag('requiredField'),
		placeholder: input.text('placeholder'),
		// Several ticked checkboxes are separated by commas, as in n8n's own forms.
		initial: type === 'checkbox' ? trimmed(initial.split(',')) : initial === '' ? [] : [initial],
		options: CHOOSING.includes(type) ? optionsFrom(input) : [],
	};
}

function optionsFrom(input: MemberInput): string[] {
	const options = trimmed(input.groups('fieldOptions').map((group) => group.text('option')));
	if (options.length > 0) return options;
	throw new InvalidParameter(input.label('fieldOptions'), 'is empty', 'Add the options to choose from.');
}

/** Texts without spaces around them; empty ones are left out. */
function trimmed(texts: readonly string[]): string[] {
	return texts.map((text) => text.trim()).filter((text) => text !== '');
}
