import { defined, parseJson, textAt, valueAt } from '../../../nodes/Messaging/shared/json.ts';

test('what is undefined is left out, and nothing else', () => {
	interface Some {
		a: number;
		b?: string;
		c?: null;
		d?: boolean;
	}
	const some = defined<Some>({ a: 0, b: undefined, c: null, d: false });
	expect(some).toStrictEqual({ a: 0, c: null, d: false });
	// @ts-expect-error what is required has to be there
	defined<Some>({ a: undefined });
	// @ts-expect-error what the type does not have may not be there
	defined<Some>({ a: 1, e: 1 });
});

test.each([
	['null', { value: null }],
	['"x"', { value: 'x' }],
	['{"a":1}', { value: { a: 1 } }],
	['', undefined],
	['{', undefined],
])('%j as JSON is %j', (text, expected) => {
	expect(parseJson(text)).toEqual(expected);
});

test.each([
	['a', 1],
	['b.c', ' text '],
	['b.d', undefined],
	['a.x', undefined],
	['list.0', undefined],
])('at %s there is %j', (path, expected) => {
	const record = { a: 1, b: { c: ' text ' }, list: ['x'] };
	expect(valueAt(record, path)).toBe(expected);
	expect(valueAt(record, path.split('.'))).toBe(valueAt(record, path));
	expect(textAt(record, path)).toBe(expected === ' text ' ? 'text' : '');
});
