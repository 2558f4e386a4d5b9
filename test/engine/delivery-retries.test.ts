import type { INodeParameters } from 'n8n-workflow';
import type { FaultRule } from '../../dev/sandbox/types.ts';
import { letters, onceEach, useDeliveryLab } from './delivery-lab.ts';
import { byId, errorOf } from './lab.ts';
import type { Run } from './run.ts';

const lab = useDeliveryLab({ fastClock: true });

const settings = { onError: 'continueRegularOutput' } as const;

/** What leaves nobody sure whether the call was processed. */
const doubtful: Array<[name: string, rule: FaultRule]> = [
	['500', { kind: 'status', status: 500 }],
	['502', { kind: 'status', status: 502 }],
	['503', { kind: 'status', status: 503 }],
	['504', { kind: 'status', status: 504 }],
	['a reset', { kind: 'reset' }],
	['a lost answer', { kind: 'lostResponse' }],
	['an answer broken off', { kind: 'truncate' }],
	['no answer in time', { kind: 'hang' }],
];

type Make = () => INodeParameters;

const channel = () => lab.channel('Support Ticket Hook');
const failedEntry = () =>
	lab.state.outbox.find(
		({ channelId, statusName }) => channelId === channel().channelId && statusName === 'Failed',
	)?.httpSenderOutboxEntryId ?? '';

/** Calls that do no harm when they are made twice. */
const harmless: Array<[name: string, make: Make]> = [
	['GET: list channels', () => ({ resource: 'channel', operation: 'getAll' })],
	[
		'PUT: update a key',
		() => ({
			resource: 'apiKey',
			operation: 'update',
			apiKeyId: lab.state.apiKeys[0]?.id ?? '',
			updateFields: { name: 'New' },
		}),
	],
	[
		'DELETE: delete a message',
		() => ({
			resource: 'message',
			operation: 'delete',
			channelId: byId(lab.channel().channelId),
			chatId: 'chat',
			messageId: 'msg-1',
		}),
	],
	[
		'PATCH: cancel an outbox entry',
		() => ({
			resource: 'outbox',
			operation: 'cancel',
			channelId: byId(channel().channelId),
			entryId: failedEntry(),
		}),
	],
];

const send: Make = () => ({
	...lab.send(),
	toEmail: 'ada@example.com',
	text: 'Hello',
});
const requeue: Make = () => ({
	resource: 'outbox',
	operation: 'requeue',
	channelId: byId(channel().channelId),
	entryIds: failedEntry(),
	organizationId: channel().organizationId,
	accountId: byId(channel().accountId),
});

/** Calls that do something once more each time they are made. */
const harmful: Array<[name: string, make: Make]> = [
	['send', send],
	['requeue', requeue],
	['create an account', () => ({ resource: 'account', operation: 'create', name: 'New' })],
];

/** What happens to calls only: whether the service is there again is found out by GET /Me. */
const notMe = '(?<!/Me)$';

/** A second of the test's, in seconds of the engine's. */
const shortTimeout = 60;

/** Runs it once, with the fault in the way of its first request. */
async function tried(make: Make, rule: FaultRule, options: INodeParameters = {}) {
	const channelId = lab.channel().channelId;
	if (make().operation === 'delete') await existing('msg-1', channelId);
	await lab.client.setFaults([{ ...rule, path: notMe, times: 1 }]);
	const run = await lab.execute({ ...make(), options: { timeout: shortTimeout, ...options } }, { settings });
	return { run, calls: await lab.calls(), outcome: outcomeOf(run) };
}

/** A message that is there already. */
async function existing(messageId: string, channelId: string): Promise<void> {
	await lab.execute({
		resource: 'message',
		operation: 'send',
		inputMode: 'json',
		package: {
			channelId,
			content: { type: 'TEXT', text: 'x', messageId, to: { type: 'EMAIL', email: 'a@example.com' } },
		},
	});
	await lab.client.clearRequests();
}

const outcomeOf = (run: Run) =>
	run.json[0]?.['error'] === undefined ? 'done' : errorOf(run.main[0][0]).outcome;

describe.each(harmless)('%s', (_name, make) => {
	test.each(doubtful)('is made again after %s', async (_fault, rule) => {
		const { calls, outcome } = await tried(make, rule);
		expect([calls.length, outcome]).toEqual([2, 'done']);
	});
});

describe.each(harmful)('POST: %s', (_name, make) => {
	test.each(doubtful)('is not made again after %s', async (_fault, rule) => {
		const { calls, outcome } = await tried(make, rule);
		expect([calls.length, outcome]).toEqual([1, 'unknown']);
	});
});

describe.each([
	['send', send],
	['requeue', requeue],
])('POST: %s, with Resend Unknown', (_name, make) => {
	test.each(doubtful)('is made again after %s', async (_fault, rule) => {
		const { calls, outcome } = await tried(make, rule, { whenUnknown: 'sendAgain' });
		expect([calls.length, outcome]).toEqual([2, 'done']);
		const ids = calls.map(({ body }) => (body as { packageId?: string }).packageId);
		expect(ids[0]).toBe(ids[1]);
	});
});

describe('never made again', () => {
	test.each([301, 307, 400, 401, 403, 404, 409, 413, 422, 501])('after %i', async (status) => {
		for (const make of [send, harmless[1]![1]]) {
			await lab.client.clearRequests();
			const { calls, outcome } = await tried(
				make,
				{ kind: 'status', status },
				{
					whenUnknown: 'sendAgain',
					maxTries: 5,
				},
			);
			expect([calls.length, outcome]).toEqual([1, status === 501 ? 'unknown' : 'rejected']);
		}
	});
});

describe('Max Tries', () => {
	test.each([1, 3])('%i', async (maxTries) => {
		await lab.client.setFaults([{ kind: 'status', status: 500, path: notMe }]);
		await lab.execute({ resource: 'channel', operation: 'getAll', options: { maxTries } }, { settings });
		expect(await lab.calls()).toHaveLength(maxTries);
	});

	test('a 429 in between is no try', async () => {
		await lab.client.setFaults([
			{ kind: 'status', status: 500, path: notMe, times: 1 },
			{ kind: 'status', status: 429, path: notMe, times: 3 },
			{ kind: 'status', status: 500, path: notMe, times: 1 },
		]);
		const run = await lab.execute(
			{ resource: 'channel', operation: 'getAll', options: { maxTries: 3 } },
			{ settings },
		);
		expect((await lab.calls()).map(({ status }) => status)).toEqual([500, 429, 429, 429, 500, 200]);
		expect(outcomeOf(run)).toBe('done');
	});
});

test('once a try may have been processed, a later refusal does not make that undone', async () => {
	await lab.client.setFaults([
		{ kind: 'lostResponse', times: 1 },
		{ kind: 'status', status: 400 },
	]);
	const run = await lab.execute({ ...send(), options: { whenUnknown: 'sendAgain' } }, { settings });

	expect(outcomeOf(run)).toBe('unknown');
	expect(errorOf(run.main[0][0])).toMatchObject({ statusCode: 400 });
	expect(errorOf(run.main[0][0]).description).toMatch(/earlier try/i);
	expect(await lab.messages()).toHaveLength(1);
});

test('an answer that is nested too deeply to be read is a success all the same, and does no harm', async () => {
	const body = '['.repeat(20_000) + ']'.repeat(20_000);
	await lab.client.setFaults([
		{ kind: 'reply', path: 'SendMessage', body, contentType: 'application/json', times: 1 },
	]);
	const items = letters(3);
	const run = await lab.execute(lab.send(), { items, settings });

	expect(run.json.map((json) => Object.keys(json).includes('packageId'))).toEqual([true, true, true]);
	expect(run.json.filter((json) => 'error' in json)).toEqual([]);
	expect(await lab.accepted()).toEqual(onceEach(items));
});

test('among many, each is repeated for itself', async () => {
	await lab.client.setFaults([
		{ kind: 'lostResponse', bodyContains: 'text 3.', times: 2 },
		{ kind: 'reset', bodyContains: 'text 7.', times: 1 },
	]);
	const items = letters(12);
	const run = await lab.execute(lab.send({ whenUnknown: 'sendAgain', maxTries: 3 }), { items, settings });

	expect(run.json.filter((json) => 'error' in json)).toEqual([]);
	expect(await lab.accepted()).toEqual({ ...onceEach(items), 'text 3.': 3 });
	expect(await lab.calls()).toHaveLength(15);
});
