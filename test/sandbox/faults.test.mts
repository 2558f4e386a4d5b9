import { request } from 'undici';
import type { FaultRule, LoggedRequest } from '../../dev/sandbox/types.mts';
import { eventually } from '../waiting.mts';
import { packageFor, useWorld } from './world.mts';

const world = useWorld();

const sendPath = '/api/v1/message/SendMessage';

interface Outcome {
	status?: number;
	text?: string;
	/** The error with which the connection broke. */
	broken?: string;
}

async function send(text = 'Hello', timeoutMs = 5000): Promise<Outcome> {
	try {
		const response = await request(world.sandbox.url + sendPath, {
			method: 'POST',
			headers: { 'x-api-key': world.sandbox.tokens.org, 'content-type': 'application/json; v=1.0' },
			body: JSON.stringify(packageFor(world.channelId('Support E-mail'), text)),
			signal: AbortSignal.timeout(timeoutMs),
		});
		return { status: response.statusCode, text: await response.body.text() };
	} catch (error) {
		return { broken: String(error) };
	}
}

/** The number of accepted messages, and the last request once its connection is closed. */
async function effect(): Promise<{ messages: number; last: LoggedRequest | undefined }> {
	const last = async () => (await world.client.requests()).at(-1);
	await eventually(async () => (await last())?.inFlightMs !== null, 'the end of the request');
	return { messages: (await world.client.state()).messages.length, last: await last() };
}

const arrived = async (count: number): Promise<void> =>
	await eventually(async () => (await world.client.requests()).length >= count, `request ${count}`);

test.each<[string, () => Promise<unknown>]>([
	['other faults are set', () => world.client.setFaults([{ kind: 'status', status: 500 }])],
	['there are none', () => world.client.clearFaults()],
])('hold waits until %s, and then goes on', async (_case, change) => {
	await world.client.setFaults([
		{ kind: 'hold', bodyContains: 'held' },
		{ kind: 'status', status: 429, bodyContains: 'refused' },
	]);
	const held = send('held');
	const refused = send('held and refused');
	expect(await send('free')).toMatchObject({ status: 200 });
	await arrived(3);
	expect((await world.client.state()).messages.map(({ text }) => text)).toEqual(['free']);
	await change();
	expect(await held).toMatchObject({ status: 200 });
	expect(await refused).toMatchObject({ status: 429 });
	expect((await world.client.state()).messages.map(({ text }) => text)).toEqual(['free', 'held']);
});

test('status answers without an effect', async () => {
	await world.client.setFaults([
		{ kind: 'latency', ms: 1 },
		{ kind: 'status', status: 503, headers: { 'retry-after': '7' } },
	]);
	const answer = await world.call('POST', sendPath, {
		body: packageFor(world.channelId('Support E-mail'), 'x'),
	});
	expect(answer).toMatchObject({ status: 503, body: { title: 'Service Unavailable', status: 503 } });
	expect(answer.headers['retry-after']).toBe('7');
	expect(await effect()).toMatchObject({
		messages: 0,
		last: { fault: 'latency+status', status: 503, accepted: false, conforms: true },
	});
});

test.each<[FaultRule['kind'], number, string, Partial<LoggedRequest>]>([
	['reset', 0, 'ECONNRESET', { accepted: false, clientClosed: false }],
	['hang', 0, 'Timeout', { accepted: false, clientClosed: true }],
	['lostResponse', 1, 'other side closed', { accepted: true, clientClosed: false }],
	// Half of the body arrives.
	['truncate', 1, 'other side closed', { accepted: true }],
])('after "%s" %i messages are stored, and the client sees: %s', async (kind, messages, broken, logged) => {
	await world.client.setFaults([{ kind }]);
	expect(await send('Hello', kind === 'hang' ? 150 : 5000)).toEqual({
		broken: expect.stringContaining(broken),
	});
	expect(await effect()).toMatchObject({ messages, last: { ...logged, fault: kind, status: null } });
});

test.each<[string, Partial<FaultRule>, number, string | RegExp]>([
	['another status', { status: 202 }, 202, /^\{.*"messageId"/],
	['a text', { body: 'queued' }, 200, 'queued'],
	['nothing', { body: null, status: 204 }, 204, ''],
	['a list', { body: [1, 2] }, 200, '[1,2]'],
])('reply takes effect and answers with %s', async (_case, rule, status, text) => {
	await world.client.setFaults([{ kind: 'reply', ...rule }]);
	const answer = await send();
	expect(answer).toEqual({ status, text: text instanceof RegExp ? expect.stringMatching(text) : text });
	expect(await effect()).toMatchObject({ messages: 1, last: { status, accepted: true, fault: 'reply' } });
});

async function statuses(count: number, text: (index: number) => string = () => 'Hello'): Promise<number[]> {
	const seen: number[] = [];
	for (let index = 0; index < count; index++) {
		seen.push((await send(text(index))).status ?? 0);
	}
	return seen;
}

test('a rule with a time is gone when it is over, the others stay', async () => {
	const lasting = { kind: 'latency', ms: 0 } as const;
	await world.client.setFaults([{ kind: 'status', seconds: 0.2 }, lasting]);
	expect(await world.call('GET', '/api/v1/Me')).toMatchObject({ status: 503 });
	await eventually(async () => (await world.client.faults()).length === 1, 'the end of the fault');
	expect(await world.client.faults()).toMatchObject([{ rule: lasting }]);
	expect(await world.call('GET', '/api/v1/Me')).toMatchObject({ status: 200 });
});

test('skip, every and times choose among the matches', async () => {
	await world.client.setFaults([{ kind: 'status', status: 500, skip: 1, every: 2, times: 2 }]);
	expect(await statuses(8)).toEqual([200, 200, 500, 200, 500, 200, 200, 200]);
	expect(await world.client.faults()).toMatchObject([{ matched: 8, applied: 2 }]);
});

test('method, path and body choose the requests, and the first rule that applies decides', async () => {
	await world.client.setFaults([
		{ kind: 'status', status: 500, method: 'get' },
		{ kind: 'status', status: 501, path: '/Admin/' },
		{ kind: 'status', status: 502, path: 'SendMessage$', bodyContains: 'number 1' },
		{ kind: 'status', status: 503, bodyContains: 'number' },
	]);
	expect(await statuses(3, (index) => `number ${index}`)).toEqual([503, 502, 503]);
	expect(await statuses(1)).toEqual([200]);
	expect(await world.call('GET', '/api/v1/Me')).toMatchObject({ status: 500 });
	expect(await world.call('POST', '/api/v1/Admin/Account', { body: {} })).toMatchObject({ status: 501 });
});

test.each<[string, unknown]>([
	['an unknown kind', [{ kind: 'explode' }]],
	['a path that is no expression', [{ kind: 'reset', path: '(' }]],
	['no list', { kind: 'reset' }],
])('%s is refused', async (_case, rules) => {
	const { statusCode, body } = await request(`${world.sandbox.control}/faults`, {
		method: 'PUT',
		body: JSON.stringify(rules),
	});
	expect(statusCode).toBe(400);
	expect(await body.json()).toMatchObject({ title: 'Bad Request' });
	expect(await world.client.faults()).toEqual([]);
});
