import { planOf } from '../../../nodes/Messaging/service/plan.ts';
import { apiCall } from '../../../nodes/Messaging/service/api-call.ts';

describe('the plan in the body of /Me', () => {
	const plan = { resourcePlanId: 'x', name: 'Standard', limit: 50, seconds: 10 };

	test.each<[string, unknown]>([
		['as resourcePlan', { id: 'k', resourcePlan: plan }],
		['in the record of the key', { apiKey: { resourcePlan: plan } }],
		["before its account's", { account: { resourcePlan: { limit: 9, seconds: 9 } }, resourcePlan: plan }],
	])('%s', (_where, body) => {
		expect(planOf(body)).toEqual({ limit: 50, windowMs: 10_000 });
	});

	test.each<[string, unknown]>([
		['nothing', undefined],
		['text', 'limit 50'],
		['a list', [plan]],
		['no plan', { resourcePlan: null, account: { name: 'x' } }],
		['half of one', { resourcePlan: { limit: 50 } }],
		["its account's", { account: { resourcePlan: plan } }],
		['limits of something else', { usage: { limit: 1, seconds: 3600 } }],
		['zero', { resourcePlan: { limit: 0, seconds: 10 } }],
		['negative', { resourcePlan: { limit: 50, seconds: -1 } }],
		['a fraction', { resourcePlan: { limit: 0.5, seconds: 10 } }],
		['text for numbers', { resourcePlan: { limit: '50', seconds: '10' } }],
	])('there is none in %s', (_what, body) => {
		expect(planOf(body)).toBeUndefined();
	});
});

test('a call has its ids percent-encoded, each in its own place', () => {
	const call = apiCall('get', '/api/v1/admin/channel/{channelId}/outbox/{id}', {
		ids: { id: 'a/b?c#d%é &', channelId: '$&..' },
	});
	expect(call).toStrictEqual({
		method: 'GET',
		path: '/api/v1/admin/channel/%24%26../outbox/a%2Fb%3Fc%23d%25%C3%A9%20%26',
	});
});
