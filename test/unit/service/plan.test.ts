import { planOf } from '../../../nodes/Messaging/service/plan.ts';

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
		['null', null],
		['text', 'limit 50'],
		['a list', [plan]],
		['an empty object', {}],
		['no plan', { resourcePlan: null, account: { name: 'x' } }],
		['half of one', { resourcePlan: { limit: 50 } }],
		['a place that is not known', { data: { caller: { plan } } }],
		["its account's", { account: { resourcePlan: plan } }],
		['how much something else was used', { usage: { limit: 1, seconds: 3600 } }],
		['limits of something else', { account: { quota: { limit: 5, seconds: 60 } } }],
		['zero', { resourcePlan: { limit: 0, seconds: 10 } }],
		['negative', { resourcePlan: { limit: 50, seconds: -1 } }],
		['a fraction', { resourcePlan: { limit: 0.5, seconds: 10 } }],
		['text for numbers', { resourcePlan: { limit: '50', seconds: '10' } }],
	])('there is none in %s', (_what, body) => {
		expect(planOf(body)).toBeUndefined();
	});
});
