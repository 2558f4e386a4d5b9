/** A node's parameters as tables. */
import type { INodeProperties } from 'n8n-workflow';

import { membersOf } from '../unit/support/operations.mts';
import { cell, code, table } from './markdown.mts';

const HEAD = ['Field', 'Name', 'Type', 'Default', 'Meaning'];

/** More optional fields than this stand folded at the end of a page: few people use them. */
const MOST_OPTIONAL = 6;

/** The parameters of a node or an operation: one table, and one more for each collection in it. */
export function fieldTables(all: readonly INodeProperties[]): Record<'first' | 'folded', string[]> {
	const fields = all.filter(isSeen);
	const single = fields.filter(({ type }) => type !== 'collection');
	const plain = single.filter((field) => !isForTools(field));
	const forTools = single.filter(isForTools);
	const collections = fields.filter(({ type }) => type === 'collection');
	const tableOf = (shown: readonly INodeProperties[], initial = defaultOf): string[] =>
		table(
			HEAD,
			shown.flatMap((field) => rowsOf(field, fields, initial)),
		);
	const optional = collections.flatMap((collection) => [
		`### ${collection.displayName}`,
		'',
		...conditionOf(collection, fields).map((text) => `${text}.\n`),
		...tableOf(membersOf(collection).filter(isSeen), whenAdded),
	]);
	if (forTools.length > 0) optional.push('### In a tool of an AI agent', '', ...tableOf(forTools));
	if (collections.flatMap(membersOf).filter(isSeen).length <= MOST_OPTIONAL) {
		return { first: [...tableOf(plain), ...optional], folded: [] };
	}
	const names = collections.map(({ displayName }) => displayName).join(' and ');
	return {
		first: [...tableOf(plain), `Fields that you can add: see [${names}](#optional-fields).\n`],
		folded: ['## Optional fields\n', `<details><summary>${names}</summary>\n`, ...optional, '</details>\n'],
	};
}

/** Whether the editor shows this field. */
export function isSeen({ type }: INodeProperties): boolean {
	return type !== 'hidden';
}

/** Whether only the tool of an AI agent has this field. */
function isForTools({ displayOptions }: INodeProperties): boolean {
	return displayOptions?.show?.['@tool']?.includes(true) === true;
}

/** What a member of a collection holds once it is added: one that is not added may mean something else. */
export function whenAdded(field: INodeProperties): string {
	const initial = defaultOf(field);
	return initial === '' ? '' : `when added: ${initial}`;
}

/** A parameter's default in words; '' when it is empty. */
export function defaultOf({ type, default: value, options = [] }: INodeProperties): string {
	if (type === 'boolean') return value === true ? 'on' : 'off';
	const choice = options.find((option) => 'value' in option && option.value === value);
	if (choice !== undefined) return cell(choice.name);
	if (Array.isArray(value)) {
		return options
			.flatMap((each) => ('value' in each && (value as unknown[]).includes(each.value) ? [each.name] : []))
			.join(', ');
	}
	if (typeof value === 'object' || value === '' || value === undefined) return '';
	return code(String(value));
}

function rowsOf(
	field: INodeProperties,
	all: readonly INodeProperties[],
	initial: (field: INodeProperties) => string,
	parent = '',
): string[][] {
	const { displayName, name, description = '', required } = field;
	const label = `${parent}${displayName}`;
	const meaning = [
		description.replace(/([^.])$/, '$1.'),
		...conditionOf(field, all).map((text) => `${text}.`),
		...(required === true ? ['Required.'] : []),
	];
	const row = [cell(label), code(name), typeOf(field), initial(field), cell(meaning.join(' '))];
	const inside = (field.options ?? []).flatMap((option) =>
		'values' in option
			? option.values.flatMap((value) => rowsOf(value, all, initial, `${displayName} > `))
			: [],
	);
	return [row, ...inside];
}

/** The types of fields in words, where they depend on nothing else. */
const TYPES: Partial<Record<INodeProperties['type'], string>> = {
	boolean: 'Switch',
	dateTime: 'Date and time',
	json: 'JSON',
	resourceMapper: 'Form',
};

/** The type of a field as a cell: of a menu with each label and its value, of a group with its name in the JSON. */
function typeOf({ type, modes = [], options = [], typeOptions = {} }: INodeProperties): string {
	const names = options
		.map((option) => ('value' in option ? `${cell(option.name)} (${code(String(option.value))})` : ''))
		.join(', ');
	if (type === 'string') return typeOptions.password === true ? 'Secret' : 'Text';
	if (type === 'number') return typeOptions.numberPrecision === 0 ? 'Whole number' : 'Number';
	if (type === 'options') return `One of: ${names}`;
	if (type === 'multiOptions') return `Some of: ${names}`;
	if (type === 'resourceLocator')
		return modes.map(({ displayName, name }) => `${cell(displayName)} (${code(name)})`).join(', or ');
	if (type === 'fixedCollection') {
		const group = code(options[0]?.name ?? '');
		return typeOptions.multipleValues === true ? `Rows, in ${group}` : `Group, in ${group}`;
	}
	return cell(TYPES[type] ?? type);
}

/** When a field is shown, in the labels of the form. */
function conditionOf({ displayOptions = {} }: INodeProperties, all: readonly INodeProperties[]): string[] {
	const { show = {}, hide = {} } = displayOptions;
	return [...partsOf(show, 'Shown'), ...partsOf(hide, 'Hidden')];

	function partsOf(conditions: object, verb: string): string[] {
		const entries = Object.entries(conditions) as Array<[string, unknown[]]>;
		const sentences = entries.flatMap(([name, values]) => {
			// The fields that only tools have are in a table of their own.
			if (name === '@tool') return verb === 'Shown' ? [] : ['the node is a tool of an AI agent'];
			const field = all.find((other) => other.name === name);
			// A condition on a member of a collection: whether it was added.
			const [collection = '', member = ''] = name.replace(/^\//, '').split('.');
			const added = all.filter((other) => other.name === collection).flatMap(membersOf);
			const label = added.find((other) => other.name === member)?.displayName;
			if (field === undefined) return label === undefined ? [] : [`${label} is added`];
			return [`${field.displayName} is ${values.map((value) => choiceOf(field, value)).join(' or ')}`];
		});
		return sentences.length === 0 ? [] : [`${verb} when ${new Intl.ListFormat('en').format(sentences)}`];
	}
}

function choiceOf({ type, options = [] }: INodeProperties, value: unknown): string {
	if (type === 'boolean') return value === true ? 'on' : 'off';
	return options.find((option) => 'value' in option && option.value === value)?.name ?? String(value);
}
