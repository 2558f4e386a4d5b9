import { findOperation, operations } from '../../../nodes/Messaging/operations/index.ts';
import { cases, endpointIdOf, operationIds } from '../../cases/index.ts';
import { endpointOf, endpoints, type Schema, schemaNamed } from '../../../api/interface.ts';
import { problemsOf } from '../support/interface.ts';
import { operationUnderTest } from '../support/operations.ts';

const idOf = ({ resource, name }: { resource: string; name: string }) => `${resource}.${name}`;
const registered = operations.map(idOf);

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

	test.each([
		['the least', least],
		['everything', most],
	])('given %s, calls its endpoint as the interface says', (_kind, { given, call }) => {
		expect(under.compile(given).call).toStrictEqual(call);
		expect(problemsOf(endpointId, call)).toStrictEqual([]);
	});

	test('calls no other endpoint', () => {
		const { call } = under.compile();
		expect(
			endpoints.filter((other) => problemsOf(other.id, call).length === 0).map(({ id }) => id),
		).toStrictEqual([endpointId]);
	});

	test('takes query parameters only where the interface does', () => {
		const options = under.operation.fields.find(({ name }) => name === 'options')?.options ?? [];
		expect(options.some(({ name }) => name === 'queryParameters')).toBe(takesQuery);
	});

	// An operation with another one's endpoint need not cover its whole body.
	if (endpoint !== undefined) return;

	test('can set every field of its body', () => {
		const fields = body === undefined ? [] : Object.keys(schemaNamed(body.$ref ?? '').properties ?? {});
		expect(Object.keys(most.call.body ?? {}).sort()).toStrictEqual(fields.sort());
		expect(fromBody !== null).toBe(body !== undefined);
	});
});

describe('the message package', () => {
	const send = operationUnderTest('message.send');
	const fieldsOf = (schema: string) => Object.keys(schemaNamed(schema).properties ?? {}).sort();
	const content = () => (cases['message.send'].most.call.body as { content: object }).content;

	test('can have every field of its content', () => {
		expect(Object.keys(content()).sort()).toStrictEqual(fieldsOf('MessageContent'));
	});

	test.each([
		['from', 'Address'],
		['quotedMessage', 'QuotedMessage'],
		['referralAds', 'ReferralAds'],
	])('%s can have every field of %s', (name, schema) => {
		const whole = sampleOf(schemaNamed(schema));
		expect(Object.keys(whole).sort()).toStrictEqual(fieldsOf(schema));
		expect(send.body({ additionalFields: { [name]: whole } })).toMatchObject({ content: { [name]: whole } });
		expect(send.body({ additionalFields: { [name]: JSON.stringify(whole) } })).toMatchObject({
			content: { [name]: whole },
		});
	});

	test('as JSON it can have every field at every depth', () => {
		const whole = sampleOf(schemaNamed('MessagePackage'));
		expect(Object.keys(whole)).toHaveLength(fieldsOf('MessagePackage').length);
		expect(send.body({ inputMode: 'json', package: JSON.stringify(whole) })).toStrictEqual(whole);
	});
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

/** An object with a value in every field of a schema. */
function sampleOf(schema: Schema): Record<string, unknown> {
	return Object.fromEntries(
		Object.entries(schema.properties ?? {}).map(([name, member]) => [name, valueOf(name, member)]),
	);
}

function valueOf(name: string, schema: Schema): unknown {
	if (schema.$ref !== undefined) return sampleOf(schemaNamed(schema.$ref));
	if (schema.format === 'uuid') return '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
	if (schema.format === 'date-time') return '2030-01-31T09:00:00.000Z';
	if (schema.type === 'integer') return 7;
	if (schema.type === 'boolean') return true;
	if (name === 'email') return 'ada@example.com';
	return schema.type === 'object' ? { free: [name] } : name;
}
