import { problemOf, wordsOf } from '../../../nodes/Messaging/service/problem.ts';

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
	expect(wordsOf(reply(body))).toBe(words);
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
