import { planOf } from '../../../nodes/Messaging/service/plan.ts';
import { Counted } from '../support/counted.ts';
import { retryAfterMs } from '../../../nodes/Messaging/service/retry-after.ts';

describe('the plan in the body of /Me', () => {
	const plan = { resourcePlanId: 'x', name: 'Standard', limit: 50, seconds: 10 };

	test('is not searched for without end', () => {
		const many = Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`f${n}`, { a: {} }]));
		expect(planOf(new Counted(100_000).watch({ many }))).toBeUndefined();
		expect(planOf(new Counted(100).watch({ a: Object.assign({}, many, many, { x: 1 }), plan }))).toEqual({
			limit: 50,
			windowMs: 10_000,
		});
	});

	test.each<[string, unknown]>([
		['as resourcePlan', { id: 'k', resourcePlan: plan }],
		['at the top level', { id: 'k', limit: 50, seconds: 10 }],
		['in the key', { key: { resourcePlan: plan } }],
		['deep inside', { data: { caller: { key: { plan } } } }],
	])('%s', (_where, body) => {
		expect(planOf(body)).toEqual({ limit: 50, windowMs: 10_000 });
	});

	test("the key's own comes before that of its account, wherever it stands", () => {
		const account = { resourcePlan: { limit: 9, seconds: 9 } };
		expect(planOf({ account, resourcePlan: plan })).toEqual({ limit: 50, windowMs: 10_000 });
		expect(planOf({ resourcePlan: plan, account })).toEqual({ limit: 50, windowMs: 10_000 });
	});

	test.each<[string, unknown]>([
		['nothing', undefined],
		['null', null],
		['text', 'limit 50'],
		['a list', [plan]],
		['an empty object', {}],
		['no plan', { resourcePlan: null, account: { name: 'x' } }],
		['half of one', { limit: 50 }],
		['how much something else was used', { usage: { limit: 1, seconds: 3600 } }],
		['limits of something else', { account: { quota: { limit: 5, seconds: 60 } } }],
		['zero', { limit: 0, seconds: 10 }],
		['negative', { limit: 50, seconds: -1 }],
		['a fraction', { limit: 0.5, seconds: 10 }],
		['text for numbers', { limit: '50', seconds: '10' }],
		['far too deep', { a: { b: { c: { d: { e: { f: plan } } } } } }],
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

test('a body of /Me with more in it than ten thousand members is not looked through', () => {
	const plan = { limit: 5, seconds: 1 };
	const filler = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, 0]));
	expect(planOf({ account: { ...filler(9_000), resourcePlan: plan } })).toEqual({ limit: 5, windowMs: 1000 });
	expect(planOf({ account: { ...filler(10_000), resourcePlan: plan } })).toBeUndefined();
});
