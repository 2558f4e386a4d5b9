/** The pages of `docs/operations/`, made of the node's own description and of what was seen of it. */
import type { INodeProperties } from 'n8n-workflow';

import { endpointOf, isShown, schemaNamed } from '../../api/interface.ts';
import { outputSchemaOf, type OutputSchema, triggerSchema } from '../../api/output-schemas.ts';
import { Messaging } from '../../nodes/Messaging/Messaging.node.ts';
import { MessagingTrigger } from '../../nodes/Messaging/MessagingTrigger.node.ts';
import type { Operation } from '../../nodes/Messaging/operations/operation.ts';
import { operations } from '../../nodes/Messaging/operations/index.ts';
import { cases, endpointIdOf, type OperationId } from '../cases/index.ts';
import { membersOf } from '../unit/support/operations.ts';
import { defaultOf, fieldTables } from './fields.ts';
import { cell, code, json, table } from './markdown.ts';
import type { Example, OperationRecord } from './record.ts';

/** Where the pages stand, below the project's root. */
export const pagesFolder = 'docs/operations';

/** What each page begins with. */
const WRITTEN = '<!-- Written by "npm run docs" from the node itself: change the node, not this page. -->\n';

/** The resources by the names that the node's menu gives them. */
const resourceNames = Object.fromEntries(
	new Messaging().description.properties
		.filter(({ name }) => name === 'resource')
		.flatMap(({ options = [] }) => options)
		.map((option) => ['value' in option ? option.value : '', option.name]),
) as Record<string, string>;

/** The name of an operation's page. */
export function pageName({ resource, name }: Pick<Operation, 'resource' | 'name'>): string {
	return `${resource}-${name}.md`;
}

function idOf({ resource, name }: Operation): OperationId {
	return `${resource}.${name}` as OperationId;
}

/** An operation's name as the menus give it. */
function titleOf({ resource, displayName }: Operation): string {
	return `${resourceNames[resource] ?? resource}: ${displayName}`;
}

/** The page of one operation. */
export function operationPage(operation: Operation, { example, refused, failed }: OperationRecord): string {
	return lines(
		WRITTEN,
		`# ${titleOf(operation)}\n`,
		`${operation.description.replace(/([^.])$/, '$1.')}\n`,
		'[All operations](README.md) · [Documentation](../README.md)\n',
		'## Fields\n',
		...fieldTables(operation.fields, isShared),
		...callChapter(operation),
		...outputChapter(operation),
		'## Example\n',
		`${example.title}, with the [embedded messaging service](../sandbox.md). Your service may answer differently.\n`,
		...exampleChapter(example),
		'## Errors\n',
		...(refused.length > 0 ? ['Before anything is sent, with outcome `unsent`:\n'] : []),
		...table(
			['Field', 'Example', 'Error', 'What to do'],
			refused.map(({ field, value, error }) => [
				cell(field),
				value === '' ? 'empty' : code(value),
				cell(error.message),
				cell(adviceOf(error)),
			]),
		),
		'When the request is sent:\n',
		...table(
			['Situation', 'Tried again', 'Outcome', 'Error', 'What to do'],
			failed.map(({ situation, isRepeated, error }) => [
				situation,
				isRepeated ? 'up to Max Tries' : 'no',
				code(error.outcome),
				cell(error.message),
				cell(adviceOf(error)),
			]),
		),
		'What the outcomes mean, and all other errors: [When something goes wrong](../failures.md).',
	);
}

/** The page of the trigger. */
export function triggerPage(example: Example): string {
	const { displayName, description = '', properties } = new MessagingTrigger().description;
	return lines(
		WRITTEN,
		`# ${displayName}\n`,
		`${description.replace(/([^.])$/, '$1.')}\n`,
		'[All operations](README.md) · [Documentation](../README.md)\n',
		'What counts as a change, what is remembered, and what happens when a poll fails: [The trigger](../trigger.md).\n',
		'## Fields\n',
		"n8n's own field **Poll Times** sets how often it polls.\n",
		...fieldTables(properties),
		'## Output\n',
		'One item for each change. `before` and `after` have the fields that changed.\n',
		...outputTable(triggerSchema()),
		'## Example\n',
		'A channel of the [embedded messaging service](../sandbox.md) disconnected between two polls. The second poll:\n',
		...exampleChapter(example),
	);
}

/** The name of the trigger's page. */
export const triggerPageName = 'trigger.md';

/** The way to all pages, with the options that operations share. */
export function indexPage(): string {
	return lines(
		WRITTEN,
		'# Operations\n',
		'[Documentation](../README.md)\n',
		...table(
			['Operation', 'What it does', 'Request'],
			operations.map((operation) => {
				const { method, template } = endpointOf(endpointIdOf(idOf(operation)));
				const request = code(`${method} ${template}`);
				return [`[${titleOf(operation)}](${pageName(operation)})`, cell(operation.description), request];
			}),
		),
		'## Trigger\n',
		`[${new MessagingTrigger().description.displayName}](${triggerPageName}): ${cell(new MessagingTrigger().description.description ?? '')}.\n`,
		'## Options\n',
		'Add them under **Options**. An option that you do not add has its default.\n',
		...optionsTable(),
	);
}

/** How many operations have each option, by its label. */
const optionCounts = new Map<string, number>();
for (const { fields } of operations) {
	const all: readonly INodeProperties[] = fields;
	for (const { displayName } of all.filter(({ name }) => name === 'options').flatMap(membersOf)) {
		optionCounts.set(displayName, (optionCounts.get(displayName) ?? 0) + 1);
	}
}

/** Whether several operations have this option: it is described once, on the page of all operations. */
function isShared({ displayName }: INodeProperties): boolean {
	return (optionCounts.get(displayName) ?? 0) > 1;
}

function optionsTable(): string[] {
	const having = new Map<string, { option: INodeProperties; places: string[] }>();
	for (const operation of operations) {
		const fields: readonly INodeProperties[] = operation.fields;
		for (const option of fields.filter(({ name }) => name === 'options').flatMap(membersOf)) {
			const known = having.get(option.displayName) ?? { option, places: [] };
			known.places.push(titleOf(operation));
			having.set(option.displayName, known);
		}
	}
	const shared = [...having.values()].filter(({ option }) => isShared(option));
	const rows = shared.map(({ option, places }) => [
		cell(option.displayName),
		code(option.name),
		places.length === operations.length ? 'All' : places.sort().join('; '),
		defaultOf(option),
		cell(option.description ?? ''),
	]);
	return table(
		['Option', 'Name', 'Operations', 'Default', 'Meaning'],
		rows.sort(([one = ''], [other = '']) => one.localeCompare(other)),
	);
}

function callChapter(operation: Operation): string[] {
	const { method, template, takesQuery, body, gaps } = endpointOf(endpointIdOf(idOf(operation)));
	const { properties = {} } = body === undefined ? {} : schemaNamed(body.$ref ?? '');
	const { endpoint, most } = cases[idOf(operation)];
	// What has another operation's endpoint sends a part of what that takes.
	const sent = Object.entries(properties).filter(
		([member]) => endpoint === undefined || member in (most.call.body ?? {}),
	);
	const members = sent.map(([member, { type, format, $ref }]) => {
		const kind =
			$ref === undefined
				? [type ?? 'any']
						.flat()
						.filter((each) => each !== 'null')
						.join()
				: 'object';
		return `${code(member)} (${format === 'uuid' ? 'UUID' : format === 'date-time' ? 'timestamp' : kind})`;
	});
	return [
		'## The request\n',
		code(`${method} ${template}`) + (members.length > 0 ? ' with a JSON body:' : ', without a body.') + '\n',
		...(members.length > 0 ? [`${members.join(', ')}. Fields that are left empty are not sent.\n`] : []),
		...(takesQuery ? ['The option Query Parameters adds query parameters.\n'] : []),
		...(gaps.length > 0 ? ["The service's interface description does not say:\n"] : []),
		...gaps.map((gap) => `- ${gap}`),
		...(gaps.length > 0 ? [''] : []),
	];
}

function outputChapter(operation: Operation): string[] {
	const id = idOf(operation);
	const shown = isShown(endpointOf(endpointIdOf(id)));
	return [
		'## Output\n',
		operation.waits === true
			? 'After the answer, with the default settings, which ask for an approval. [The output of other questions](../send-and-wait.md#what-comes-out).\n'
			: shown
				? 'With the default settings. Any field may be missing or null.\n'
				: 'These fields are always there. Other fields of the response pass through unchanged.\n',
		...outputTable(outputSchemaOf(operation)),
	];
}

function outputTable(schema: OutputSchema): string[] {
	return table(
		['Field', 'Type'],
		outputRows(schema).map(([path, type]) => [code(path), type]),
	);
}

function outputRows({ properties = {} }: OutputSchema, parent = ''): Array<[path: string, type: string]> {
	return Object.entries(properties).flatMap(([name, schema]): Array<[string, string]> => {
		const path = `${parent}${name}`;
		const inside = parent.split('.').length > 2 ? [] : outputRows(schema, `${path}.`);
		const type = schema.items === undefined ? schema.type : `list of ${schema.items.type}`;
		return [[path, WORDS[type] ?? type], ...inside];
	});
}

const WORDS: Readonly<Record<string, string>> = {
	string: 'text',
	integer: 'whole number',
	boolean: 'true or false',
	'list of string': 'list of texts',
};

function exampleChapter({ parameters, input, requests, output }: Example): string[] {
	const [first] = output;
	return [
		'Parameters:\n',
		...json(parameters, 'Parameters'),
		...(input.some((item) => Object.keys(item).length > 0)
			? ['Input:\n', ...json(input.length === 1 ? input[0] : input, 'Input')]
			: []),
		'Request:\n',
		...requests.flatMap(({ method, path, query, body }) => [
			'```http',
			`${method} ${path}${queryOf(query)}`,
			'```\n',
			...(body === null ? [] : json(body, 'Body')),
		]),
		output.length > 1 ? `Output, the first of ${output.length} items:\n` : 'Output:\n',
		...json(first, 'Output'),
	];
}

function queryOf(query: object): string {
	const parts = (Object.entries(query) as Array<[string, string | string[]]>).flatMap(([name, values]) =>
		[values].flat().map((value): [string, string] => [name, value]),
	);
	return parts.length === 0 ? '' : `?${new URLSearchParams(parts).toString()}`;
}

/** The advice of an error, without the number of the item that it happened to. */
function adviceOf({ description }: { description: string }): string {
	return description.replace(/^Item \d+: /, '');
}

function lines(...parts: readonly string[]): string {
	return `${parts.join('\n').trimEnd()}\n`;
}
