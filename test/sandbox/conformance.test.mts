import { randomUUID } from 'node:crypto';

import { readWorld } from '../../dev/harness/world.mts';
import { loadContract } from '../../dev/sandbox/interface/contract.mts';
import { loggedAs, scenarios } from '../cases/index.mts';
import { words } from '../cases/values.mts';
import { type CallOptions, packageFor, type Received, useWorld } from './world.mts';

const world = useWorld();

const sendPath = '/api/v1/message/SendMessage';
const send = (options: CallOptions = {}): Promise<Received> =>
	world.call('POST', sendPath, { body: packageFor(world.channelId('Support E-mail'), 'Hello'), ...options });

/** The only request in the log. */
async function logged() {
	const requests = await world.client.requests();
	expect(requests).toHaveLength(1);
	return requests[0];
}

test('a request that conforms is logged as received', async () => {
	const { status } = await send();
	expect(status).toBe(200);
	expect(await logged()).toMatchObject({
		method: 'POST',
		path: sendPath,
		query: {},
		operationId: 'message.send',
		conforms: true,
		problems: [],
		fault: null,
		status: 200,
		accepted: true,
		inFlight: 1,
		body: packageFor(world.channelId('Support E-mail'), 'Hello'),
		headers: { 'content-type': 'application/json; v=1.0', accept: 'application/json; v=1.0' },
	});
});

test.each<[problem: string, options: CallOptions]>([
	['chanelId: the interface has no such field', { body: { chanelId: 'x' } }],
	['content.isFromme: the interface has no such field', { body: { content: { isFromme: true } } }],
	['content.text: must be string', { body: { content: { text: 5 } } }],
	['packageId: must be string', { body: { packageId: null } }],
	['channelId: must match format "uuid"', { body: { channelId: 'abc' } }],
	['timestamp: must match format "date-time"', { body: { timestamp: '2025-01-01T10:00:00' } }],
	['content.priority: must match format "int32"', { body: { content: { priority: 2 ** 31 } } }],
	['content.priority: must be integer', { body: { content: { priority: 1.5 } } }],
	['body: must be object', { body: [] }],
	['body: is not valid JSON', { rawBody: '{"a":' }],
	['body: missing', { rawBody: '' }],
	['Content-Type: application/json', { headers: { 'content-type': 'application/json' } }],
	['Content-Type: text/plain; v=1.0', { headers: { 'content-type': 'text/plain; v=1.0' } }],
	['Content-Type: missing', { headers: { 'content-type': null } }],
	['Accept: takes none of', { headers: { accept: 'application/json; v=2.0' } }],
	['Accept: takes none of', { headers: { accept: 'application/xml' } }],
])('is refused with 400: %s', async (problem, options) => {
	const { status, body } = await send(options);
	expect(status).toBe(400);
	expect(body.detail).toContain(problem);
	const entry = await logged();
	expect(entry).toMatchObject({ conforms: false, status: 400, accepted: false });
	expect(entry?.problems.join('\n')).toContain(problem);
	expect((await world.client.state()).messages).toEqual([]);
});

test.each([
	['Application/JSON;v=1.0; charset=utf-8', 'text/plain; v=1.0', 'text/plain; v=1.0'],
	['text/json; v=1.0', 'text/json', 'text/json; v=1.0'],
	['application/vnd.messaging+json; v=1.0', '*/*', 'application/json; v=1.0'],
	['application/json; v=1.0', null, 'application/json; v=1.0'],
])('the content type %s is taken, and Accept %s is answered with %s', async (given, accept, answered) => {
	const { status, headers } = await send({ headers: { 'content-type': given, accept } });
	expect(status).toBe(200);
	expect(headers['content-type']).toBe(answered);
});

test.each(words('/api/v1/me /api/v1/admin/Account /api/v1/Admin/channel /api/v1/Me/ /Me / /api/v1/%zz'))(
	'the path %s is unknown',
	async (path) => {
		const { status, body } = await world.call('GET', path);
		expect(status).toBe(404);
		expect(body.detail).toContain(`the interface has no ${path}`);
		expect(await logged()).toMatchObject({ path, conforms: false, status: 404, operationId: null });
	},
);

test('another method is refused', async () => {
	expect(await world.call('POST', '/api/v1/Me')).toMatchObject({ status: 405 });
	expect(await logged()).toMatchObject({ conforms: false, status: 405 });
});

test('an operation without a body takes neither body nor content type nor query', async () => {
	const [entry] = world.state.outbox;
	const path = `/api/v1/admin/channel/${entry?.channelId}/outbox/${entry?.httpSenderOutboxEntryId}/cancel`;
	const { status, body } = await world.call('PATCH', `${path}?force=1`, { body: {} });
	expect(status).toBe(400);
	expect(body.detail).toBe(
		'query force: the operation takes no query parameters; Content-Type: the operation has no body; body: the operation has none',
	);
});

test('a path id must be a uuid', async () => {
	const { status, body } = await world.call('DELETE', '/api/v1/Admin/ApiKey/not%20a%20uuid');
	expect(status).toBe(400);
	expect(body.detail).toBe('path id: must match format "uuid"');
});

test('a list takes any query parameters', async () => {
	const { status } = await world.call('GET', '/api/v1/Admin/Channel?page=2&tag=a&tag=b&x%20y=z');
	expect(status).toBe(200);
	expect(await logged()).toMatchObject({
		conforms: true,
		query: { page: '2', tag: ['a', 'b'], 'x y': 'z' },
	});
});

test('a request without a key does not conform', async () => {
	await world.call('GET', '/api/v1/Me', { token: null });
	expect(await logged()).toMatchObject({ conforms: false, problems: ['X-API-KEY: missing'], status: 401 });
});

/** A value to send; where any UUID will do, a new one. */
function sendable(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sendable);
	if (typeof value !== 'object' || value === null) return value;
	if ('asymmetricMatch' in value) return randomUUID();
	return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, sendable(member)]));
}

const contract = loadContract();

/** The requests that the node sends in each scenario, sent without the node. */
test.each(scenarios)(
	'$title: answered as the interface says, without the token of another key',
	async ({ id, prepare }) => {
		const { requests } = await prepare(await readWorld(world.client, world));
		const endpoint = loggedAs(id);
		for (const { method, path, query, body } of requests) {
			const asked = query === undefined ? path : `${path}?${new URLSearchParams(query).toString()}`;
			const answer = await world.call(method, asked, body && { body: sendable(body) });
			const type = String(answer.headers['content-type']);
			const { status, body: given } = answer;
			if (endpoint !== null) expect(contract.answerProblems(endpoint, status, type, given)).toEqual([]);
			expect(
				world.state.apiKeys.filter(({ apiKey }) => String(JSON.stringify(given)).includes(apiKey)),
			).toEqual([]);
		}
	},
);
