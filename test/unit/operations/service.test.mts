import { nodeProperties } from '../../../nodes/Messaging/operations/index.ts';
import { operationUnderTest, refusalBy } from '../support/operations.mts';
import { bodyOf } from '../support/saved.mts';

const under = operationUnderTest('service.request');

test('a tool of an AI agent neither offers it nor runs it', () => {
	const [resource] = nodeProperties();
	const hidden = (resource?.options ?? []).filter((option) => 'displayOptions' in option);
	expect(hidden).toEqual([
		expect.objectContaining({ value: 'service', displayOptions: { hide: { '@tool': [true] } } }),
	]);
	expect(under.asTool.refusal({}).message).toMatch(/can't be Call an Endpoint in a tool of an AI agent/);
});

test.each([
	['{"a": 1}', { a: 1 }],
	['[1, {"a": 2}]', [1, { a: 2 }]],
	[[1], [1]],
	[{ a: 1 }, { a: 1 }],
])('the body %j is sent as it is', (body, sent) => {
	expect(under.body({ method: 'POST', sendBody: true, body })).toEqual(sent);
});

test('without Send Body, and with GET, there is no body', () => {
	expect(under.body({ method: 'POST', body: { a: 1 } })).toBeUndefined();
	expect(under.body({ method: 'GET', sendBody: true, body: { a: 1 } })).toBeUndefined();
});

test.each([
	[' /orders ', '/orders'],
	['/Orders/a%2fb', '/Orders/a%2fb'],
	['/100%/a b', '/100%25/a%20b'],
	['/a;b=1/v1.2/@c', '/a;b=1/v1.2/@c'],
])('the path %j goes out as %s', (path, sent) => {
	expect(under.compile({ path }).call.path).toBe(sent);
});

test('a query parameter whose expression finds nothing: only reading goes on, because a change would reach all', () => {
	const parameters = [{ name: 'customerId', value: '={{ $json.customer }}' }];
	const call = (method: string, value = {}) =>
		bodyOf('service.request', { method, path: '/orders', queryParameters: { parameters } }, value);
	expect(refusalBy(() => call('DELETE')).field).toBe('Query Parameters > customerId');
	expect(() => [call('GET'), call('DELETE', { customer: '1' })]).not.toThrow();
});
