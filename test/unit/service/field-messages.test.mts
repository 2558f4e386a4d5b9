import * as fc from 'fast-check';

import { fieldText } from '../../../nodes/Messaging/service/failure.ts';
import { runs } from '../../runs.mts';

test.each<[kind: string, body: unknown, expected: string]>([
	["ASP.NET's map", { errors: { 'content.to.email': ['is odd'] } }, 'content.to.email: is odd.'],
	['a text in place of a list', { errors: { Text: 'is long.' } }, 'Text: is long.'],
	['the whole body', { errors: { $: ['is no JSON'], '': ['is empty'] } }, 'is no JSON. is empty.'],
	['brackets', { errors: { "content['to'].ids[0]": ['x'] } }, 'content.to.ids.0: x.'],
	['a list of fields', { errors: [{ field: 'age', message: 'is negative' }] }, 'age: is negative.'],
	['RFC 9457', { errors: [{ detail: 'is odd', pointer: '#/content/age' }] }, 'content.age: is odd.'],
	[
		'names that every object has',
		JSON.parse('{"errors":{"constructor":["No"],"__proto__":["Never"]}}'),
		'constructor: No. __proto__: Never.',
	],
	['a list without fields', { errors: ['one', 'two'] }, 'one. two.'],
	['a text', { errors: 'No' }, 'No.'],
	['lines', { errors: { text: 'is\n\tlong ' } }, 'text: is long.'],
	['maps in maps, which are not read', { errors: { content: { to: ['bad'] } } }, ''],
	['what is no message', { errors: { a: 5, b: null, c: [true], d: '  ' } }, ''],
	['text', 'errors', ''],
	['a list', [{ errors: { a: 'b' } }], ''],
])('an error body with %s', (_kind, body, expected) => {
	expect(fieldText(body)).toBe(expected);
});

test('of thousands of entries it names the first ten, and none of them at length', () => {
	const named = Array.from({ length: 5_000 }, (_, n) => [`f${n}`, `is wrong ${'m'.repeat(5_000)}`] as const);
	const listed = named.map(([field, message]) => ({ field, message }));
	for (const errors of [listed, Object.fromEntries(named)]) {
		expect(fieldText({ errors })).toMatch(/^(?:\w+: is wrong m+… ?){10}$/);
		expect(fieldText({ errors }).length).toBeLessThan(10 * 420);
	}
});

test('no body is too odd for it', () => {
	fc.assert(
		fc.property(fc.jsonValue(), (value) => {
			expect(typeof fieldText({ errors: value })).toBe('string');
		}),
		runs(),
	);
});
