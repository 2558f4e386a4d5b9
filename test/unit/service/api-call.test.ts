import { apiCall } from '../../../nodes/Messaging/service/api-call.ts';

const entry = '/api/v1/admin/channel/{channelId}/outbox/{id}';

test('fills in ids percent-encoded, each in its own place', () => {
	const call = apiCall('get', entry, { ids: { id: 'a/b?c#d%é &', channelId: '$&..' } });
	expect(call).toStrictEqual({
		method: 'GET',
		path: '/api/v1/admin/channel/%24%26../outbox/a%2Fb%3Fc%23d%25%C3%A9%20%26',
	});
});

test.each([
	[undefined, {}],
	[[], {}],
	[[['a', '1']] as Array<[string, string]>, { query: [['a', '1']] }],
	[
		[
			['a', '1'],
			['a', '2'],
		] as Array<[string, string]>,
		{
			query: [
				['a', '1'],
				['a', '2'],
			],
		},
	],
])('with query %j the call has %j', (query, expected) => {
	const call = apiCall('get', '/api/v1/Admin/Account', query === undefined ? {} : { query });
	expect(call).toStrictEqual({ method: 'GET', path: '/api/v1/Admin/Account', ...expected });
});

test('carries an empty body as one', () => {
	expect(apiCall('post', '/api/v1/Admin/Account', { body: {} })).toStrictEqual({
		method: 'POST',
		path: '/api/v1/Admin/Account',
		body: {},
	});
});
