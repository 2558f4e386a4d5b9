import { runInNewContext } from 'node:vm';

import { refuseUnsendable } from '../../../nodes/Messaging/input/refuse.ts';
import * as values from '../../../nodes/Messaging/input/values.ts';
import { refusalBy } from '../support/operations.mts';
import { byId, ids } from '../../cases/values.mts';

const NOTHING = [undefined, null, '', '   ', '\n\t'];
const circular: { self?: unknown } = {};
circular.self = circular;

const asInt32 = (value: unknown, field: string) => values.asNumber(value, field, { numberPrecision: 0 });

/** A way to read a value: what it takes (and as what), and what it refuses. */
interface Kind {
	read(value: unknown, field: string): unknown;
	takes: ReadonlyArray<readonly [given: unknown, expected: unknown]>;
	refuses: readonly unknown[];
}

const same = (...given: unknown[]) => given.map((one) => [one, one] as const);
const upperCase = ids.channel.toUpperCase();
const version7 = '018f3c3e-7b5a-7cc0-9a0c-0305e82c3301';

const kinds: Record<string, Kind> = {
	UUID: {
		read: values.asUuid,
		takes: [
			...same(ids.channel, upperCase, '00000000-0000-0000-0000-000000000000', version7),
			[` ${ids.channel}\n`, ids.channel],
		],
		refuses: [
			...[ids.channel.slice(1), `${ids.channel}0`, ids.channel.replaceAll('-', ''), `{${ids.channel}}`],
			...[ids.channel.replace('c', 'g'), `${ids.channel}/cancel`, `${ids.channel},`, '..'],
			...[5, true, {}, [ids.channel], byId(ids.channel), new Date(0)],
		],
	},
	'email address': {
		read: values.asEmail,
		takes: same(
			...['ada@example.com', 'a@b', 'ada+tag@mail.example.co.uk', 'ädä@exämple.com', "o'b.r@[127.0.0.1]"],
			...['अजय@डाटा.भारत', 'zoe\u0308@a-b--c.xn--p1ai', '1@2.3', '!#$%&*+-/=?^_`{|}~@example.com'],
		),
		refuses: [
			...['ada', 'ada@', '@example.com', 'ada@example@com', 'ada lovelace@example.com', ' ada@example.com'],
			...['ada@example.com\n', 'Ada <ada@example.com>', 'ada@example.com, bob@example.com', 5],
		],
	},
	'32-bit whole number': {
		read: asInt32,
		takes: [...same(0, 2147483647, -2147483648), ['7', 7], [' -7 ', -7], ['1e3', 1000]],
		refuses: [
			...[2147483648, -2147483649, 0.5, Number.NaN, Infinity, '1.5', 'seven', '1e400', '7 8'],
			...[true, {}, [], [7], 7n, new Date(0)],
		],
	},
	number: {
		read: values.asNumber,
		takes: [...same(0, -1.5, 2 ** 40), ['1.5', 1.5]],
		refuses: [Number.NaN, Infinity, 'seven', '1,5', true, {}, [7]],
	},
	'true or false': {
		read: values.asBoolean,
		takes: [...same(true, false), ['true', true], ['false', false]],
		refuses: ['TRUE', 'yes', 'on', ' true ', 1, 0, {}, [], [true]],
	},
	text: {
		read: values.asText,
		takes: [
			...same(' a ', '🙂'),
			[0, '0'],
			[-1.5, '-1.5'],
			[false, 'false'],
			[undefined, ''],
			[null, ''],
			[2 ** 53 - 1, '9007199254740991'],
		],
		refuses: [{}, ['a'], new Date(0), Symbol('s'), () => 1, 1n],
	},
};

describe.each(Object.entries(kinds))('%s', (_name, { read, takes, refuses }) => {
	test.each(takes)('takes %p', (given, expected) => {
		expect(read(given, 'Field')).toBe(expected);
	});

	test.each(refuses.map((given) => [given]))('refuses %p', (given) => {
		const { field, hint } = refusalBy(() => read(given, 'Field'));
		expect([field, hint]).toEqual(['Field', expect.stringMatching(/\.$/)]);
	});
});

test.each(NOTHING)('%j is empty: left out', (given) => {
	const readers = [values.asUuid, asInt32, values.asNumber, values.asBoolean, values.asJsonObject];
	for (const read of readers) expect(read(given, 'Field')).toBeUndefined();
	expect(values.asTimestamp(given, 'Field', 'UTC')).toBeUndefined();
	for (const read of [values.asText, values.asEmail]) expect(read(given, 'Field').trim()).toBe('');
	expect(values.asUuidList(given, 'Field')).toEqual([]);
});

test('a list of IDs takes one, several or a list, each once; what does not fit is told about commas', () => {
	const both = [ids.entry, ids.otherEntry];
	for (const given of [
		` ${both.join(' , ')},`,
		both,
		['', ...both, null],
		[...both, ids.entry.toUpperCase()],
		JSON.stringify(both, null, 2),
	]) {
		expect(values.asUuidList(given, 'IDs')).toStrictEqual(both);
	}
	for (const given of ['x', both.join(' '), '["x"]']) {
		expect(refusalBy(() => values.asUuidList(given, 'IDs')).hint).toContain('by commas');
	}
});

describe('JSON object', () => {
	test('that can not be written as text is refused', () => {
		const nested = (levels: number): unknown => JSON.parse('{"a":'.repeat(levels) + '1' + '}'.repeat(levels));
		expect(values.asJsonObject(nested(500), 'Package')).toStrictEqual(nested(500));
		for (const given of [nested(20_000), circular]) {
			expect(refusalBy(() => values.asJsonObject(given, 'Package')).field).toBe('Package');
			expect(refusalBy(() => values.asJsonList([given], 'Form', '[]')).field).toBe('Form');
		}
	});

	const epoch = '1970-01-01T00:00:00.000Z';
	const foreign: unknown = runInNewContext('({ a: { b: [1, null] } })');

	test.each([
		['text', ' {"a": {"b": [1, null]}} ', { a: { b: [1, null] } }],
		['an object', { a: { b: [1, null] } }, { a: { b: [1, null] } }],
		['an object of another realm', foreign, { a: { b: [1, null] } }],
		['an object without a prototype', Object.assign(Object.create(null) as object, { a: 1 }), { a: 1 }],
		['what JSON has no word for', { a: undefined, d: new Date(0), n: NaN }, { d: epoch, n: null }],
		['a field named __proto__', '{"__proto__":{"a":1}}', JSON.parse('{"__proto__":{"a":1}}')],
	])('takes %s', (_kind, given, expected) => {
		expect(values.asJsonObject(given, 'JSON')).toStrictEqual(expected);
	});

	test.each<[given: unknown, place: string | undefined]>([
		['{bad', 'line 1, column 2'],
		['{"a": 1,\r\n"b": "two', 'line 2, column 10'],
		['{\n\t"a": 1,\n}', 'line 3, column 1'],
		['{"a": "secret', 'line 1, column 14'],
		// V8 gives no position here and quotes the input.
		['{"a": secret}', undefined],
		['" in JSON at position 5', 'line 1, column 24'],
		['x in JSON at position 5', undefined],
		...['[1]', '"text"', 'null', [1], new Date(0)].map((given): [unknown, undefined] => [given, undefined]),
	])('refuses %p, says where the fault is, and never quotes the text', (given, place) => {
		const { field, message } = refusalBy(() => values.asJsonObject(given, 'JSON'));
		expect(field).toBe('JSON');
		expect(/line \d+, column \d+/.exec(message)?.[0]).toBe(place);
		expect(message).not.toMatch(/secret|position/);
	});
});

test('an error shows a text within bounds and without control characters, and of an object nothing', () => {
	expect(values.described('x'.repeat(60))).toContain(`"${'x'.repeat(60)}"`);
	expect(values.described('x'.repeat(100_000)).length).toBeLessThan(80);
	expect(values.described('\u202eabc\u0000')).toContain('"\\u202eabc\\u0000"');
	for (const value of [['secret'], { a: 'secret' }]) expect(values.described(value)).not.toContain('secret');
});

test.each([
	[byId('a'), 'a'],
	[runInNewContext('({ mode: "id", value: "a" })'), 'a'],
	['a', 'a'],
	[{ value: 'a' }, { value: 'a' }],
	[undefined, undefined],
])('the resource locator %j holds %j', (given, expected) => {
	expect(values.locatorValue(given)).toStrictEqual(expected);
});

describe('what can not be sent', () => {
	const check = (call: Parameters<typeof refuseUnsendable>[0]) => () => refuseUnsendable(call);

	test.each<[body: object, message: RegExp]>([
		[{ a: 'x', b: [1, null, { c: 2 ** 60 }] }, /b\.2\.c.*rounded number/],
		[{ a: [2 ** 53] }, /a\.0.*rounded number: 9007199254740992/],
		[
			JSON.parse('{"a":{"id":-12345678901234567890}}') as object,
			/a\.id.*rounded number: -12345678901234567000/,
		],
		[JSON.parse('{"a":1e999}') as object, /"a".*rounded number: Infinity/],
	])('%j is refused', (body, message) => {
		expect(check({ body })).toThrow(message);
	});

	test('anything else is', () => {
		const a = ['😀', 2 ** 53 - 1, -(2 ** 53) + 1, 0.1, -0, true, null, '12345678901234567890'];
		for (const call of [{}, { body: [] }, { body: { a } }]) expect(check(call)).not.toThrow();
	});

	test.each([12345678901234567890, Infinity])('text is not made of a rounded number: %p', (given) => {
		expect(() => values.asText(given, 'Message ID')).toThrow(/"Message ID".*rounded number/);
	});
});
