import * as fc from 'fast-check';

import { fieldText } from '../../../nodes/Messaging/service/field-messages.ts';
import { runs } from '../../runs.mts';

const text = (body: unknown) => fieldText(body, (path) => path);

test.each<[kind: string, body: unknown, expected: string]>([
	["ASP.NET's map", { errors: { 'content.to.email': ['is odd'] } }, 'content.to.email: is odd.'],
	['several messages', { errors: { text: ['is long', 'is odd!'] } }, 'text: is long. text: is odd!'],
	['a text in place of a list', { Errors: { Text: 'is long.' } }, 'Text: is long.'],
	['a JSON path', { errors: { '$.content.to': ['is missing'] } }, 'content.to: is missing.'],
	['the whole body', { errors: { $: ['is no JSON'], '': ['is empty'] } }, 'is no JSON. is empty.'],
	['brackets', { errors: { "content['to'].ids[0]": ['x'] } }, 'content.to.ids.0: x.'],
	['a list of fields', { errors: [{ field: 'text', message: 'is long' }] }, 'text: is long.'],
	['FluentValidation', { errors: [{ PropertyName: 'Text', ErrorMessage: 'is long' }] }, 'Text: is long.'],
	['other words for them', { errors: [{ name: 'age', reason: 'is negative' }] }, 'age: is negative.'],
	['RFC 9457', { errors: [{ detail: 'is odd', pointer: '#/content/age' }] }, 'content.age: is odd.'],
	['JSON:API', { errors: [{ title: 'Bad', source: { pointer: '/content/to' } }] }, 'content.to: Bad.'],
	['a map of objects', { errors: { text: { message: 'is long', code: 5 } } }, 'text: is long.'],
	[
		'names that every object has',
		JSON.parse('{"errors":{"constructor":["No"],"__proto__":["Never"]}}'),
		'constructor: No. __proto__: Never.',
	],
	['a list without fields', { errors: ['one', 'two'] }, 'one. two.'],
	['a field named message', { errors: { message: ['is empty'] } }, 'message: is empty.'],
	['lines', { errors: { text: 'is\n\tlong ' } }, 'text: is long.'],
	['nothing in it', { errors: {} }, ''],
	['maps in maps, which are not read', { errors: { content: { to: ['bad'] } } }, ''],
	['what is no message', { errors: { a: 5, b: null, c: [true], d: '  ' } }, ''],
	['title and detail only', { title: 'T', detail: 'D', status: 400 }, ''],
	['text', 'errors', ''],
	['a list', [{ errors: { a: 'b' } }], ''],
	['nothing', undefined, ''],
])('an error body with %s', (_kind, body, expected) => {
	expect(text(body)).toBe(expected);
});

test('of thousands of entries it names the first ten, and none of them at length', () => {
	const named = Array.from({ length: 5_000 }, (_, n) => [`f${n}`, `is wrong ${'m'.repeat(5_000)}`] as const);
	const listed = named.map(([field, message]) => ({ field, message }));
	for (const errors of [listed, Object.fromEntries(named), { text: named.map(([, message]) => message) }]) {
		expect(text({ errors })).toMatch(/^(?:\w+: is wrong m+… ?){10}And more\.$/);
		expect(text({ errors }).length).toBeLessThan(10 * 420);
	}
	expect(text({ errors: listed.slice(0, 10) })).not.toMatch(/And more/);
});

test('no body is too odd for it', () => {
	fc.assert(
		fc.property(fc.jsonValue(), (value) => {
			expect(typeof text({ errors: value })).toBe('string');
		}),
		runs(),
	);
});
