import * as fc from 'fast-check';

import { Counted } from '../support/counted.ts';
import { fieldMessagesOf, fieldText } from '../../../nodes/Messaging/service/field-messages.ts';

const text = (body: unknown) => fieldText(fieldMessagesOf(body), (path) => path);

test.each<[kind: string, body: unknown, expected: string]>([
	[
		"ASP.NET's map",
		{ errors: { 'content.to.email': ['is no address'] } },
		'content.to.email: is no address.',
	],
	['several messages', { errors: { text: ['is long', 'is odd!'] } }, 'text: is long. text: is odd!'],
	['a text in place of a list', { Errors: { Text: 'is long.' } }, 'Text: is long.'],
	['a JSON path', { errors: { '$.content.to': ['is missing'] } }, 'content.to: is missing.'],
	['the whole body', { errors: { $: ['is no JSON'], '': ['is empty'] } }, 'is no JSON. is empty.'],
	['brackets', { errors: { "content['to'].ids[0]": ['x'] } }, 'content.to.ids.0: x.'],
	['nested maps', { errors: { content: { to: { email: ['bad'] } } } }, 'content.to.email: bad.'],
	['a list of fields', { errors: [{ field: 'text', message: 'is long' }] }, 'text: is long.'],
	['other words for them', { violations: [{ propertyPath: 'x', path: 'a', detail: 'b' }] }, 'a: b.'],
	['FluentValidation', { errors: [{ PropertyName: 'Text', ErrorMessage: 'is long' }] }, 'Text: is long.'],
	['RFC 7807', { 'invalid-params': [{ name: 'age', reason: 'is negative' }] }, 'age: is negative.'],
	[
		'RFC 9457',
		{ errors: [{ detail: 'is negative', pointer: '#/content/age' }] },
		'content.age: is negative.',
	],
	['JSON:API', { errors: [{ title: 'Bad', source: { pointer: '/content/to' } }] }, 'content.to: Bad.'],
	['a map of objects', { errors: { text: { message: 'is long', code: 5 } } }, 'text: is long.'],
	['a list without fields', { errors: ['one', 'two'] }, 'one. two.'],
	['a field named message', { errors: { message: ['is empty'] } }, 'message: is empty.'],
	['lines', { errors: { text: 'is\n\tlong ' } }, 'text: is long.'],
	['nothing in it', { errors: {} }, ''],
	['what is no message', { errors: { a: 5, b: null, c: [true], d: '  ' } }, ''],
	['title and detail only', { title: 'T', detail: 'D', status: 400 }, ''],
	['text', 'errors', ''],
	['a list', [{ errors: { a: 'b' } }], ''],
	['nothing', undefined, ''],
])('an error body with %s', (_kind, body, expected) => {
	expect(text(body)).toBe(expected);
});

test('fields are called what the user calls them', () => {
	const messages = fieldMessagesOf({ errors: { 'content.to.email': ['is no address'] } });
	expect(fieldText(messages, () => 'To Email')).toBe('To Email: is no address.');
});

test('no more than ten fields are named, and none of them at length', () => {
	const errors = Object.fromEntries(
		Array.from({ length: 5000 }, (_, n) => [`${n}-${'f'.repeat(5000)}`, 'm'.repeat(5000)]),
	);
	expect(text({ errors }).length).toBeLessThan(10 * 420);
	expect(text({ errors })).toMatch(/And more\.$/);
	const ten = Object.fromEntries(Object.entries(errors).slice(0, 10));
	expect(text({ errors: ten })).not.toMatch(/And more/);
});

test('of thousands of members no more are looked at than an error can name', () => {
	const wide = (names: number) => Object.fromEntries(Array.from({ length: names }, (_, n) => [`f${n}`, n]));
	const listed = Array.from({ length: 50_000 }, (_, n) => ({ field: `f${n}`, message: 'is wrong' }));
	expect(text({ errors: new Counted(200).watch(listed) })).toMatch(/^f0: is wrong\. .* And more\.$/);
	const named = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`f${n}`, ['is wrong']]));
	// To list its names reads each of them once.
	expect(text({ errors: new Counted(50_200).watch(named) })).toMatch(/^f0: is wrong\. .* And more\.$/);
	for (const errors of [
		Array.from({ length: 50_000 }, (_, n) => ({ code: n })),
		Array.from({ length: 500 }, () => wide(100)),
		{ a: { b: Array.from({ length: 50_000 }, () => ({})) } },
	]) {
		// Each is read a few times at most: as an entry, and for what is in it.
		expect(text({ errors: new Counted(60_000).watch(errors) })).toBe('');
	}
});

test('no body is too odd or too deep for it', () => {
	fc.assert(
		fc.property(fc.jsonValue(), (value) => {
			expect(typeof text({ errors: value })).toBe('string');
		}),
	);
	const deep: unknown = JSON.parse(`{"errors":${'{"a":['.repeat(50_000)}${']}'.repeat(50_000)}}`);
	expect(text(deep)).toBe('');
});
