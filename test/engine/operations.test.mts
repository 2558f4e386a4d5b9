import { readWorld } from '../../dev/harness/world.mts';
import type { LoggedRequest } from '../../dev/sandbox/types.mts';
import { cases, endpointIdOf, type ExpectedRequest, loggedAs, scenarios } from '../cases/index.mts';
import { useLab } from './lab.mts';

const lab = useLab();
const mediaType = 'application/json; v=1.0';

/** Requests run in parallel, so both sides are sorted before they are compared. */
function sorted<T>(requests: T[], textOf: (request: T) => string): T[] {
	return [...requests].sort((a, b) => textOf(a).localeCompare(textOf(b)));
}

const sortText = ({ method, path, query, body }: Partial<LoggedRequest> | ExpectedRequest) => {
	const random = /"packageId":("[^"]*"|\{[^}]*\}),?|Respond: [^"]*/g;
	const withoutRandom = JSON.stringify(body ?? null).replace(random, '');
	return [method, path, JSON.stringify(query ?? {}), [...withoutRandom].sort().join('')].join(' ');
};

describe.each(scenarios)('$title', ({ prepare, id, resource, operation }) => {
	test('sends what the interface describes, and gives the answers in input order', async () => {
		const { items, parameters, requests, output } = await prepare(await readWorld(lab.client, lab));
		expect(items).toHaveLength(2);

		const run = await lab.execute({ resource, operation, ...parameters }, { items: [...items] });

		expect(run.error).toBeUndefined();
		expect(run.status).toBe(cases[id].traits.includes('waits') ? 'waiting' : 'success');
		expect(run.main[0]).toEqual(
			output.map(({ json, pairedItem }) => ({ json: expect.objectContaining(json) as unknown, pairedItem })),
		);

		const received = sorted(await lab.requestsOf(endpointIdOf(id)), sortText);
		const expected = sorted([...requests], sortText);
		expect(received.map(({ problems }) => problems)).toEqual(expected.map(() => []));
		expect(received.map(({ method, path, query, body }) => ({ method, path, query, body }))).toEqual(
			expected.map(({ query = {}, body = null, ...request }) => ({ ...request, query, body })),
		);

		const keyId = lab.state.apiKeys.find(({ apiKey }) => apiKey === lab.credential.apiKey)?.id;
		for (const request of received) {
			expect(request).toMatchObject({ conforms: true, accepted: true, operationId: loggedAs(id), keyId });
			expect(request.headers).toMatchObject({ accept: mediaType, 'x-api-key': keyId });
			if (request.body === null) {
				expect(request.bodyText).toBe('');
				expect(request.headers['content-type']).toBeUndefined();
				expect(request.headers['content-length'] ?? '0').toBe('0');
			} else {
				expect(request.headers['content-type']).toBe(mediaType);
			}
		}
	});
});
