import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { byId, useLab, type Lab } from './lab.ts';

const lab = useLab();
const uuid = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const message = { chatId: 'chat', messageId: 'message' };

interface Operation {
	title: string;
	parameters: (from: Lab) => INodeParameters;
	/** What the node puts into the output itself, whatever the service answers. */
	own: (from: Lab) => IDataObject;
}

const channelId = (from: Lab) => from.channelId('Support E-mail');
const createChannel: INodeParameters = {
	resource: 'channel',
	operation: 'create',
	name: 'Name',
	channelType: 'EMAIL',
	providerId: uuid,
	accountId: byId(uuid),
	parametersMode: 'json',
};
const updateParameters = (from: Lab): INodeParameters => ({
	resource: 'channel',
	operation: 'updateParameters',
	channelId: byId(channelId(from)),
	parametersMode: 'json',
});
const operations: Operation[] = [
	{
		title: 'send',
		parameters: (from) => ({
			resource: 'message',
			operation: 'send',
			channelId: byId(channelId(from)),
			toEmail: 'ada@example.com',
			text: 'Hello',
			additionalFields: { packageId: uuid },
		}),
		own: (from) => ({ packageId: uuid, channelId: channelId(from) }),
	},
	{
		title: 'edit',
		parameters: (from) => ({
			resource: 'message',
			operation: 'edit',
			channelId: byId(channelId(from)),
			...message,
			newText: 'New',
		}),
		own: (from) => ({ success: true, ...message, channelId: channelId(from) }),
	},
	{
		title: 'delete',
		parameters: (from) => ({
			resource: 'message',
			operation: 'delete',
			channelId: byId(channelId(from)),
			...message,
		}),
		own: (from) => ({ deleted: true, ...message, channelId: channelId(from) }),
	},
	{
		title: 'delete a key',
		parameters: () => ({
			resource: 'apiKey',
			operation: 'delete',
			apiKeyId: uuid,
			options: { allowRevokingKeyInUse: true },
		}),
		own: () => ({ deleted: true, apiKeyId: uuid }),
	},
	{
		title: 'cancel',
		parameters: (from) => ({
			resource: 'outbox',
			operation: 'cancel',
			channelId: byId(channelId(from)),
			entryId: uuid,
		}),
		own: (from) => ({ success: true, channelId: channelId(from), httpSenderOutboxEntryId: uuid }),
	},
	{
		title: 'requeue',
		parameters: (from) => ({
			resource: 'outbox',
			operation: 'requeue',
			channelId: byId(channelId(from)),
			entryIds: uuid,
			organizationId: uuid,
			accountId: byId(uuid),
		}),
		own: (from) => ({ success: true, channelId: channelId(from), ids: [uuid] }),
	},
	{
		title: 'get the current key',
		parameters: () => ({ resource: 'apiKey', operation: 'getCurrent' }),
		own: () => ({}),
	},
	{
		title: 'create an account',
		parameters: () => ({ resource: 'account', operation: 'create', name: 'Name', simplify: false }),
		own: () => ({}),
	},
	{
		title: 'create a channel',
		parameters: () => ({ ...createChannel, simplify: false }),
		own: () => ({}),
	},
	{
		title: 'update the parameters of a channel',
		parameters: (from) => ({ ...updateParameters(from), simplify: false }),
		own: (from) => ({ channelId: channelId(from) }),
	},
];

/** Operations that give a simplified record unless told otherwise, and the fields of the record. */
const simplified: Operation[] = [
	{
		title: 'create an account',
		parameters: () => ({ resource: 'account', operation: 'create', name: 'Name' }),
		own: () => ({}),
	},
	{ title: 'create a channel', parameters: () => createChannel, own: () => ({}) },
	{
		title: 'update the parameters of a channel',
		parameters: updateParameters,
		own: (from) => ({ channelId: channelId(from) }),
	},
];

/** The service's answer, and what it adds to the output. */
const replies: Array<{
	title: string;
	body: unknown;
	contentType?: string;
	status?: number;
	adds: IDataObject;
}> = [
	{ title: 'nothing', body: null, adds: {} },
	{ title: 'nothing, with status 204', body: null, status: 204, adds: {} },
	{ title: 'text', body: 'Accepted', contentType: 'text/plain; v=1.0', adds: { response: 'Accepted' } },
	{
		title: 'text that is called JSON',
		body: 'Accepted',
		contentType: 'application/json',
		adds: { response: 'Accepted' },
	},
	{ title: 'a list', body: [1, { a: 2 }], adds: { response: [1, { a: 2 }] } },
	{ title: 'a number', body: 5, contentType: 'application/json; v=1.0', adds: { response: 5 } },
	{
		title: 'an object',
		body: { more: { deep: [1] }, nothing: null },
		adds: { more: { deep: [1] }, nothing: null },
	},
	{ title: 'an object called text', body: '{"a":1}', contentType: 'text/plain; v=1.0', adds: { a: 1 } },
	{ title: 'an error field', body: { error: 'soft', a: 1 }, adds: { serviceError: 'soft', a: 1 } },
	{ title: 'an error object alone', body: { error: { code: 7 } }, adds: { serviceError: { code: 7 } } },
	{
		title: 'success: false',
		body: { success: false, deleted: false },
		adds: { success: false, deleted: false },
	},
];

describe.each(operations)('$title', ({ parameters, own }) => {
	test.each(replies)(
		'answered with $title is a success',
		async ({ body, contentType, status = 200, adds }) => {
			await lab.client.setFaults([
				{
					kind: 'reply',
					status,
					body,
					...(contentType === undefined ? {} : { contentType }),
				},
			]);

			const run = await lab.execute(parameters(lab), { settings: { onError: 'continueErrorOutput' } });

			const known = own(lab);
			const settled = Object.fromEntries(
				Object.entries(known).filter(([name]) => name === 'success' || name === 'deleted'),
			);
			expect(run.main[1]).toEqual([]);
			expect(run.json).toEqual([{ ...known, ...adds, ...settled }]);
		},
	);
});

describe.each(simplified)('$title, simplified', ({ parameters, own }) => {
	const options = { settings: { onError: 'continueErrorOutput' } as const };

	test.each([
		['nothing', null, {}],
		['text', 'Accepted', { response: 'Accepted' }],
		['a list', [{ error: 'soft' }], { response: [{ error: 'soft' }] }],
	])('answered with %s is as without it', async (_title, body, adds) => {
		const contentType = typeof body === 'string' ? 'text/plain' : 'application/json; v=1.0';
		await lab.client.setFaults([{ kind: 'reply', status: 200, body, contentType }]);

		const run = await lab.execute(parameters(lab), options);

		expect(run.json).toEqual([{ ...own(lab), ...adds }]);
	});

	test.each([
		['an empty record', {}],
		['a record', { name: 'Name', status: { name: 'Ready' }, devices: [{}], parameters: { a: 1 } }],
		['a record that carries an error', { error: 'soft', name: 'Name' }],
	])('answered with %s has at most ten flat fields', async (_title, body) => {
		await lab.client.setFaults([{ kind: 'reply', status: 200, body }]);

		const run = await lab.execute(parameters(lab), options);

		expect(run.main[1]).toEqual([]);
		const [item = {}] = run.json;
		expect(Object.keys(item).length).toBeLessThanOrEqual(10);
		expect(Object.values(item).every((value) => value === null || typeof value !== 'object')).toBe(true);
		expect(item).toMatchObject({ ...own(lab), name: 'name' in body ? body.name : null });
	});
});

describe.each(['channel', 'account'])('the list of every %s', (resource) => {
	const all = { resource, operation: 'getAll', returnAll: true };
	const options = { settings: { onError: 'continueErrorOutput' } as const };

	test.each([
		['an empty list', [], 0],
		['nothing', null, 0],
		['records with every field missing or null', [{}, { name: null, status: null, organization: null }], 2],
		['records that carry an error', [{ error: 'soft', name: 'a' }], 1],
	])('answered with %s', async (_title, body, count) => {
		await lab.client.setFaults([{ kind: 'reply', body }]);

		for (const simplify of [true, false]) {
			const run = await lab.execute({ ...all, simplify }, options);
			expect(run.status).toBe('success');
			expect(run.main[1]).toEqual([]);
			expect(run.main[0]).toHaveLength(count);
		}
	});

	test('answered with text gives it as a response', async () => {
		await lab.client.setFaults([{ kind: 'reply', body: 'no list', contentType: 'text/plain' }]);

		const run = await lab.execute(all, options);

		expect(run.json).toEqual([{ response: 'no list' }]);
	});
});
