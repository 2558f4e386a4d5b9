import { freePort } from '../../dev/harness/n8n/ports.mts';
import type { FaultRule } from '../../dev/sandbox/types.mts';
import { letters, useDeliveryLab } from './delivery-lab.mts';
import { errorOf, type ItemError } from './lab.mts';
import { n8nUnderTest } from './n8n-under-test.mts';
import type { MessagingCredential } from './workflow.mts';

const lab = useDeliveryLab({ fastClock: 60 });

/** Sends one message, with a timeout of one second of the test, in the engine's seconds. */
const sent = async (credential: MessagingCredential, options = {}) =>
	await lab.execute(lab.send({ maxTries: 2, timeout: 60, ...options }), {
		items: letters(1),
		settings: { onError: 'continueRegularOutput' },
		credential,
	});

async function failedSend(change: Partial<MessagingCredential> = {}): Promise<ItemError> {
	const error = errorOf((await sent({ ...lab.credential, ...change })).main[0][0]);
	expect(error.message).not.toBe('');
	return error;
}

describe('unsent: it never reached the service', () => {
	test('the connection is refused', async () => {
		const error = await failedSend({ baseUrl: `http://127.0.0.1:${await freePort()}` });

		expect(error).toMatchObject({ outcome: 'unsent', statusCode: null, problem: null });
		expect(error.description).toMatch(/Base URL/);
	});

	test('the service speaks no TLS', async () => {
		const error = await failedSend({ baseUrl: lab.credential.baseUrl.replace('http:', 'https:') });

		// Without the cause of n8n's error it is unknown whether TLS was already established.
		const isTold = !n8nUnderTest().lacks.includes('cause');
		expect(error).toMatchObject({ outcome: isTold ? 'unsent' : 'unknown', statusCode: null, problem: null });
		if (isTold) expect(error.description).toContain('http://');
		expect(await lab.messages()).toEqual([]);
	});
});

test('rejected: a wrong key', async () => {
	const error = await failedSend({ apiKey: 'org_wrong' });

	expect(error).toMatchObject({ outcome: 'rejected', statusCode: 401 });
	expect(error.description).toMatch(/API Key/);
	// n8n sends a request twice when a 401 is thrown.
	expect(await lab.calls()).toHaveLength(1);
});

test.each<[name: string, rule: FaultRule]>([
	['500', { kind: 'status', status: 500 }],
	['a reset', { kind: 'reset' }],
	['a lost answer', { kind: 'lostResponse' }],
	['an answer broken off', { kind: 'truncate' }],
	['no answer in time', { kind: 'hang' }],
])('unknown: after %s it is not sent again, unless that is allowed', async (_name, rule) => {
	await lab.client.setFaults([{ ...rule, path: 'SendMessage', times: 2 }]);

	const error = await failedSend();
	expect(error.outcome).toBe('unknown');
	expect(error.description).toMatch(/^Outcome: unknown \(maybe sent\)\./);
	expect(await lab.calls()).toHaveLength(1);

	const [again] = (await sent(lab.credential, { whenUnknown: 'sendAgain' })).json;
	expect(again).toHaveProperty('packageId');
	const ids = (await lab.calls()).map(({ body }) => (body as { packageId: string }).packageId);
	expect(ids).toHaveLength(3);
	expect(ids[1]).toBe(ids[2]);
});
