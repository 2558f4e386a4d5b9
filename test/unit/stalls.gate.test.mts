/**
 * No value from outside stops n8n: whatever stands in a field, long or deep as it may be, a run takes hardly any time.
 * What is measured is the time of the processor. Machines differ, and may be busy: a run that takes longer than it should is
 * tried again, beside work of a fixed size.
 */
import type { IDataObject, IExecuteFunctions, INodeParameters } from 'n8n-workflow';

import { execute } from '../../nodes/Messaging/execute.ts';
import { cases, type OperationId, type Parameters } from '../cases/index.mts';
import { received } from '../cases/reply.mts';
import { ids } from '../cases/values.mts';
import { fakeN8n, jsonResponse } from './support/fake-n8n.mts';
import { operationUnderTest } from './support/operations.mts';

jest.setTimeout(600_000);

/** How long one run may take on a quiet machine, in milliseconds. */
const MOST_MS = 100;
/** How many times as long as reading `PEER` it may take on any machine: about 150 ms on a quiet one. */
const MOST_PEERS = 5;
const PEER = JSON.stringify(Array.from({ length: 100_000 }, (_, n) => ({ id: n, name: `n${n}` })));

const LENGTH = 100_000;
const pump = (part: string): string => part.repeat(LENGTH / part.length);

/** What a text is filled with, from outside. */
const PUMPS: Readonly<Record<string, string>> = {
	spaces: pump(' '),
	'zero-width spaces': pump('\u200b'),
	'<': pump('<'),
	'"': pump('"'),
	backslashes: pump('\\'),
	digits: pump('7'),
	'{{': pump('{{'),
	'[': pump('['),
	'combining marks': pump('\u0301'),
	'combining marks to be sorted': pump('\u0301\u0323'),
	'halves of emoji': pump('\ud83d'),
	commas: pump(','),
	words: pump('sup '),
};

/** A run whose only item has this data, for parameters as saved in a workflow. */
async function run(id: OperationId, parameters: Parameters, json: IDataObject): Promise<void> {
	const { operation } = operationUnderTest(id);
	const channels = Array.from({ length: 1000 }, (_, n) => {
		const name = n === 0 ? 'Support' : `Support ${n}`;
		return { channelId: ids.channel.replace(/.{4}$/, String(n).padStart(4, '0')), name };
	});
	const { context } = fakeN8n(({ method }) => jsonResponse(JSON.stringify(method === 'GET' ? channels : {})));
	const item = { json };
	const valueAt = (value: unknown, path: string): unknown =>
		path.split('.').reduce<unknown>((at, name) => (at as Parameters | undefined)?.[name], value);
	/** Resolves `{{ $json.name }}` in whatever is saved. */
	const resolved = (saved: unknown): unknown => {
		if (typeof saved === 'object' && saved !== null) {
			const members = Object.entries(saved).map(([name, member]) => [name, resolved(member)] as const);
			return Array.isArray(saved) ? members.map(([, member]) => member) : Object.fromEntries(members);
		}
		if (typeof saved !== 'string' || !saved.startsWith('=')) return saved;
		const [, alone] = /^=\{\{ \$json\.(\w+) \}\}$/.exec(saved) ?? [];
		if (alone !== undefined) return json[alone];
		return saved.slice(1).replace(/\{\{ \$json\.(\w+) \}\}/g, (_, name: string) => `${json[name] as string}`);
	};
	const node = context.getNode();
	const own = {
		getInputData: () => [item],
		getNode: () => ({ ...node, parameters }),
		getNodeParameter(name: string, _item: number, fallback: unknown) {
			return resolved(valueAt(parameters, name)) ?? fallback;
		},
		evaluateExpression: (text: string) => resolved(`=${text}`),
		getWorkflowDataProxy: () => ({ $runIndex: 0, $json: json }),
		getSignedResumeUrl: () => 'https://n8n.example/webhook-waiting/1?signature=a',
		putExecutionToWait: async () => {},
		getExecuteData: () => ({ data: { main: [[item]] } }),
	};
	const options = { keepToPlan: false, maxTries: 1, ...(parameters.options as object) };
	parameters = { ...parameters, options };
	await execute(Object.assign(context, own) as unknown as IExecuteFunctions, operation);
}

/** The time of the processor that something takes, in milliseconds. */
async function cost(work: () => unknown): Promise<number> {
	const before = process.cpuUsage();
	await work();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
}

/** Whether a run takes too long, each of five times. */
async function isStalled(id: OperationId, parameters: Parameters, json: IDataObject): Promise<boolean> {
	for (let tries = 0; tries < 5; tries++) {
		const ms = await cost(() => run(id, parameters, json));
		if (ms < MOST_MS || ms < MOST_PEERS * (await cost(() => JSON.parse(PEER)))) return false;
	}
	return true;
}

/** The parameters, once for each text and number in them, with an expression in its place. */
function* withExpression(
	parameters: Parameters,
	path = '',
): Generator<[path: string, parameters: Parameters]> {
	for (const [name, value] of Object.entries(parameters)) {
		const at = `${path}${name}`;
		const put = (saved: unknown): Parameters => ({ ...parameters, [name]: saved });
		if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
			for (const [inner, members] of withExpression(value as Parameters, `${at}.`))
				yield [inner, put(members)];
		}
		if (Array.isArray(value) && typeof value[0] === 'object') {
			for (const [inner, members] of withExpression(value[0] as Parameters, `${at}.0.`))
				yield [inner, put([members, ...value.slice(1)])];
		}
		yield [at, put('={{ $json.pump }}')];
		yield [`${at}, with text around it`, put('=x {{ $json.pump }} y')];
	}
}

const options = { onceKey: 'k', timeout: 5, pauseBetween: 0 };
const other = { addressType: 'other', toType: 'PHONE' };

/** The nodes whose fields are filled, one after the other. */
const NODES: ReadonlyArray<readonly [id: OperationId, parameters: Parameters]> = [
	['message.send', { ...cases['message.send'].most.given, options }],
	['message.send', { ...cases['message.send'].least.given, channelId: { mode: 'name', value: 'Support' } }],
	[
		'message.send',
		{ ...cases['message.send'].least.given, ...other, toRows: { values: [{ name: 'phone', value: '1' }] } },
	],
	[
		'message.send',
		{ ...cases['message.send'].least.given, ...other, toFieldsMode: 'json', toFields: { phone: '1' } },
	],
	['message.send', { ...cases['message.send'].least.given, inputMode: 'json', package: received }],
	[
		'message.reply',
		{ ...cases['message.reply'].most.given, incoming: received, options: { ...options, answerOnce: true } },
	],
	['message.sendAndWait', { ...cases['message.sendAndWait'].most.given, options }],
	['service.request', { ...cases['service.request'].most.given, options }],
];

test.each(NODES)('%s: no text in any field', async (id, parameters) => {
	const values = Object.entries(PUMPS).flatMap(([name, text]) => [
		[name, text] as const,
		// Something may look for it at an end only.
		[`${name} within a text`, `a@${text}b`] as const,
	]);
	for (const [path, filled] of withExpression(parameters)) {
		for (const [name, pumped] of values) {
			const stalls = await isStalled(id, filled, { pump: pumped });
			expect([path, name, stalls]).toEqual([path, name, false]);
		}
	}
});

/** A value that is nested so deeply. */
const nested = (levels: number): unknown =>
	JSON.parse(`${'{"a":['.repeat(levels / 2)}"b"${']}'.repeat(levels / 2)}`);
const wide = (fields: number): IDataObject =>
	Object.fromEntries(Array.from({ length: fields }, (_, n) => [`f${n}`, `v${n}`]));

/** A message package as text, with this sender. */
const packageFrom = (from: unknown): IDataObject =>
	({ ...received, content: { ...received.content, from } }) as unknown as IDataObject;

test.each<[string, unknown]>([
	['5,000 fields', wide(5000)],
	['3,000 levels', nested(3000)],
	['100,000 levels', nested(100_000)],
	['5,000 lists', { phone: Array.from({ length: 5000 }, () => []) }],
])('a message from a sender of %s', async (_what, from) => {
	const body = packageFrom(from);
	const least = { ...cases['message.reply'].least.given, text: 'Hello' } as INodeParameters;
	expect(await isStalled('message.reply', { ...least, incoming: '={{ $json.body }}' }, { body })).toBe(false);
	const send = { ...cases['message.send'].least.given, inputMode: 'json', package: '={{ $json.body }}' };
	expect(await isStalled('message.send', send, { body })).toBe(false);
});
