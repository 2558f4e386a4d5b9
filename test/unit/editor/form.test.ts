import { formFields } from '../../../nodes/Messaging/editor/form/field.ts';
import { labelText, literal } from '../../../nodes/Messaging/editor/form/literal.ts';
import { type FormSchema, formSchema } from '../../../nodes/Messaging/editor/form/schema.ts';
import { withHiddenSecrets } from '../../../nodes/Messaging/editor/form/secrets.ts';
import { HIDDEN_SECRET } from '../../../nodes/Messaging/fields/form-field.ts';
import { InvalidParameter } from '../../../nodes/Messaging/fields/invalid-parameter.ts';
import type { JsonObject } from '../../../nodes/Messaging/json/plain-object.ts';
import { readForm } from '../../../nodes/Messaging/operations/channel/parameters.ts';
import { Counted } from '../support/counted.ts';

const usable = (schema: object): FormSchema => {
	const result = formSchema(JSON.stringify(schema));
	if ('problem' in result) throw new Error(result.problem);
	return result;
};

/** The form that n8n saves after what was entered. */
function filledIn(schema: object, entries: JsonObject, current?: JsonObject) {
	const fields = formFields(usable(schema), current);
	const shown = fields.filter(({ removed }) => removed !== true);
	const defaults = Object.fromEntries(shown.map(({ id, defaultValue }) => [id, defaultValue ?? null]));
	const value = Object.fromEntries(
		Object.entries({ ...defaults, ...entries }).filter(([, entry]) => entry !== null),
	);
	return { mappingMode: 'defineBelow', value, schema: JSON.parse(JSON.stringify(fields)) as unknown };
}

const read = (form: unknown): JsonObject => readForm(form, 'Europe/Vienna');

describe('which schemas a form can be made of', () => {
	test.each([
		['<!doctype html>', 'it is not JSON'],
		['[1]', 'it is not a JSON Schema'],
		['"text"', 'it is not a JSON Schema'],
		['{"type":"array"}', 'it describes something other than an object'],
		['{"type":"object"}', 'it names no fields'],
		['{}', 'it names no fields'],
	])('%s: %s', (text, problem) => {
		expect(formSchema(text)).toEqual({ problem });
	});

	test('references and the parts of allOf are followed, endless ones given up', () => {
		const { fields, required } = usable({
			$defs: { port: { type: 'integer', maximum: 9 }, loop: { $ref: '#/$defs/loop' } },
			allOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }],
			properties: { port: { $ref: '#/$defs/port', title: 'Port' }, loop: { $ref: '#/$defs/loop' } },
			required: ['port'],
		});
		expect([...fields.keys()].sort()).toEqual(['a', 'loop', 'port']);
		expect(fields.get('port')).toEqual({ type: 'integer', maximum: 9, title: 'Port' });
		expect([...required].sort()).toEqual(['a', 'port']);
	});
});

describe('the fields of a form', () => {
	const schema = {
		type: 'object',
		required: ['host', 'on'],
		additionalProperties: false,
		properties: {
			host: { type: 'string', title: 'Host', description: 'Name of the server.' },
			port: { type: 'integer', default: 25 },
			kind: { enum: ['a', 'b'], default: 'a' },
			on: { type: 'boolean' },
			off: { type: 'boolean' },
			at: { type: 'string', format: 'date-time' },
			tags: { type: 'array', items: { type: 'string' } },
			nested: { type: 'object' },
			either: { type: ['string', 'integer'] },
			unknown: { 'x-widget': 'slider' },
		},
	};

	test('have the type of their schema, whatever it is, and none is lost', () => {
		const fields = formFields(usable(schema), undefined);
		expect(fields.map(({ id, type }) => [id, type])).toEqual([
			['host', 'string'],
			['port', 'number'],
			['kind', 'options'],
			['on', 'boolean'],
			['off', 'boolean'],
			['at', 'dateTime'],
			['tags', 'array'],
			['nested', 'object'],
			['either', 'string'],
			['unknown', 'string'],
		]);
		expect(fields.find(({ id }) => id === 'host')).toMatchObject({
			displayName: 'Host',
			description: 'Name of the server.',
			required: true,
		});
		expect(fields.find(({ id }) => id === 'kind')).toMatchObject({
			options: [
				{ name: 'a', value: 'a' },
				{ name: 'b', value: 'b' },
			],
			defaultValue: 'a',
		});
		expect(fields.find(({ id }) => id === 'off')).toMatchObject({ removed: true });
		expect(fields.find(({ id }) => id === 'unknown')).toMatchObject({ displayName: 'unknown (JSON)' });
	});

	test('have the present values on an update, and no defaults', () => {
		const fields = formFields(usable(schema), { host: 'h', nested: { a: 1 }, off: false });
		const values = Object.fromEntries(fields.map(({ id, defaultValue }) => [id, defaultValue]));
		expect(values).toMatchObject({ host: 'h', nested: '{\n  "a": 1\n}', off: false });
		expect(values.port).toBeUndefined();
		expect(fields.find(({ id }) => id === 'off')?.removed).toBeUndefined();
	});

	test('do not show a secret, and say whether there is one', () => {
		const secret = usable({
			properties: { word: { type: 'string', format: 'password', default: 'sesame' } },
		});
		const wordOf = (current?: JsonObject) =>
			formFields(secret, current && withHiddenSecrets(current, secret))[0]?.defaultValue;
		expect(wordOf({ word: 'open sesame' })).toBe(HIDDEN_SECRET);
		for (const empty of [{}, { word: null }, { word: '' }]) expect(wordOf(empty) ?? '').toBe('');
		expect(wordOf()).toBeUndefined();
	});

	test('a secret that was not entered anew is not replaced by what is shown for it', () => {
		const secret = usable({
			properties: {
				word: { title: 'Password', format: 'password' },
				smtp: { properties: { word: { format: 'password' } } },
			},
		});
		const current = withHiddenSecrets({ word: 'open sesame', smtp: { word: 'open sesame' } }, secret);
		const { schema, value } = filledIn(secret.root, {}, current);
		for (const entries of [{}, { smtp: '{}' }, { word: 'new' }]) {
			expect(() => read({ schema, value: { ...value, ...entries } })).toThrow(
				/"Parameters > (Password|smtp).*" has a secret in it that is not shown/,
			);
		}
		const anew = { word: 'new', smtp: '{"word": "new"}' };
		expect(read({ schema, value: { ...value, ...anew } })).toEqual({ word: 'new', smtp: { word: 'new' } });
	});

	describe('do not show a secret wherever the schema has it', () => {
		const password = { type: 'string', format: 'password' };
		const within = (member: object) => ({ properties: { login: member, host: { type: 'string' } } });
		const sesame = { login: { word: 'open sesame', name: 'ali' }, host: 'h' };

		test.each<[string, object, JsonObject]>([
			['in an object', within({ properties: { word: password } }), sesame],
			['to be written only', within({ properties: { word: { writeOnly: true } } }), sesame],
			[
				'behind a reference',
				{
					$defs: { word: password, login: { properties: { word: { $ref: '#/$defs/word' } } } },
					...within({ $ref: '#/$defs/login' }),
				},
				sesame,
			],
			[
				'in one that leads back to the whole',
				{ properties: { login: { $ref: '#' }, host: {}, word: password } },
				sesame,
			],
			['in a part of allOf', within({ allOf: [{ properties: { word: password } }] }), sesame],
			[
				'in one of several forms',
				within({ anyOf: [{ type: 'null' }, { properties: { word: password } }] }),
				sesame,
			],
			[
				'as one of several forms',
				within({ properties: { word: { oneOf: [password, { type: 'null' }] } } }),
				sesame,
			],
			['under a condition', within({ if: {}, then: { properties: { word: password } } }), sesame],
			['by a pattern of names', within({ patternProperties: { '^wo': password } }), sesame],
			['as any other field', within({ properties: { name: {} }, additionalProperties: password }), sesame],
			[
				'in a list',
				within({ type: 'array', items: { properties: { word: password } } }),
				{ ...sesame, login: [sesame.login] },
			],
			['as an entry of a list', within({ items: password }), { ...sesame, login: ['open sesame'] }],
			[
				'at a place in a list',
				within({ prefixItems: [{}, password] }),
				{ ...sesame, login: ['ali', 'open sesame'] },
			],
			[
				'with a name that the editor can not use',
				{ properties: { 'pass.word': password, host: {} } },
				{ 'pass.word': 'open sesame', host: 'h' },
			],
			[
				'in one of the forms of the whole',
				{ properties: { host: {} }, oneOf: [{ properties: { word: password } }] },
				{ word: 'open sesame', host: 'h' },
			],
		])('%s', (_where, schema, current) => {
			const form = usable(schema);
			const shown = withHiddenSecrets(current, form);
			expect(shown).toMatchObject({ host: 'h' });
			const text = JSON.stringify(formFields(form, shown));
			expect(text).not.toContain('sesame');
			expect(text).toContain(HIDDEN_SECRET);
			if (JSON.stringify(current).includes('ali')) expect(text).toContain('ali');
		});

		test('a schema that takes too much to tell gives no form', () => {
			const branches = Array.from({ length: 60 }, () => ({ $ref: '#' }));
			const form = usable({ properties: { host: {} }, additionalProperties: { anyOf: branches } });
			expect(withHiddenSecrets({ host: 'h', deep: { deep: { word: 'open sesame' } } }, form)).toBeUndefined();
		});

		test('what is no secret stays as it is', () => {
			const current = JSON.parse(
				'{"host":"h","__proto__":{"a":[1,null,{"b":false}]},"login":{"name":"ali"}}',
			) as JsonObject;
			expect(withHiddenSecrets(current, usable(within({ properties: { word: password } })))).toEqual(current);
		});
	});

	test('present values that the schema does not name stand under Other Fields and stay', () => {
		const current = { host: 'h', on: true, old: [1] };
		expect(read(filledIn(schema, {}, current))).toEqual(current);
	});

	test('names that the editor can not use stand under Other Fields, and are checked', () => {
		const odd = {
			properties: { 'a.b': { type: 'integer' }, '=x': {}, constructor: {}, ok: {} },
			required: ['a.b'],
		};
		const fields = formFields(usable(odd), undefined);
		expect(fields.map(({ id }) => id)).toEqual(['ok', '*']);
		expect(read(filledIn(odd, { '*': '{"a.b": 5}' }))).toEqual({ 'a.b': 5 });
		expect(() => read(filledIn(odd, { '*': '{"a.b": "five"}' }))).toThrow(
			'The field "Parameters > Other Fields (JSON) > a.b" needs a whole number',
		);
	});
});

describe('what was entered', () => {
	const schema = {
		required: ['host'],
		additionalProperties: false,
		properties: {
			host: { type: 'string', description: 'Name of the server' },
			port: { type: 'integer', maximum: 9 },
			tags: { type: 'array' },
			either: { type: ['string', 'integer'] },
		},
	};

	test('goes out in the types of the schema; what is empty does not', () => {
		const entries = { host: 'h', port: '5', tags: '["x"]', either: '7' };
		expect(read(filledIn(schema, entries))).toEqual({ host: 'h', port: 5, tags: ['x'], either: 7 });
		expect(read(filledIn(schema, { host: 'h', port: '', tags: null, either: 'text' }))).toEqual({
			host: 'h',
			either: 'text',
		});
	});

	test.each([
		[{}, 'The field "Parameters > host" is empty'],
		[{ host: 'h', port: 10 }, 'The field "Parameters > port" needs 9 or less, but it is 10'],
		[{ host: 'h', port: 'x' }, 'The field "Parameters > port" needs a whole number, but it is "x"'],
		[
			{ host: 'h', tags: '[1,' },
			'The field "Parameters > tags" holds no valid JSON: it ends too early, at line 1, column 4',
		],
		[
			{ host: 'h', tags: '[1,\n"two]' },
			'The field "Parameters > tags" holds no valid JSON: it ends too early, at line 2, column 6',
		],
		[{ host: { a: 1 } }, 'The field "Parameters > host" needs text, but it is an object'],
	])('%j is refused: %s', (entries, message) => {
		expect(() => read(filledIn(schema, entries))).toThrow(message);
	});

	test.each<[object, unknown]>([
		[{ type: 'string', format: 'password', pattern: '^[a-z]+$' }, 'Open Sesame'],
		[{ type: 'string', writeOnly: true, maxLength: 3 }, 'Open Sesame'],
		[{ type: 'string', format: 'password', enum: ['a'] }, 'Open Sesame'],
		[{ type: 'integer', writeOnly: true }, 'Open Sesame'],
		[{ oneOf: [{ const: 'a', writeOnly: true }, { const: 'b' }] }, 'Open Sesame'],
		[{ type: 'object', properties: { a: { format: 'password', const: 'b' } } }, '{"a": "Open Sesame"}'],
		[{ writeOnly: true, anyOf: [{ type: 'string', pattern: '^[a-z]+$' }] }, 'Open Sesame'],
		[{ type: 'array', writeOnly: true, items: { enum: ['a'] } }, '["Open Sesame"]'],
	])('a secret that does not fit stands in no error: %j', (property, entered) => {
		const refuse = () => read(filledIn({ properties: { word: property } }, { word: entered }));
		expect(refuse).toThrow(InvalidParameter);
		expect(refuse).not.toThrow('Sesame');
	});

	test('a form that never came is refused, with the way out', () => {
		for (const form of [undefined, null, '', { mappingMode: 'defineBelow', value: null }]) {
			expect(() => read(form)).toThrow(InvalidParameter);
		}
	});
});

describe('schemas that lead back to themselves, or on and on', () => {
	const ref = (name: string) => ({ $ref: `#/$defs/${name}` });
	const many = <T>(count: number, make: (n: number) => T): T[] =>
		Array.from({ length: count }, (_, n) => make(n));
	const named = <T>(count: number, make: (n: number) => T): Record<string, T> =>
		Object.fromEntries(many(count, (n) => [`f${n}`, make(n)]));

	const rule = {
		type: 'object',
		properties: { all: { type: 'array', items: ref('rule') }, not: ref('rule'), field: { type: 'string' } },
		anyOf: [ref('rule'), { type: 'object', items: ref('rule') }],
		additionalProperties: ref('rule'),
	};
	const large = { properties: named(3_000, () => ({ type: 'string' })), enum: many(3_000, String) };

	test.each<[string, object]>([
		[
			'a choice of itself',
			{
				$defs: {
					a: { anyOf: [ref('a'), ref('a'), ref('a')], items: ref('a'), additionalProperties: ref('a') },
				},
				properties: { x: ref('a') },
				additionalProperties: ref('a'),
			},
		],
		['a rule made of rules', { $defs: { rule }, properties: named(140, () => ref('rule')) }],
		[
			'parts that are all of the next parts',
			{
				$defs: named(100, (n) => ({ allOf: many(20, () => ref(`f${n + 1}`)), title: 'T' })),
				properties: { x: ref('f0') },
			},
		],
		[
			'many references to something large',
			{ $defs: { large }, properties: named(2_000, () => ref('large')) },
		],
		[
			'many references to something large, each with words of its own',
			{ $defs: { large }, properties: named(2_000, (n) => ({ ...ref('large'), title: `T${n}` })) },
		],
		[
			'a long chain',
			{ $defs: named(2_000, (n) => ref(`f${n + 1}`)), properties: { x: ref('f0'), y: { items: ref('f0') } } },
		],
		[
			'many defaults that are large',
			{ $defs: { d: { default: many(20_000, () => 'x') } }, properties: named(150, () => ref('d')) },
		],
		[
			'values nested very deeply',
			{
				properties: {
					x: { default: JSON.parse(`${'['.repeat(9_000)}${']'.repeat(9_000)}`) as unknown },
					y: { enum: [JSON.parse(`${'['.repeat(3_000)}${']'.repeat(3_000)}`) as unknown] },
				},
			},
		],
	])('%s: make a form of a bearable size, without much looking', (_name, schema) => {
		const counted = new Counted(3_000_000);
		const parse = jest.spyOn(JSON, 'parse').mockImplementationOnce(() => counted.watch(schema) as unknown);
		const result = formSchema('');
		parse.mockRestore();
		if ('problem' in result) throw new Error(result.problem);
		const fields = formFields(result, undefined);
		expect(fields.length).toBeGreaterThan(0);
		expect(Math.max(...fields.map(({ rules }) => rules.length))).toBeLessThanOrEqual(8_000);
		expect(JSON.stringify(fields).length).toBeLessThan(2_000_000);
	});

	test('what is checked of them still is', () => {
		const schema = { $defs: { rule }, properties: { x: ref('rule') } };
		const entries = (x: unknown) => filledIn(schema, { x: JSON.stringify(x) });
		expect(read(entries({ all: [{ field: 'f' }] }))).toEqual({ x: { all: [{ field: 'f' }] } });
		expect(() => read(entries({ field: 5 }))).toThrow(
			'The field "Parameters > x > field" needs text, but it is 5',
		);
	});

	test('references inside the schema of a field are followed', () => {
		const schema = {
			$defs: { port: { type: 'integer' } },
			properties: { ports: { type: 'array', items: ref('port') } },
		};
		expect(() => read(filledIn(schema, { ports: '[1, "x"]' }))).toThrow('Parameters > ports > 1');
	});

	test('a menu of more entries than one can choose from is a text field', () => {
		const [field] = formFields(usable({ properties: { x: { enum: many(501, (n) => `v${n}`) } } }), undefined);
		expect(field).toMatchObject({ type: 'string' });
		expect(field?.options).toBeUndefined();
	});
});

describe('text of a schema never runs as an expression', () => {
	const harmful = ['={{ $env.HOME }}', '=', '={{ 1 }}"}}', '=\\u0041{{`${1}`}}', '=ä 😀\n"\'`'];

	test.each(harmful)('%j stays itself as a value', (text) => {
		const written = String(literal(text));
		expect(written).toMatch(/^=\{\{ "[A-Za-z0-9 \\]*" \}\}$/);
		expect(JSON.parse(written.slice(4, -3)) as string).toBe(text);
	});

	test.each(harmful)('%j is no expression in a label', (text) => {
		expect(labelText(text, 50).startsWith('=')).toBe(false);
	});
});
