/** The pages of `docs/operations/`, made from the node's description and from runs of it. */
import type { INodeProperties } from 'n8n-workflow';

import { endpointOf, isShown, schemaNamed } from '../../api/interface.mts';
import { outputSchemaOf } from '../../api/output-schemas.mts';
import { Messaging } from '../../nodes/Messaging/Messaging.node.ts';
import { MessagingTrigger } from '../../nodes/Messaging/MessagingTrigger.node.ts';
import type { Operation } from '../../nodes/Messaging/operations/operation.ts';
import { operations } from '../../nodes/Messaging/operations/index.ts';
import { cases, endpointIdOf, type OperationId } from '../cases/index.mts';
import { membersOf } from '../unit/support/operations.mts';
import { fieldTables, isSeen, whenAdded } from './fields.mts';
import { exampleChapter, lines, NODE_TYPE, outputTable, WRITTEN } from './chapters.mts';
import { cell, code, table } from './markdown.mts';
import type { Example } from './record.mts';
import { refusedPageName } from './refused.mts';
import { TRIGGER, triggerPageName } from './trigger-page.mts';

/** The folder of the pages, below the project's root. */
export const pagesFolder = 'docs/operations';

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

function placeOf({ resource, name }: Operation) {
	return { resource, operation: name };
}

/** The types of the tools that n8n makes of the node, if the operation is one. */
function toolTypes(operation: Operation): string {
	if (callsAny(operation) || operation.previews !== undefined) return 'It is no tool of an AI agent. ';
	const reviewer =
		operation.waits === true ? `, or ${code(`${NODE_TYPE}HitlTool`)} to review other tools` : '';
	return `As a tool of an AI agent, the type is ${code(`${NODE_TYPE}Tool`)}${reviewer}. `;
}

/** The page of one operation. */
export function operationPage(operation: Operation, example: Example): string {
	const tables = fieldTables(withoutSharedOptions(operation.fields));
	return lines(
		WRITTEN,
		`# ${titleOf(operation)}\n`,
		`${operation.description.replace(/([^.])$/, '$1.')}\n`,
		'[All operations](README.md) · [Documentation](../README.md)\n',
		`In the JSON of a workflow: ${code('type')} ${code(NODE_TYPE)}, ${code('resource')} ${code(operation.resource)}, ${code('operation')} ${code(operation.name)}. ${toolTypes(operation)}A whole node: [Example](#example). n8n ignores names that the node does not describe. The node refuses to run if it finds one in a collection, or one of another operation or node at the top. It can't see other names at the top.\n`,
		'## Fields\n',
		...tables.first,
		...sharedOptionsOf(operation),
		...callChapter(operation),
		...outputChapter(operation),
		'## Example\n',
		'It ran against the [embedded messaging service](../internals/sandbox.md). Other services may answer differently.\n',
		...exampleChapter(
			{ ...example, parameters: { ...placeOf(operation), ...example.parameters } },
			NODE_TYPE,
		),
		...tables.folded,
		'What can go wrong, and what to do: [When something goes wrong](../failures.md).',
	);
}

/** The index of all pages. */
export function indexPage(): string {
	return lines(
		WRITTEN,
		'# Operations\n',
		'[Documentation](../README.md)\n',
		...table(
			['Operation', 'What it does', 'Request'],
			operations.map((operation) => {
				const { method, template } = endpointOf(endpointIdOf(idOf(operation)));
				const made = callsAny(operation) ? 'The one that you enter' : code(`${method} ${template}`);
				const request = operation.previews === undefined ? made : 'None';
				return [`[${titleOf(operation)}](${pageName(operation)})`, cell(operation.description), request];
			}),
		),
		'## Trigger\n',
		`[${new MessagingTrigger().description.displayName}](${triggerPageName}): ${cell(TRIGGER)}.\n`,
		'## Options\n',
		`[The options that several operations share](${optionsPageName}).\n`,
		'## What is refused\n',
		`[What the node refuses before anything is sent](${refusedPageName}), and why.\n`,
	);
}

/** The name of the page with the options that several operations share. */
export const optionsPageName = 'options.md';

/** The options that several operations share. */
export function optionsPage(): string {
	return lines(
		WRITTEN,
		'# Options\n',
		'[All operations](README.md) · [Documentation](../README.md)\n',
		"Options that several operations share. Add them under **Options**. An option that you don't add has the value in this table.\n",
		...table(
			['Option', 'Name', 'Operations', 'Default', 'Meaning'],
			sharedOptions
				.map(({ option, places }) => [
					cell(option.displayName),
					code(option.name),
					places.length === operations.length ? 'All' : places.sort().join('; '),
					whenAdded(option),
					cell(option.description ?? ''),
				])
				.sort(([one = ''], [other = '']) => one.localeCompare(other)),
		),
	);
}

/** The options of an operation. */
function optionsOf({ fields }: { fields: readonly INodeProperties[] }): INodeProperties[] {
	return fields
		.filter(({ name }) => name === 'options')
		.flatMap(membersOf)
		.filter(isSeen);
}

/** The options that two or more operations have, and those operations. */
export const sharedOptions = [
	...Map.groupBy(
		operations.flatMap((operation) => optionsOf(operation).map((option) => ({ option, operation }))),
		({ option }) => option.displayName,
	).values(),
]
	.filter(({ length }) => length >= 2)
	.map((uses) => ({ option: uses[0]!.option, places: uses.map(({ operation }) => titleOf(operation)) }));

function isShared({ displayName }: INodeProperties): boolean {
	return sharedOptions.some(({ option }) => option.displayName === displayName);
}

/** The fields of an operation, of its options only those that no other operation has. */
export function withoutSharedOptions(fields: readonly INodeProperties[]): INodeProperties[] {
	return fields.flatMap((field) => {
		if (field.name !== 'options') return [field];
		const own = membersOf(field).filter((option) => !isShared(option));
		return own.length === 0 ? [] : [{ ...field, options: own }];
	});
}

/** The names of the shared options that an operation has, with the way to their page. */
function sharedOptionsOf(operation: Operation): string[] {
	const names = optionsOf(operation)
		.filter(isShared)
		.map(({ displayName }) => displayName);
	return [`[Shared options](${optionsPageName}): ${names.join(', ')}.\n`];
}

/** Whether an operation calls what the user enters. */
function callsAny(operation: Operation): boolean {
	return cases[idOf(operation)].traits.includes('any endpoint');
}

function callChapter(operation: Operation): string[] {
	if (callsAny(operation)) return ['## The request\n', ANY_REQUEST];
	if (operation.previews !== undefined) return ['## The request\n', NO_REQUEST];
	const { method, template, takesQuery, body, gaps } = endpointOf(endpointIdOf(idOf(operation)));
	const { properties = {} } = body === undefined ? {} : schemaNamed(body.$ref ?? '');
	const { endpoint, most } = cases[idOf(operation)];
	// An operation that shares another one's endpoint sends only part of its body.
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
		...(members.length > 0 ? [`${members.join(', ')}. Empty fields are not sent.\n`] : []),
		...(takesQuery
			? [
					'The option Query Parameters adds parameters to the address. The node does not follow pages: if the service says that its list is incomplete, a hint says how many records came.\n',
				]
			: []),
		...(gaps.length > 0 ? ['Gaps in the interface description:\n'] : []),
		...gaps.map((gap) => `- ${gap}`),
		...(gaps.length > 0 ? [''] : []),
	];
}

const ANY_REQUEST = `The request has the method and path that you enter, below the Base URL of the credential, with its key and headers. The node refuses ${code('..')}, a host, a query and a fragment in the path, so that the key goes nowhere else. Like other operations, it keeps to the plan of the key and waits while the service fails. It repeats GET, PUT, PATCH and DELETE after a failure, and POST only if it was not processed.\n`;

const NO_REQUEST =
	'None, except for the list of channels if the channel is By Name. Preview claims no once key, remembers nothing, and does not wait for the plan. So it does not show a wrong API key, a service that is down, or once keys that were used before.\n';

const PREVIEW_OUTPUT =
	'One item for each input item, in the same order. An item that Send would refuse has `wouldSend: false` and the `reason`, whatever On Error is; with Stop Workflow, Send then sends nothing of the list. Its `recipient` and `text` have what could be read. An item with the once key of an earlier item has `wouldSend: false` and a `reason`, because Send sends one message for each key. `notes` name what may be a mistake: expressions that find nothing, `\\n` as two letters, the same text to the same person. With Show Request, `request` is what Send would send, with secrets masked, and `null` for a refused item. It has no `packageId` if Send would create a new one.\n';

const ANY_OUTPUT =
	'The answer of the service, with secrets masked. With Split Items, each record of a list is an item. The list may be in an envelope: alone in `data`, `result`, `value`, `items`, `results`, `records`, `channels` or `accounts`, without fields of a record beside it. If the service says that the list is incomplete, a hint says how many records came.\n';

function outputChapter(operation: Operation): string[] {
	if (callsAny(operation)) return ['## Output\n', ANY_OUTPUT];
	const id = idOf(operation);
	const shown = isShown(endpointOf(endpointIdOf(id)));
	const simplified = hasOptionalSimplify(operation)
		? ' With Simplify, the output has other fields than the editor shows before the first run.'
		: '';
	return [
		'## Output\n',
		operation.waits === true
			? 'The output after an approval, with default settings. [Output of other questions](../send-and-wait.md#output).\n'
			: operation.previews !== undefined
				? PREVIEW_OUTPUT
				: shown
					? `With default settings. Any field may be missing or null.${simplified}\n`
					: `The interface description does not show what the service answers. These are the fields that the node knows; it passes on all others unchanged.${simplified}\n`,
		...outputTable(outputSchemaOf(operation)),
	];
}

/** Whether Simplify is an option, so that the fields shown by default are those of the whole record. */
function hasOptionalSimplify(operation: Operation): boolean {
	return optionsOf(operation).some(({ name }) => name === 'simplify');
}
