import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { cases, unaskedParameters } from '../cases/index.ts';
import { anyUuid, ids } from '../cases/values.ts';
import { byId, errorOf, useLab } from './lab.ts';
import type { Run } from './run.ts';

const lab = useLab();

/** Every answer to every operation is tested in test/unit. */
test.each<[what: string, fault: { body: unknown; contentType?: string; status?: number }, adds: IDataObject]>(
	[
		['nothing, with status 204', { body: null, status: 204 }, {}],
		[
			'text that is called JSON',
			{ body: 'Accepted', contentType: 'application/json' },
			{ response: 'Accepted' },
		],
		['a number', { body: 5, contentType: 'application/json; v=1.0' }, { response: 5 }],
		['an object called text', { body: '{"a":1}', contentType: 'text/plain; v=1.0' }, { a: 1 }],
		['an error field', { body: { error: 'soft', a: [1, null] } }, { serviceError: 'soft', a: [1, null] }],
	],
)('a message that is answered with %s is sent', async (_what, fault, adds) => {
	await lab.client.setFaults([{ kind: 'reply', status: 200, ...fault }]);
	const id = 'message.send';

	const run = await lab.execute(unaskedParameters(id, cases[id].record?.raw), {
		settings: { onError: 'continueErrorOutput' },
	});

	const { known, settled } = cases[id].reply;
	const own = Object.entries(known).map(([name, value]) => [name, value === ids.call ? anyUuid() : value]);
	expect(run.main[1]).toEqual([]);
	expect(run.json).toEqual([{ ...(Object.fromEntries(own) as IDataObject), ...adds, ...settled }]);
});

describe('an answer that no service should give', () => {
	/** Runs the node once with a service that answers this. */
	async function answered(parameters: INodeParameters, body: string): Promise<Run> {
		const server = createServer((request, response) => {
			request.resume();
			response.writeHead(200, { 'content-type': 'application/json' }).end(body);
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		try {
			const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
			const credential = { ...lab.credential, baseUrl };
			return await lab.execute(parameters, { credential, settings: { onError: 'continueRegularOutput' } });
		} finally {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		}
	}

	const levels = (count: number): string => `${'['.repeat(count)}${']'.repeat(count)}`;
	const long = 1_000_000;

	test.each<[kind: string, body: string]>([
		['thirty thousand fields', `{${Array.from({ length: 30_000 }, (_, n) => `"f${n}":1`).join(',')}}`],
		['a token without an end', JSON.stringify({ note: `X-API-KEY: acc_${'a'.repeat(long)}` })],
		['a token in a field without an end', JSON.stringify({ apiKey: 'a'.repeat(long) })],
		['a million backslashes', JSON.stringify({ note: '\\'.repeat(long) })],
		['a hundred thousand levels', `{"a":${levels(100_000)}}`],
		['brackets without an end', '['.repeat(long)],
		['a name without an end', JSON.stringify({ ['x'.repeat(long)]: 1 })],
		['half a document', '{"packageId":"'],
	])('a message that was accepted is sent all the same: %s', async (_kind, body) => {
		const run = await answered(
			{
				resource: 'message',
				operation: 'send',
				channelId: byId(lab.channelId('Support E-mail')),
				toEmail: 'ada@example.com',
				text: 'Hello',
			},
			body,
		);

		expect(run.json[0]?.['error']).toBeUndefined();
		expect(typeof run.json[0]?.['packageId']).toBe('string');
		expect(run.saved).not.toContain('a'.repeat(100));
	});

	test('a list that is nested too deeply is an error, and no empty list', async () => {
		const getAll: INodeParameters = { resource: 'channel', operation: 'getAll', returnAll: true };
		expect((await answered(getAll, levels(501))).json).toHaveLength(1);
		const run = await answered(getAll, levels(502));

		expect(errorOf(run.main[0][0])).toMatchObject({
			outcome: 'rejected',
			statusCode: 200,
			message: 'The answer of the service is unreadable',
		});
	});

	test('an ID above 2^53 keeps its digits', async () => {
		const send = unaskedParameters('message.send', cases['message.send'].record?.raw);
		const run = await answered(
			send,
			'{"messageId":12345678901234567890,"content":{"chatId":-9007199254740993}}',
		);

		expect(run.json).toMatchObject([
			{ messageId: '12345678901234567890', content: { chatId: '-9007199254740993' } },
		]);
	});
});
