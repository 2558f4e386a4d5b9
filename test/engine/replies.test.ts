import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { cases, unaskedParameters, type OperationId } from '../cases/index.ts';
import { anyUuid, ids } from '../cases/values.ts';
import { byId, errorOf, useLab } from './lab.ts';
import type { Run } from './run.ts';

const lab = useLab();

/** Output fields that the node sets itself, whatever the service answers. */
function ownOf(id: OperationId): IDataObject {
	const { known, settled } = cases[id].reply;
	const own = Object.entries(known).map(([name, value]) => [name, value === ids.call ? anyUuid() : value]);
	return { ...(Object.fromEntries(own) as IDataObject), ...settled };
}

/** Every answer to every operation is tested in test/unit; here n8n parses it. */
const single = ['message.send', 'channel.create'] as const;

/** The service's answer, and the output fields that result. */
const replies: Array<{
	title: string;
	body: unknown;
	contentType?: string;
	status?: number;
	adds: IDataObject;
}> = [
	{ title: 'nothing, with status 204', body: null, status: 204, adds: {} },
	{ title: 'text', body: 'Accepted', contentType: 'text/plain; v=1.0', adds: { response: 'Accepted' } },
	{
		title: 'text that is called JSON',
		body: 'Accepted',
		contentType: 'application/json',
		adds: { response: 'Accepted' },
	},
	{ title: 'a number', body: 5, contentType: 'application/json; v=1.0', adds: { response: 5 } },
	{
		title: 'an object',
		body: { more: { deep: [1] }, nothing: null },
		adds: { more: { deep: [1] }, nothing: null },
	},
	{ title: 'an object called text', body: '{"a":1}', contentType: 'text/plain; v=1.0', adds: { a: 1 } },
	{ title: 'an error field', body: { error: 'soft', a: 1 }, adds: { serviceError: 'soft', a: 1 } },
];

describe.each(single)('%s', (id) => {
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

			const run = await lab.execute(unaskedParameters(id, cases[id].record?.raw), {
				settings: { onError: 'continueErrorOutput' },
			});

			expect(run.main[1]).toEqual([]);
			expect(run.json).toEqual([{ ...ownOf(id), ...adds, ...cases[id].reply.settled }]);
		},
	);
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
