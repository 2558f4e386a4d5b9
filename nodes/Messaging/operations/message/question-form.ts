import type { INodeProperties } from 'n8n-workflow';

import type { QuestionField, QuestionFieldType } from '../../question/question';
import type { Input } from '../../input/input';
import { InvalidParameter } from '../../input/invalid-parameter';
import type { Properties } from '../../input/parameter-types';
import { isPlainObject } from '../../shared/json';
import { named, quoted } from '../../shared/text';

const FORM_EXAMPLE = '[{"fieldLabel": "Reason", "fieldType": "text", "requiredField": true}]';

/** The types of which one or several of some options are chosen. */
const CHOOSING: readonly QuestionFieldType[] = ['checkbox', 'dropdown', 'radio'];

/** The name that the time of the answer has in the output. */
const TAKEN = 'respondedAt';

/** What a field of a form is, by n8n's names. */
const members = [
	{
		displayName: 'Label',
		name: 'fieldLabel',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. What is your name?',
		description: 'What stands above the field. The output has the answer under this name.',
	},
	{
		displayName: 'Element Type',
		name: 'fieldType',
		type: 'options',
		options: [
			{ name: 'Checkboxes', value: 'checkbox', description: 'Any number of options' },
			{ name: 'Date', value: 'date', description: 'A day' },
			{ name: 'Dropdown', value: 'dropdown', description: 'One option of a list' },
			{ name: 'Email', value: 'email', description: 'An email address' },
			{ name: 'Number', value: 'number', description: 'A number, decimals allowed' },
			{ name: 'Radio Buttons', value: 'radio', description: 'One option, all of them in sight' },
			{ name: 'Text Input', value: 'text', description: 'A line of text' },
			{ name: 'Textarea', value: 'textarea', description: 'Several lines of text' },
		],
		default: 'text',
		description: 'What can be entered',
	},
	{
		displayName: 'Field Options',
		name: 'fieldOptions',
		type: 'fixedCollection',
		displayOptions: { show: { fieldType: ['checkbox', 'dropdown', 'radio'] } },
		typeOptions: { multipleValues: true, sortable: true },
		placeholder: 'Add Field Option',
		default: { values: [{ option: '' }] },
		description: 'What there is to choose from',
		options: [
			{
				displayName: 'Values',
				name: 'values',
				values: [
					{
						displayName: 'Option',
						name: 'option',
						type: 'string',
						default: '',
						placeholder: 'e.g. By mail',
						description: 'One of the options',
					},
				],
			},
		],
	},
	{
		displayName: 'Required Field',
		name: 'requiredField',
		type: 'boolean',
		default: false,
		description: 'Whether the form can only be sent with this field filled in',
	},
] as const satisfies INodeProperties[];

/** What JSON can say of a field besides. */
const inJsonOnly = [
	{ displayName: 'Custom Field Name', name: 'fieldName', type: 'string', default: '' },
	{ displayName: 'Placeholder', name: 'placeholder', type: 'string', default: '' },
	{ displayName: 'Default Value', name: 'defaultValue', type: 'string', default: '' },
] as const satisfies Properties;

const everyMember = [...members, ...inJsonOnly] as const;

/** A form of one's own, row by row or as JSON. */
export const formFields = [
	{
		displayName: 'Define Form',
		name: 'defineForm',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { responseType: ['customForm'] } },
		options: [
			{ name: 'Using Fields Below', value: 'fields', description: 'Add one field after the other' },
			{ name: 'Using JSON', value: 'json', description: 'Give all fields as one JSON list' },
		],
		default: 'fields',
		description: 'How to say which fields the form has',
	},
	{
		displayName: 'Form Elements',
		name: 'formFields',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, sortable: true },
		displayOptions: { show: { responseType: ['customForm'], defineForm: ['fields'] } },
		required: true,
		placeholder: 'Add Form Element',
		default: {},
		description: 'The fields of the form, in the order in which they are shown',
		options: [{ displayName: 'Values', name: 'values', values: members }],
	},
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

type FormInput = Input<typeof formFields>;

type MemberInput = Input<typeof everyMember>;

/**
 * The fields of the form, at least one.
 *
 * @throws InvalidParameter naming the field
 */
export function formFieldsFrom(input: FormInput): QuestionField[] {
	const asJson = input.choice('defineForm') === 'json';
	const label = input.label(asJson ? 'jsonOutput' : 'formFields');
	const fields = (asJson ? entriesInJson(input, label) : entriesInRows(input, label)).map(fieldFrom);
	if (fields.length === 0) {
		throw new InvalidParameter(label, 'is empty', 'Add a field, or choose another Response Type.');
	}
	const names = fields.map(({ name }) => name);
	const twice = names.find((name, index) => names.indexOf(name) !== index);
	if (twice !== undefined) {
		throw new InvalidParameter(
			label,
			`has the name ${quoted(twice)} twice`,
			'Give each field a name of its own: the output has one answer for each name.',
		);
	}
	return fields;
}

function entriesInRows(input: FormInput, label: string): MemberInput[] {
	const rows = input.raw('formFields');
	const entries: unknown = isPlainObject(rows) ? rows.values : undefined;
	return (Array.isArray(entries) ? entries : []).map((entry: unknown, index) =>
		input.within(everyMember, isPlainObject(entry) ? entry : {}, `${label} > ${index + 1} > `),
	);
}

function entriesInJson(input: FormInput, label: string): MemberInput[] {
	const known: readonly string[] = everyMember.map(({ name }) => name);
	return (input.jsonList('jsonOutput', FORM_EXAMPLE) ?? []).map((entry, index) => {
		const place = `${label} > ${index + 1}`;
		if (!isPlainObject(entry)) {
			throw new InvalidParameter(place, 'needs a JSON object', `Write it like ${FORM_EXAMPLE}.`);
		}
		const unknown = Object.keys(entry).find((name) => !known.includes(name));
		if (unknown !== undefined) {
			throw new InvalidParameter(
				place,
				`has a setting that form fields do not have: ${named(unknown)}`,
				`Remove it, or check its spelling. Known here: ${known.join(', ')}.`,
			);
		}
		return input.within(everyMember, entry, `${place} > `);
	});
}

function fieldFrom(input: MemberInput): QuestionField {
	const label = input.requiredText('fieldLabel').trim();
	const name = input.text('fieldName').trim() || label;
	if (name === TAKEN) {
		throw new InvalidParameter(
			input.label('fieldLabel'),
			`can't be "${TAKEN}"`,
			'The time of the answer has this name in the output. Choose another one.',
		);
	}
	const type = input.choice('fieldType');
	const options = CHOOSING.includes(type) ? optionsFrom(input) : [];
	return {
		name,
		label,
		type,
		required: input.flag('requiredField'),
		placeholder: input.text('placeholder'),
		initial: initialFrom(input, type),
		options,
	};
}

function optionsFrom(input: MemberInput): string[] {
	const label = input.label('fieldOptions');
	const options = input
		.groups('fieldOptions')
		.map((group) => group.text('option').trim())
		.filter((option) => option !== '');
	if (options.length === 0) {
		throw new InvalidParameter(label, 'is empty', 'Add what there is to choose from.');
	}
	const twice = options.find((option, index) => options.indexOf(option) !== index);
	if (twice === undefined) return options;
	throw new InvalidParameter(label, `has ${quoted(twice)} twice`, 'Keep it once.');
}

/** Several ticked checkboxes are separated by commas, as in n8n's own forms. */
function initialFrom(input: MemberInput, type: QuestionFieldType): string[] {
	const value = input.text('defaultValue');
	const values = type === 'checkbox' ? value.split(',').map((each) => each.trim()) : [value];
	return values.filter((each) => each !== '');
}
