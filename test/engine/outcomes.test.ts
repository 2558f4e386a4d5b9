import type { INodeParameters } from 'n8n-workflow';
import { freePort } from '../../dev/harness/n8n/ports.ts';
import type { FaultRule } from '../../dev/sandbox/types.ts';
import { endsOf, useDeliveryLab } from './delivery-lab.ts';
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

const messages = async () => (await lab.client.state()).messages.length;

describe('unsent: it never reached the service', () => {
	test('the connection is refused', async () => {
		const baseUrl = `http://127.0.0.1:${await freePort()}`;

		const error = await failedSend({ credential: { ...lab.credential, baseUrl } });

		expect(error).toMatchObject({ outcome: 'unsent', statusCode: null, problem: null });
		expect(error.description).toMatch(/Base URL/);
	});

	test('the service speaks no TLS', async () => {
		const baseUrl = lab.credential.baseUrl.replace('http:', 'https:');

		const error = await failedSend({ credential: { ...lab.credential, baseUrl } });

		// Without the cause of n8n's error it is unknown whether TLS was already established.
		const outcome = n8nUnderTest().lacks.includes('cause') ? 'unknown' : 'unsent';
		expect(error).toMatchObject({ outcome, statusCode: null, problem: null });
		expect(await messages()).toBe(0);
	});
});

describe('rejected: the service said no', () => {
	test.each([400, 429])('status %i', async (status) => {
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
});

/** Which calls are retried is tested in test/unit; here in every kind of failure without a clear answer. */
describe('unknown: it may have been processed', () => {
	const lab = useDeliveryLab({ fastClock: 60 });

	const doubtful: Array<[name: string, rule: FaultRule]> = [
		['500', { kind: 'status', status: 500 }],
		['a reset', { kind: 'reset' }],
		['a lost answer', { kind: 'lostResponse' }],
		['an answer broken off', { kind: 'truncate' }],
		['no answer in time', { kind: 'hang' }],
	];

	/** Applies to calls only: GET /Me probes whether the service is back. */
	const notMe = '(?<!/Me)$';

	const message = [{ to: 'ada@example.com', text: 'Hello' }];

	/** One second of the test, in the engine's seconds. */
	const shortTimeout = 60;

	/** Runs it once, with the fault on its first request. */
	async function tried(parameters: INodeParameters, rule: FaultRule) {
		await lab.client.setFaults([{ ...rule, path: notMe, times: 1 }]);
		const options = { timeout: shortTimeout, ...(parameters['options'] as INodeParameters | undefined) };
		const settings = { onError: 'continueErrorOutput' } as const;
		return await lab.execute({ ...parameters, options }, { items: message, settings });
	}

	describe.each(doubtful)('%s', (_fault, rule) => {
		test('a reading is made again', async () => {
			const run = await tried({ resource: 'channel', operation: 'getAll', limit: 1 }, rule);
			expect(endsOf(run)).toEqual(['done']);
			expect(await lab.calls()).toHaveLength(2);
		});

		test('a message is not sent again', async () => {
			const run = await tried(lab.send(), rule);
			expect(endsOf(run)).toEqual(['unknown']);
			expect(errorOf(run.main[1][0]).description).toMatch(/may have processed/i);
			expect(await lab.calls()).toHaveLength(1);
		});

		test('a message is sent again where that is allowed, under the same packageId', async () => {
			expect(endsOf(await tried(lab.send({ whenUnknown: 'sendAgain' }), rule))).toEqual(['done']);
			const ids = (await lab.calls()).map(({ body }) => (body as { packageId: string }).packageId);
			expect(ids).toHaveLength(2);
			expect(ids[0]).toBe(ids[1]);
		});
	});
});
