import { randomUUID } from 'node:crypto';

import { readWorld } from '../../dev/harness/world.ts';
import { endpointIdOf, type ExpectedRequest, scenarios } from '../cases/index.ts';
import { World } from './world.ts';

/** What the node sends in each scenario, sent without the node. */

let world: World;
beforeAll(async () => (world = await World.start()));
afterAll(() => world.stop());
beforeEach(() => world.reset());

/** A value to send: where any UUID will do, one is made. */
function sendable(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sendable);
	if (typeof value !== 'object' || value === null) return value;
	if ('asymmetricMatch' in value) return randomUUID();
	return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, sendable(member)]));
}

async function answers(requests: readonly ExpectedRequest[]): Promise<string[]> {
	const texts: string[] = [];
	for (const request of requests) {
		const query = new URLSearchParams(request.query).toString();
		const { status, text } = await world.call<unknown>(
			request.method,
			`${request.path}${query === '' ? '' : `?${query}`}`,
			request.body === undefined ? {} : { body: sendable(request.body) },
		);
		expect({ status: Math.floor(status / 100), text }).toMatchObject({ status: 2 });
		texts.push(text);
	}
	return texts;
}

describe.each(scenarios)('$title', ({ id, prepare }) => {
	test('is answered as the interface says', async () => {
		const { requests } = await prepare(await readWorld(world.client, world));
		await answers(requests);
		const received = await world.client.requests();
		expect(received.map(({ operationId, conforms, accepted }) => [operationId, conforms, accepted])).toEqual(
			requests.map(() => [endpointIdOf(id), true, true]),
		);
	});

	// A new key's token is told once, to whoever makes the key.
	const creates = id.startsWith('apiKey.create');

	test(`the answer holds ${creates ? 'no token of another key' : "no key's token"}`, async () => {
		const { requests } = await prepare(await readWorld(world.client, world));
		const tokens = (await world.client.state()).apiKeys.map(({ apiKey }) => apiKey);
		expect(tokens.length).toBeGreaterThan(1);
		for (const text of await answers(requests)) {
			expect(tokens.filter((token) => text.includes(token))).toEqual([]);
		}
	});
});
