/** Chapters that the pages of operations and of the trigger share. */
import type { OutputSchema } from '../../api/output-schemas.mts';
import { Messaging } from '../../nodes/Messaging/Messaging.node.ts';
import { MessagingTrigger } from '../../nodes/Messaging/MessagingTrigger.node.ts';
import { code, json, table } from './markdown.mts';
import type { Example } from './record.mts';

/** The first line of each page. */
export const WRITTEN =
	'<!-- Written by "npm run docs" from the node itself: change the node, not this page. -->\n';

/** The node's type in the JSON of a workflow. */
export const NODE_TYPE = 'n8n-nodes-unified-messaging.messaging';

export function outputTable(schema: OutputSchema): string[] {
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

export function exampleChapter({ parameters, input, requests, output }: Example, type: string): string[] {
	const [first] = output;
	const { displayName: name } = (type === NODE_TYPE ? new Messaging() : new MessagingTrigger()).description;
	const credentials = { messagingApi: { id: '', name: 'Unified Messaging account' } };
	return [
		'The node:\n',
		...json({ parameters, type, typeVersion: 1, position: [0, 0], name, credentials }, 'Node'),
		...(input.some((item) => Object.keys(item).length > 0)
			? ['Input:\n', ...json(input.length === 1 ? input[0] : input, 'Input')]
			: []),
		...(requests.length > 0 ? ['Request:\n'] : []),
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

export function lines(...parts: readonly string[]): string {
	return `${parts.join('\n').trimEnd()}\n`;
}
