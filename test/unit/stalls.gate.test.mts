/**
 * No value from outside stops n8n: whatever a text consists of, a run takes at most three times as long as with plain
 * letters. What is measured is the time of the processor. The machine may be busy: a run that takes longer is tried again.
 */
import type { IDataObject, IExecuteFunctions, INodeParameters } from 'n8n-workflow';

import { execute } from '../../nodes/Messaging/execute.ts';
import { cases, operationIds, type OperationId, type Parameters } from '../cases/index.mts';
import { received } from '../cases/reply.mts';
import { ids } from '../cases/values.mts';
import { fakeN8n, jsonResponse } from './support/fake-n8n.mts';
import { operationUnderTest } from './support/operations.mts';

jest.setTimeout(600_000);

/** How many times as long as with plain letters a run may take. */
const MOST_TIMES = 3;
/** What any run may take on top, in milliseconds: escaping makes some texts six times as long. */
const FREE_MS = 100;

const LENGTH = 400_000;
const pump = (part: string): string => part.repeat(LENGTH / part.length);
const LETTERS = pump('a');

/** What a text is filled with, from outside. */
const PUMPS: Readonly<Record<string, string>> = {
	spaces: pump(' '),
	'<': pump('<'),
	'"': pump('"'),
	backslashes: pump('\\'),
	'digits of another script': pump('\u0667'),
	'{{': pump('{{'),
	'combining marks to be sorted': pump('\u0301\u0323'),
	commas: pump(','),
	'short names': Array.from({ length: 100_000 }, (_, n) => n.toString(36))
		.join(' ')
		.slice(0, LENGTH),
};

const NAMES = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [n.toString(36), 1]));

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

/** Whether a run takes too long beside some work, or beside a run with plain data, each of three times. */
async function isStalled(
	id: OperationId,
	parameters: Parameters,
	json: IDataObject,
	plain: IDataObject | (() => unknown),
): Promise<boolean> {
	const beside = typeof plain === 'function' ? plain : () => run(id, parameters, plain as IDataObject);
	for (let tries = 0; tries < 3; tries++) {
		const ms = await cost(() => run(id, parameters, json));
		const most = FREE_MS + MOST_TIMES * (ms < FREE_MS ? 0 : await cost(beside));
		if (ms < most) return false;
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
	['message.send', { ...cases['message.send'].least.given, inputMode: 'json', package: received }],
	[
		'message.reply',
		{ ...cases['message.reply'].most.given, incoming: received, options: { ...options, answerOnce: true } },
	],
	['message.sendAndWait', { ...cases['message.sendAndWait'].most.given, options }],
	['service.request', { ...cases['service.request'].most.given, options }],
	...operationIds.flatMap((id) =>
		/^message\.(send|reply)|^service\./.test(id)
			? []
			: [[id, { ...cases[id].least.given, ...cases[id].most.given }] as const],
	),
];

test.each(NODES)('%s: no text in any field, nor an object of many names', async (id, parameters) => {
	const stalled: string[] = [];
	const copyTwice = () => [structuredClone(NAMES), structuredClone(NAMES)];
	for (const [path, filled] of withExpression(parameters)) {
		const isAlone = !path.endsWith(' around it');
		if (isAlone && (await isStalled(id, filled, { pump: NAMES }, copyTwice))) stalled.push(`${path}: names`);
		for (const [name, text] of Object.entries(PUMPS)) {
			const isSlow = await isStalled(id, filled, { pump: text }, { pump: LETTERS });
			if (isSlow) stalled.push(`${path}: ${name}`);
		}
	}
	expect(stalled).toEqual([]);
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
	const plain = { body: packageFrom({ ...(received.content.from as object), name: LETTERS }) };
	expect(await isStalled('message.reply', { ...least, incoming: '={{ $json.body }}' }, { body }, plain)).toBe(
		false,
	);
	const send = { ...cases['message.send'].least.given, inputMode: 'json', package: '={{ $json.body }}' };
	expect(await isStalled('message.send', send, { body }, plain)).toBe(false);
});
