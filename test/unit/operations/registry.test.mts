import { Ledger } from '../../../nodes/Messaging/delivery/ledger.ts';
import { findOperation, operations } from '../../../nodes/Messaging/operations/index.ts';
import { cases, endpointIdOf, operationIds } from '../../cases/index.mts';
import { endpointOf, endpoints, schemaNamed } from '../../../api/interface.mts';
import { problemsOf } from '../support/interface.mts';
import { fakeN8n, jsonResponse } from '../support/fake-n8n.mts';
import { operationUnderTest } from '../support/operations.mts';

const registered = operations.map(({ resource, name }) => `${resource}.${name}`);

test('every endpoint of the interface has its operation and its case, and they have no others', () => {
	const described = endpoints.map(({ id }) => id).sort();
	const own = operationIds.filter((id) => cases[id].endpoint === undefined);
	expect([...own].sort()).toStrictEqual(described);
	expect([...registered].sort()).toStrictEqual([...operationIds].sort());
});

test('each endpoint of the interface has a method and path of its own', () => {
	const places = endpoints.map(({ method, template }) => `${method} ${template}`);
	expect(places.filter((place, index) => places.indexOf(place) !== index)).toStrictEqual([]);
});

describe.each(operationIds)('%s', (id) => {
	const under = operationUnderTest(id);
	const { least, most, fromBody, endpoint } = cases[id];
	const endpointId = endpointIdOf(id);
	const { body, takesQuery } = endpointOf(endpointId);

	const isAny = cases[id].traits.includes('any endpoint');

	test.each([
		['the least', least],
		['everything', most],
	])('given %s, calls its endpoint as the interface says', (_kind, { given, call }) => {
		expect(under.compile(given).call).toStrictEqual(
			isAny ? { ...call, method: given.method ?? 'GET' } : call,
		);
		if (!isAny) expect(problemsOf(endpointId, call)).toStrictEqual([]);
	});

	test('takes query parameters only where the interface does', () => {
		const options = under.operation.fields.find(({ name }) => name === 'options')?.options ?? [];
		expect(options.some(({ name }) => name === 'queryParameters')).toBe(takesQuery);
	});

	test('is remembered as its method needs: a retry makes no POST a second time, unless the user says so', async () => {
		const { method } = least.call;
		const { context } = fakeN8n(jsonResponse('{}'), { parameters: { method } });
		const ledger = new Ledger(context);
		await ledger.open(under.operation);
		const changes = !cases[id].traits.includes('makes no call');
		expect([ledger.effect === 'reads', !ledger.isRepeatSafe]).toEqual([
			method === 'GET' || !changes,
			method === 'POST' && changes,
		]);
	});

	// An operation with another one's endpoint need not cover its whole body.
	if (endpoint !== undefined) return;

	test('can set every field of its body', () => {
		const fields = body === undefined ? [] : Object.keys(schemaNamed(body.$ref ?? '').properties ?? {});
		expect(Object.keys(most.call.body ?? {}).sort()).toStrictEqual(fields.sort());
		expect(fromBody !== null).toBe(body !== undefined);
	});
});

test('a message can have every field of the content that the interface shows', () => {
	const { content } = cases['message.send'].most.call.body as { content: object };
	const fields = Object.keys(schemaNamed('MessageContent').properties ?? {});
	expect(Object.keys(content).sort()).toStrictEqual(fields.sort());
});

test.each([
	['message', 'read'],
	['messages', 'send'],
	['message', undefined],
	['message', '__CUSTOM_API_CALL__'],
	['constructor', 'toString'],
])('there is no operation %s.%s', (resource, name) => {
	expect(findOperation(resource, name)).toBeUndefined();
});
