import { createServer, type AddressInfo } from 'node:net';
import type { INodeParameters } from 'n8n-workflow';
import type { FaultRule } from '../../dev/sandbox/types.ts';
import { eventually } from './eventually.ts';
import { byId, errorOf, once, useLab, type ExecuteOptions, type ItemError } from './lab.ts';
import { n8nUnderTest } from './n8n-under-test.ts';

const lab = useLab();

async function failedSend(options: ExecuteOptions = {}, change: INodeParameters = {}): Promise<ItemError> {
	const run = await lab.execute(
		{
			resource: 'message',
			operation: 'send',
			channelId: byId(lab.channelId('Support E-mail')),
			toEmail: 'ada@example.com',
			text: 'Hello',
			options: once,
			...change,
		},
		{ settings: { onError: 'continueRegularOutput' }, ...options },
	);
	expect(run.status).toBe('success');
	const error = errorOf(run.main[0][0]);
	expect(error.message).not.toBe('');
	expect(error.description).not.toBe('');
	return error;
}

async function freePort(): Promise<number> {
	const server = createServer();
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	await new Promise((resolve) => server.close(resolve));
	return port;
}

const messages = async () => (await lab.client.state()).messages.length;

describe('unsent: it never reached the service', () => {
	test('the connection is refused', async () => {
		const baseUrl = `http://127.0.0.1:${await freePort()}`;

		const error = await failedSend({ credential: { ...lab.credential, baseUrl } });

		expect(error).toMatchObject({ outcome: 'unsent', statusCode: null, problem: null });
		expect(error.description).toMatch(/Base URL/);
	});

	test('the host name is not known', async () => {
		const error = await failedSend({ credential: { ...lab.credential, baseUrl: 'http://nowhere.invalid' } });

		expect(error).toMatchObject({ outcome: 'unsent', statusCode: null, problem: null });
	});

	test('the service speaks no TLS', async () => {
		const baseUrl = lab.credential.baseUrl.replace('http:', 'https:');

		const error = await failedSend({ credential: { ...lab.credential, baseUrl } });

		// Without the error behind n8n's own, nobody knows whether TLS stood already.
		const outcome = n8nUnderTest().lacks.includes('cause') ? 'unknown' : 'unsent';
		expect(error).toMatchObject({ outcome, statusCode: null, problem: null });
		expect(await messages()).toBe(0);
	});
});

describe('rejected: the service said no', () => {
	test.each([400, 401, 403, 404, 409, 413, 422, 429])('status %i', async (status) => {
		const problem = { type: null, title: 'No', status, detail: `Because of ${status}.`, instance: null };
		await lab.client.setFaults([{ kind: 'status', status, body: problem }]);

		const error = await failedSend();

		expect(error).toMatchObject({ outcome: 'rejected', statusCode: status, problem });
		expect(error.message).toContain('No');
		expect(error.message).toContain(`Because of ${status}.`);
		expect(await messages()).toBe(0);
	});

	test('a wrong key', async () => {
		const error = await failedSend({ credential: { ...lab.credential, apiKey: 'org_wrong' } });

		expect(error).toMatchObject({ outcome: 'rejected', statusCode: 401 });
		expect(error.description).toMatch(/API Key/);
		// n8n sends a request twice when a 401 is thrown.
		expect(await lab.requests()).toHaveLength(1);
	});

	test('a 503 that says when to come back', async () => {
		await lab.client.setFaults([{ kind: 'status', status: 503, headers: { 'retry-after': '1' } }]);

		expect(await failedSend()).toMatchObject({ outcome: 'rejected', statusCode: 503 });
	});

	test('a channel that can not send', async () => {
		const error = await failedSend({}, { channelId: byId(lab.channelId('Support Hotline SMS')) });

		expect(error).toMatchObject({ outcome: 'rejected', problem: { status: error.statusCode } });
		expect(error.message).toContain(error.problem?.['detail']);
		expect(await messages()).toBe(0);
	});
});

describe('unknown: it may have been processed', () => {
	test.each<[title: string, rule: FaultRule, accepted: number]>([
		['the connection is reset', { kind: 'reset' }, 0],
		['the answer is lost', { kind: 'lostResponse' }, 1],
		['the answer breaks off', { kind: 'truncate' }, 1],
	])('%s', async (_title, rule, accepted) => {
		await lab.client.setFaults([rule]);

		const error = await failedSend();

		expect(error).toMatchObject({ outcome: 'unknown', statusCode: null, problem: null });
		expect(error.description).toMatch(/may have processed/i);
		expect(await messages()).toBe(accepted);
		expect(await lab.requests()).toHaveLength(1);
	});

	test.each([500, 502, 503, 504])('status %i', async (status) => {
		const problem = { title: 'Broken', detail: 'Half-way.', status };
		await lab.client.setFaults([{ kind: 'status', status, body: problem }]);

		const error = await failedSend();

		expect(error).toMatchObject({ outcome: 'unknown', statusCode: status, problem });
		expect(error.message).toContain('Broken');
		expect(await lab.requests()).toHaveLength(1);
	});

	test('the service does not answer in time', async () => {
		await lab.client.setFaults([{ kind: 'hang' }]);

		const error = await failedSend({}, { options: { ...once, timeout: 1 } });

		expect(error).toMatchObject({ outcome: 'unknown', statusCode: null, problem: null });
		expect(await lab.requests()).toHaveLength(1);
		const isClosed = async () => (await lab.requests()).every(({ clientClosed }) => clientClosed);
		await eventually(isClosed, 'an end of the connection');
	});
});

describe('answers that are no problem details', () => {
	test.each([
		['a page', '<html><body>Bad gateway</body></html>', 'text/html'],
		['text', 'Try later', 'text/plain'],
		['nothing', null, 'application/json'],
		['a list', [1], 'application/json'],
		[
			'empty problem details',
			{ type: null, title: null, status: null, detail: null },
			'application/problem+json',
		],
	])('%s', async (_title, body, contentType) => {
		await lab.client.setFaults([{ kind: 'status', status: 400, body, contentType }]);

		const error = await failedSend();

		expect(error).toMatchObject({ outcome: 'rejected', statusCode: 400 });
		expect(error.message).not.toContain('<');
		expect(error.problem === null || typeof error.problem === 'object').toBe(true);
	});
});
