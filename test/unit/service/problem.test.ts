import { problemOf, reasonOf, retryAfterMs } from '../../../nodes/Messaging/service/problem.ts';

const reply = (body: unknown, status = 400) => ({ status, headers: {}, body });
const none = 'The service answered with status 400 and gave no reason';

test.each<[kind: string, body: unknown, words: string]>([
	[
		'title and detail',
		{ title: 'Bad Request', detail: 'channelId is unknown.' },
		'Bad Request: channelId is unknown.',
	],
	['a title with a full stop', { title: 'Refused.', detail: 'Why' }, 'Refused: Why'],
	['a title with a colon', { title: 'Refused: ', detail: 'Why' }, 'Refused: Why'],
	['a title alone', { title: 'Not Found', detail: null }, 'Not Found'],
	['a detail alone', { detail: 'No such key', title: ' ' }, 'No such key'],
	['the same twice', { title: 'Gone', detail: 'Gone' }, 'Gone'],
	['words that are no text', { title: 5, detail: {} }, none],
	['nulls only', { type: null, title: null, status: null, detail: null, instance: null }, none],
	['text', ' Try later\n', 'Try later'],
	['a longer text', 'x'.repeat(300), 'x'.repeat(300)],
	['too long a text', 'x'.repeat(301), none],
	['a page', ' <!doctype html><p>Oops', none],
	['a list', ['no'], none],
	['nothing', undefined, none],
	['an empty text', '', none],
	['blanks', ' \n', none],
])('the words of an error body with %s', (_kind, body, words) => {
	expect(reasonOf(reply(body))).toBe(words);
});

test.each([
	[
		{ title: 'T', extra: [1] },
		{ title: 'T', extra: [1] },
	],
	[{}, {}],
	['text', null],
	[[1], null],
	[null, null],
	[undefined, null],
])('the problem in %j is %j', (body, problem) => {
	expect(problemOf(reply(body))).toStrictEqual(problem);
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
});
