import { runInNewContext } from 'node:vm';

import { refuseUnsendable } from '../../../nodes/Messaging/input/unsendable.ts';
import * as uuids from '../../../nodes/Messaging/input/uuid.ts';
import * as values from '../../../nodes/Messaging/input/values.ts';
import { refusalBy } from '../support/operations.ts';
import { byId, ids } from '../../cases/values.ts';

const NOTHING = [undefined, null, '', '   ', '\n\t'];
const circular: { self?: unknown } = {};
circular.self = circular;

describe('UUID', () => {
	test.each([
		[ids.channel, ids.channel],
		[ids.channel.toUpperCase(), ids.channel.toUpperCase()],
		[` ${ids.channel}\n`, ids.channel],
		['00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000'],
		['018f3c3e-7b5a-7cc0-9a0c-0305e82c3301', '018f3c3e-7b5a-7cc0-9a0c-0305e82c3301'],
	])('takes %j', (given, expected) => {
		expect(uuids.asUuid(given, 'ID')).toBe(expected);
		expect(uuids.asRequiredUuid(given, 'ID')).toBe(expected);
	});

	test.each([
		ids.channel.slice(1),
		`${ids.channel}0`,
		ids.channel.replaceAll('-', ''),
		`{${ids.channel}}`,
		`urn:uuid:${ids.channel}`,
		ids.channel.replace('c', 'g'),
		`${ids.channel}/cancel`,
		`${ids.channel} ${ids.channel}`,
		`${ids.channel},`,
		'..',
		5,
		true,
		{},
		[ids.channel],
		byId(ids.channel),
		new Date(0),
	])('refuses %j', (given) => {
		for (const read of [uuids.asUuid, uuids.asRequiredUuid, uuids.asUuidList].slice(0, 2)) {
			expect(refusalBy(() => read(given, 'ID'))).toMatchObject({ field: 'ID' });
		}
		expect(refusalBy(() => uuids.asUuid(given, 'ID')).message).toMatch(
			/^The field "ID" needs a UUID, but it is /,
		);
	});

	test.each(NOTHING)('%j is empty', (given) => {
		expect(uuids.asUuid(given, 'ID')).toBeUndefined();
		expect(refusalBy(() => uuids.asRequiredUuid(given, 'ID')).message).toBe('The field "ID" is empty');
		expect(refusalBy(() => uuids.asUuidList(given, 'IDs')).message).toBe('The field "IDs" is empty');
	});
});

describe('how to get an id right', () => {
	const wrong = (entry?: uuids.IdEntry) => refusalBy(() => uuids.asUuid('x', 'ID', entry)).hint;
	const empty = (entry?: uuids.IdEntry) => refusalBy(() => uuids.asRequiredUuid('', 'ID', entry)).hint;

	test('a list is named only where there is one', () => {
		expect([wrong('list'), empty('list')].every((hint) => hint.includes('list'))).toBe(true);
		expect([wrong(), empty(), wrong('typed')].some((hint) => hint.includes('list'))).toBe(false);
	});

	test.each(['', 'x', `${ids.entry} ${ids.otherEntry}`, `["${ids.entry}"]`])(
		'where several fit, commas are named: %j',
		(given) => {
			expect(refusalBy(() => uuids.asUuidList(given, 'IDs')).hint).toContain('by commas');
		},
	);
});

describe('e-mail address', () => {
	test.each(['ada@example.com', 'a@b', 'ada+tag@mail.example.co.uk', 'ädä@exämple.com', '"x"@[127.0.0.1]'])(
		'takes %j as it is',
		(given) => {
			expect(values.asEmail(given, 'Email')).toBe(given);
		},
	);

	test.each([
		'ada',
		'ada@',
		'@example.com',
		'ada@example@com',
		'ada lovelace@example.com',
		' ada@example.com',
		'ada@example.com\n',
		'Ada <ada@example.com>',
		'ada@example.com, bob@example.com',
		5,
	])('refuses %j', (given) => {
		expect(refusalBy(() => values.asEmail(given, 'Email')).message).toMatch(
			/^The field "Email" needs an email address, but it is /,
		);
	});

	test.each(NOTHING)('%j is empty', (given) => {
		expect(values.asEmail(given, 'Email').trim()).toBe('');
	});
});

describe('32-bit whole number', () => {
	test.each([
		[0, 0],
		[2147483647, 2147483647],
		[-2147483648, -2147483648],
		['7', 7],
		[' -7 ', -7],
		['1e3', 1000],
		[3.0, 3],
	])('takes %j', (given, expected) => {
		expect(values.asInt32(given, 'Number')).toBe(expected);
	});

	test.each([
		2147483648,
		-2147483649,
		0.5,
		Number.NaN,
		Infinity,
		'1.5',
		'seven',
		'1e400',
		'7 8',
		true,
		{},
		[],
		[7],
		7n,
		new Date(0),
	])('refuses %s', (given) => {
		expect(refusalBy(() => values.asInt32(given, 'Number')).message).toMatch(
			/^The field "Number" needs a whole number, but it is /,
		);
	});

	test.each(NOTHING)('%j is empty', (given) => {
		expect(values.asInt32(given, 'Number')).toBeUndefined();
	});
});

describe('true or false', () => {
	test.each([
		[true, true],
		[false, false],
		['true', true],
		['false', false],
	])('takes %j', (given, expected) => {
		expect(values.asBoolean(given, 'Flag')).toBe(expected);
	});

	test.each(['TRUE', 'yes', 'on', ' true ', 1, 0, {}, [], [true]])('refuses %j', (given) => {
		expect(refusalBy(() => values.asBoolean(given, 'Flag')).message).toMatch(
			/^The field "Flag" needs true or false, but it is /,
		);
	});

	test.each(NOTHING)('%j is empty', (given) => {
		expect(values.asBoolean(given, 'Flag')).toBeUndefined();
	});
});

describe('text', () => {
	test.each([
		[' a ', ' a '],
		['🙂', '🙂'],
		[0, '0'],
		[-1.5, '-1.5'],
		[false, 'false'],
		[12345678901234567890n, '12345678901234567890'],
	])('takes %s', (given, expected) => {
		expect(values.asText(given, 'Text')).toBe(expected);
		expect(values.asRequiredText(given, 'Text')).toBe(expected);
	});

	test.each([[{}], [['a']], [new Date(0)], [Symbol('s')], [() => 1]])('refuses %p', (given) => {
		expect(refusalBy(() => values.asText(given, 'Text')).message).toMatch(
			/^The field "Text" needs text, but it is /,
		);
	});

	test.each([undefined, null, ''])('%j is empty', (given) => {
		expect(values.asText(given, 'Text')).toBe('');
	});

	test.each(NOTHING)('%j is refused where text is required', (given) => {
		expect(refusalBy(() => values.asRequiredText(given, 'Text')).message).toBe('The field "Text" is empty');
	});
});

describe('JSON object', () => {
	test('that can not be written as text is refused', () => {
		const nested = (levels: number): unknown => JSON.parse('{"a":'.repeat(levels) + '1' + '}'.repeat(levels));
		expect(values.asJsonObject(nested(500), 'Package')).toStrictEqual(nested(500));
		for (const given of [nested(20_000), circular]) {
			expect(() => values.asJsonObject(given, 'Package')).toThrow(
				'The field "Package" can\'t be converted to JSON',
			);
			expect(() => values.asJsonList([given], 'Form Fields', '[]')).toThrow("can't be converted to JSON");
		}
	});

	const foreign: unknown = runInNewContext('({ a: { b: [1, null] } })');

	test.each([
		['text', ' {"a": {"b": [1, null]}} ', { a: { b: [1, null] } }],
		['an object', { a: { b: [1, null] } }, { a: { b: [1, null] } }],
		['an object of another realm', foreign, { a: { b: [1, null] } }],
		['an object without a prototype', Object.assign(Object.create(null) as object, { a: 1 }), { a: 1 }],
		['an empty one', '{}', {}],
		[
			'values that JSON has no word for',
			{ a: undefined, d: new Date(0), n: NaN },
			{ d: '1970-01-01T00:00:00.000Z', n: null },
		],
		['a field named __proto__', '{"__proto__":{"a":1}}', JSON.parse('{"__proto__":{"a":1}}')],
	])('takes %s', (_kind, given, expected) => {
		expect(values.asJsonObject(given, 'JSON')).toStrictEqual(expected);
	});

	test('is a copy: what happens to the original later does not count', () => {
		const original = { deep: { a: 1 } };
		const taken = values.asJsonObject(original, 'JSON');
		original.deep.a = 2;
		expect(taken).toStrictEqual({ deep: { a: 1 } });
	});

	test.each([
		['{bad', 'is not valid JSON: check line 1, column 2'],
		['{"a": 1,\r\n"b": "two', 'is not valid JSON: check line 2, column 10'],
		['{"a" 1', 'is not valid JSON: check line 1, column 6'],
		["{'a': 1}", 'is not valid JSON: check line 1, column 2'],
		['{\n\t"a": 1,\n}', 'is not valid JSON: check line 3, column 1'],
		['{"a": "secret', 'is not valid JSON: check line 1, column 14'],
		// V8 gives no position here and quotes the input.
		['{"a": secret}', 'is not valid JSON'],
		['{"a": [', 'is not valid JSON'],
		['" in JSON at position 5', 'is not valid JSON: check line 1, column 24'],
		['x in JSON at position 5', 'is not valid JSON'],
		['bob', 'is not valid JSON'],
		['[1]', 'needs a JSON object, but it is a list'],
		['"text"', 'needs a JSON object, but it is text'],
		['5', 'needs a JSON object, but it is 5'],
		['true', 'needs a JSON object, but it is true'],
		['null', 'needs a JSON object, but it is null'],
		[[1], 'needs a JSON object, but it is a list'],
		[5, 'needs a JSON object, but it is 5'],
		[false, 'needs a JSON object, but it is false'],
		[new Date(0), 'needs a JSON object, but it is an object'],
		[new Map(), 'needs a JSON object, but it is an object'],
	])('refuses %p', (given, reason) => {
		expect(refusalBy(() => values.asJsonObject(given, 'JSON')).message).toBe(`The field "JSON" ${reason}`);
	});

	test('an error gives an example of what the field may hold', () => {
		expect(refusalBy(() => values.asJsonObject('[]', 'JSON', '{"a": 1}')).hint).toContain('{"a": 1}');
	});

	test.each(NOTHING)('%j is empty', (given) => {
		expect(values.asJsonObject(given, 'JSON')).toBeUndefined();
	});
});

describe('what an error shows of a value', () => {
	test.each([
		[undefined, 'it is empty'],
		[null, 'it is empty'],
		['', 'it is empty'],
		['x'.repeat(60), `it is "${'x'.repeat(60)}"`],
		['x'.repeat(61), `it is "${'x'.repeat(59)}…"`],
		['x'.repeat(100_000), `it is "${'x'.repeat(59)}…"`],
		['😀'.repeat(61), `it is "${'😀'.repeat(59)}…"`],
		['דנה 12', 'it is "דנה 12"'],
		['\u202eabc\u0000', 'it is "\\u202eabc\\u0000"'],
		[7, 'it is 7'],
		[true, 'it is true'],
		[[1, 2], 'it is a list'],
		[{ a: 'secret' }, 'it is an object'],
	])('%j: %s', (value, expected) => {
		expect(values.shown(value)).toBe(expected);
	});
});

describe('resource locator', () => {
	test.each([
		[byId('a'), 'a'],
		[runInNewContext('({ __rl: true, mode: "id", value: "a" })'), 'a'],
		['a', 'a'],
		[{ value: 'a' }, { value: 'a' }],
		[
			{ __rl: 'yes', value: 'a' },
			{ __rl: 'yes', value: 'a' },
		],
		[undefined, undefined],
	])('%j holds %j', (given, expected) => {
		expect(values.locatorValue(given)).toStrictEqual(expected);
	});
});

describe('rows', () => {
	const read = (rows: unknown) => values.asRows(rows, 'Table');

	test('names are trimmed, values are not; their order stays', () => {
		const rows = [
			{ name: ' b ', value: ' 2 ' },
			{ name: 'a', value: 1 },
			{ name: 'b', value: false },
			{ name: 'c' },
		];
		expect(read(rows)).toStrictEqual([
			['b', ' 2 '],
			['a', '1'],
			['b', 'false'],
			['c', ''],
		]);
	});

	test.each([undefined, null, '', {}, 'x'])('%j has no rows', (table) => {
		expect(read(table)).toStrictEqual([]);
	});

	test('rows with nothing in them are left out', () => {
		expect(read([{}, null, { name: ' ', value: '' }, { value: null }, 'x'])).toStrictEqual([]);
	});

	test('a value without a name is refused, and the row named', () => {
		expect(refusalBy(() => read([{ name: 'a', value: '1' }, { value: ' ' }])).message).toBe(
			'The field "Table" has a value without a name in row 2',
		);
	});

	test.each([
		['Table', { name: {}, value: 'a' }],
		['Table', { name: '', value: [] }],
		['Table > a', { name: 'a', value: {} }],
	])('what is no text is refused by the name %s', (field, row) => {
		expect(refusalBy(() => read([row])).field).toBe(field);
	});
});

describe('what can not be sent', () => {
	const half = 'x\ud83d';

	/** The error for a call with this body. */
	function refused(body: object | undefined, query?: Array<[string, string]>): string {
		try {
			refuseUnsendable({ ...(body && { body }), ...(query && { query }) }, []);
			return '';
		} catch (error) {
			return (error as Error).message;
		}
	}

	test.each<[body: object, message: RegExp]>([
		[{ a: 'x', b: [1, null, { c: half }] }, /b\.2\.c.*half a character/],
		[{ a: { [half]: 1 } }, /half a character/],
		[{ a: [2 ** 53] }, /a\.0.*rounded number: 9007199254740992/],
		[
			JSON.parse('{"a":{"id":-12345678901234567890}}') as object,
			/a\.id.*rounded number: -12345678901234567000/,
		],
		[JSON.parse('{"a":1e999}') as object, /"a".*rounded number: Infinity/],
	])('%j is refused', (body, message) => {
		expect(refused(body)).toMatch(message);
	});

	test.each<[body: object | undefined]>([
		[undefined],
		[{}],
		[[]],
		[{ a: ['😀', 2 ** 53 - 1, -(2 ** 53) + 1, 0.1, -0, true, null, '12345678901234567890'] }],
	])('%j is not', (body) => {
		expect(refused(body)).toBe('');
	});

	test.each([
		[half, 'b'],
		['a', half],
	])('nor may %j = %j stand in the query', (name, value) => {
		expect(refused(undefined, [[name, value]])).toMatch(/Query Parameters.*half a character/);
		expect(refused(undefined, [['a', 'b']])).toBe('');
	});

	test('text is not made of a rounded number', () => {
		expect(() => values.asText(12345678901234567890, 'Message ID')).toThrow(/"Message ID".*rounded number/);
		expect(() => values.asText(Infinity, 'Text')).toThrow(/rounded number/);
		expect(values.asText(2 ** 53 - 1, 'Text')).toBe('9007199254740991');
		expect(values.asText(12345678901234567890n, 'Text')).toBe('12345678901234567890');
		expect(values.asText(1.5, 'Text')).toBe('1.5');
	});
});
