import { planOf } from '../../../nodes/Messaging/service/plan.ts';
import { retryAfterMs } from '../../../nodes/Messaging/service/retry-after.ts';

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

describe('Retry-After', () => {
	const date = 'Wed, 21 Oct 2026 07:28:00 GMT';
	const now = Date.parse(date);
	const wait = (headers: Record<string, string>) =>
		retryAfterMs({ status: 429, headers, body: undefined }, now);

	test.each<[string, Record<string, string>, number | undefined]>([
		['is missing', {}, undefined],
		['in seconds', { 'retry-after': '7' }, 7000],
		['zero', { 'retry-after': '0' }, 0],
		['with spaces', { 'retry-after': ' 7 ' }, 7000],
		['with a fraction', { 'retry-after': '0.5' }, 500],
		['as a date', { 'retry-after': 'Wed, 21 Oct 2026 07:28:05 GMT' }, 5000],
		['in the past', { 'retry-after': 'Wed, 21 Oct 2026 07:27:00 GMT' }, 0],
		['no date and no number', { 'retry-after': 'soon' }, undefined],
	])('%s', (_what, headers, expected) => {
		expect(wait(headers)).toBe(expected);
	});

	test('a negative one asks for no wait', () => {
		expect(wait({ 'retry-after': '-5' }) ?? 0).toBe(0);
	});

	test('a date is read by the clock of the service, when its answer tells', () => {
		const headers = {
			'retry-after': 'Wed, 21 Oct 2020 07:28:05 GMT',
			date: 'Wed, 21 Oct 2020 07:28:00 GMT',
		};
		expect(wait(headers)).toBe(5000);
	});

	test.each([
		['agrees', 700, 1300],
		['is at the end of the second', 999, 1001],
		['is a slow answer later', 1800, 1001],
		['is ahead', 2500, 2000],
		['is behind', -300, 2000],
	])('the clock here tells the time within the second of the service, when it %s', (_what, ms, expected) => {
		const headers = { 'retry-after': 'Wed, 21 Oct 2026 07:28:02 GMT', date };
		expect(retryAfterMs({ status: 429, headers, body: undefined }, now + ms)).toBe(expected);
	});
});
