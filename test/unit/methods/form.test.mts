import { addAbortSignal, Readable } from 'node:stream';

import * as fc from 'fast-check';
import type { IHttpRequestOptions, ILoadOptionsFunctions } from 'n8n-workflow';

import { HIDDEN_SECRET } from '../../../nodes/Messaging/shared/masks.ts';
import { InvalidParameter } from '../../../nodes/Messaging/input/invalid-parameter.ts';
import { channelParameterFields } from '../../../nodes/Messaging/methods/form/channel-parameters.ts';
import { parameterFields } from '../../../nodes/Messaging/methods/form/fields.ts';
import { readDocument } from '../../../nodes/Messaging/methods/form/read-document.ts';
import { readForm } from '../../../nodes/Messaging/operations/channel/parameters.ts';
import type { JsonObject } from '../../../nodes/Messaging/shared/json.ts';
import { bodyMask } from '../../../nodes/Messaging/service/secrets.ts';
import { runs } from '../../runs.mts';
import { Counted } from '../support/counted.mts';

/** The fields for a schema, which is parsed: no part of it is in two places. */
const fieldsOf = (schema: unknown, current?: JsonObject) =>
	parameterFields(JSON.parse(JSON.stringify(schema)), current);

/** The form that n8n saves for these entries. */
function filledIn(schema: object, entries: JsonObject, current?: JsonObject) {
	const fields = fieldsOf(schema, current);
	const shown = fields.filter(({ removed }) => removed !== true);
	const defaults = Object.fromEntries(shown.map(({ id, defaultValue }) => [id, defaultValue ?? null]));
	const value = Object.fromEntries(
		Object.entries({ ...defaults, ...entries }).filter(([, entry]) => entry !== null),
	);
	return { mappingMode: 'defineBelow', value, schema: JSON.parse(JSON.stringify(fields)) as unknown };
}

const read = (form: unknown): JsonObject => readForm(form, 'Europe/Vienna').parameters;
const keptBy = (form: unknown): readonly string[] => readForm(form, 'Europe/Vienna').kept;

describe('which schemas a form can be made of', () => {
	test.each<[unknown, string]>([
		['text', 'it is not a JSON Schema'],
		[{ type: 'array' }, 'it names no fields'],
		[{ type: 'object' }, 'it names no fields'],
		[{ $ref: '#/$defs/lost' }, 'it names no fields'],
	])('%j: %s', (document, problem) => {
		expect(() => fieldsOf(document)).toThrow(problem);
	});

	test('a reference within the document is followed one step, and its own keywords win', () => {
		const fields = fieldsOf({
			$ref: '#/$defs/all~1of it',
			$defs: {
				'all/of it': {
					properties: {
						port: { $ref: '#/$defs/port', title: 'Port' },
						loop: { $ref: '#/$defs/loop' },
						further: { $ref: '#/$defs/further' },
						elsewhere: { $ref: 'https://schemas.example/port' },
					},
					required: ['port'],
				},
				port: { type: 'integer', title: 'A port', default: 25 },
				loop: { $ref: '#/$defs/loop' },
				further: { $ref: '#/$defs/port' },
			},
		});
		expect(fields.map(({ id }) => id)).toEqual(['port', '*']);
		expect(fields[0]).toMatchObject({
			displayName: 'Port',
			type: 'number',
			required: true,
			defaultValue: 25,
		});
	});
});

test.each<[operation: string, field: string, value: string, reason: string]>([
	['create', 'channelType', '', 'Choose a channel type first'],
	['updateParameters', 'channelId', '', 'Choose a channel first'],
	['create', 'channelType', '={{ 1 }}', 'Choose a channel type first, without an expression.'],
	['updateParameters', 'channelId', '={{ 1 }}', 'Choose a channel first, without an expression.'],
])('%s: without a %s (%j) the editor shows what to do', async (operation, field, value, reason) => {
	const entered: Record<string, unknown> = { operation, [field]: { __rl: true, mode: 'id', value } };
	const context = { getCurrentNodeParameter: (name: string) => entered[name] };
	const { fields, emptyFieldsNotice } = await channelParameterFields.call(context as ILoadOptionsFunctions);
	expect(fields).toEqual([]);
	expect(emptyFieldsNotice).toContain(reason);
});

describe('the fields of a form', () => {
	const schema = {
		type: 'object',
		required: ['host', 'on'],
		additionalProperties: false,
		properties: {
			host: { type: 'string', title: 'Host' },
			port: { type: ['integer', 'null'], default: 25 },
			kind: { enum: ['a', 'b', null], default: 'a' },
			on: { type: 'boolean' },
			off: { type: 'boolean' },
			at: { type: 'string', format: 'date-time' },
			tags: { type: 'array', items: { type: 'string' } },
			nested: { type: 'object', default: { a: 1 } },
		},
	};

	test('have the type, the title, the choices and the default of their schema', () => {
		const fields = fieldsOf(schema);
		expect(fields.map(({ id, type }) => `${id} ${type}`).join(', ')).toBe(
			'host string, port number, kind options, on boolean, off boolean, at dateTime, tags array, nested object',
		);
		const field = (name: string) => fields.find(({ id }) => id === name);
		expect(field('host')).toMatchObject({ displayName: 'Host', required: true });
		expect(field('kind')).toMatchObject({
			options: [
				{ name: 'a', value: 'a' },
				{ name: 'b', value: 'b' },
			],
			defaultValue: 'a',
		});
		expect(field('port')).toMatchObject({ required: false, defaultValue: 25 });
		expect(field('nested')).toMatchObject({ defaultValue: '{\n  "a": 1\n}' });
		expect(field('off')).toMatchObject({ removed: true });
	});

	test('have the present values on an update, and no defaults', () => {
		const fields = fieldsOf(schema, { host: 'h', nested: { b: 1 }, off: false });
		const values = Object.fromEntries(fields.map(({ id, defaultValue }) => [id, defaultValue]));
		expect(values).toMatchObject({ host: 'h', nested: '{\n  "b": 1\n}', off: false });
		expect(values.port).toBeUndefined();
		expect(fields.find(({ id }) => id === 'off')?.removed).toBeUndefined();
	});

	test('an update loses nothing: what fits no field stands under Other Fields', () => {
		const current = { host: 'h', on: true, kind: 'c', port: 'smtp', old: [1] };
		expect(fieldsOf(schema, current).map(({ id }) => id)).toEqual([
			...['host', 'on', 'off', 'at', 'tags', 'nested'],
			'*',
		]);
		expect(read(filledIn(schema, {}, current))).toEqual(current);
		const own = JSON.parse('{"__proto__":{"a":1},"host":"h","on":true}') as JsonObject;
		expect(read(filledIn(schema, {}, own))).toStrictEqual(own);
	});

	test('so does what the editor has no widget for', () => {
		const odd = {
			properties: {
				'a.b': { type: 'integer' },
				'=x': { type: 'string' },
				constructor: { type: 'string' },
				either: { type: ['string', 'integer'] },
				open: {},
				any: true,
				ok: { type: 'string' },
			},
			required: ['a.b'],
		};
		const fields = fieldsOf(odd);
		expect(fields.map(({ id, required }) => [id, required])).toEqual([
			['ok', false],
			['*', true],
		]);
		expect(read(filledIn(odd, { '*': '{"a.b": 5}' }))).toEqual({ 'a.b': 5 });
	});
});

describe('a secret', () => {
	const password = { type: 'string', format: 'password' };
	const within = (login: object) => ({ properties: { login, host: { type: 'string' } } });
	const plain = { login: 'open sesame', host: 'h' };
	const sesame = { login: { word: 'open sesame' }, host: 'h' };
	const writeOnly = { type: 'string', writeOnly: true };

	test.each<[string, object, JsonObject]>([
		['a password', within(password), plain],
		['to be written only', within(writeOnly), plain],
		[
			'behind a reference',
			{
				$defs: { word: password, login: { type: 'object', properties: { word: password } } },
				...within({ $ref: '#/$defs/login' }),
			},
			sesame,
		],
		[
			'perhaps, behind a reference of another kind',
			within({ type: 'object', additionalProperties: { $dynamicRef: '#word' } }),
			sesame,
		],
		[
			'only under a condition',
			{
				properties: { host: {}, word: { type: 'string' } },
				if: {},
				then: { properties: { word: password } },
			},
			{ word: 'open sesame', host: 'h' },
		],
	])('is not in the form, and is kept if its field is left empty: %s', (_where, schema, current) => {
		const form = filledIn(schema, {}, current);
		expect(JSON.stringify(form)).not.toContain('sesame');
		expect(JSON.stringify(form)).not.toContain(HIDDEN_SECRET);
		const names = Object.keys(current).filter((name) => name !== 'host');
		expect(keptBy(form)).toEqual(expect.arrayContaining(names));
		expect(Object.keys(read(form))).toEqual(
			Object.keys(current).filter((name) => !keptBy(form).includes(name)),
		);
	});

	const unmarked = {
		password: 'open sesame',
		botToken: 'open sesame',
		client_secret: 'open sesame',
		login: { user: 'ada', deeper: [{ pass: 1, apiKey: 'open sesame' }] },
		url: 'https://ada:open-sesame@mail.example',
		headers: [['Authorization', 'open sesame']],
		'smtp.password': 'open sesame',
	};
	const types = { login: 'object', headers: 'array' } as const;
	const named = Object.keys(unmarked).map((name) => [name, { type: types[name as 'login'] ?? 'string' }]);
	const closed = { additionalProperties: false };

	test.each<[string, object]>([
		[
			'of its own, which is required',
			{ properties: Object.fromEntries(named), required: Object.keys(unmarked) },
		],
		['of its own, and no other', { properties: Object.fromEntries(named), ...closed }],
		['of another type', { properties: { ...Object.fromEntries(named), password: { type: 'integer' } } }],
		['in Other Fields', { properties: { host: { type: 'string' } } }],
	])('is found by its name or its text, whatever the schema says, with a field %s', (_where, schema) => {
		const fields = fieldsOf(schema, unmarked);
		expect(JSON.stringify(fields)).not.toMatch(/sesame|••/);
		expect(fields.filter(({ required }) => required)).toEqual([]);
		for (const { displayName, display, id } of fields) {
			if (display && id !== '*')
				expect(displayName).toMatch(id === 'host' ? /^host$/ : /leave empty to keep/);
		}
		const form = filledIn(schema, {}, unmarked);
		expect([...keptBy(form)].sort()).toEqual(Object.keys(unmarked).sort());
		expect(read(form)).toEqual({});
	});

	test('of any kind, at any place: the form has nothing that results mask, and an update loses nothing', () => {
		const name = fc.constantFrom(
			'host',
			'password',
			'a.b',
			'token',
			'name',
			'value',
			'url',
			'x-api-key',
			'__proto__',
		);
		const text = fc.constantFrom(
			's3cr3t',
			'',
			'Authorization',
			'Bearer x',
			'https://a:s3cr3t@x',
			'-u a:b',
			'acc_…WXYZ',
		);
		const { tree } = fc.letrec((tie) => ({
			tree: fc.oneof(
				{ weight: 3, arbitrary: text },
				{ weight: 1, arbitrary: fc.constantFrom(null, true, 0, 25) },
				{ weight: 1, arbitrary: fc.array(tie('tree'), { maxLength: 2 }) },
				{ weight: 2, arbitrary: fc.dictionary(name, tie('tree'), { maxKeys: 3 }) },
			),
		}));
		const type = fc.constantFrom('string', 'object', 'array', 'integer', 'boolean', undefined);
		const properties = fc.dictionary(name, fc.record({ type }), { minKeys: 1, maxKeys: 5 });
		const masked = (parameters: unknown) => bodyMask((word) => word)({ parameters }).parameters;
		fc.assert(
			fc.property(properties, fc.dictionary(name, tree, { maxKeys: 6 }), (schema, current) => {
				const form = filledIn({ properties: schema }, {}, current);
				expect(masked(read(form))).toEqual(read(form));
				const kept = Object.entries(current).filter(([key]) => keptBy(form).includes(key));
				const empty = (value: unknown) => value === null || value === '';
				const whole = Object.entries({ ...read(form), ...Object.fromEntries(kept) });
				expect(Object.fromEntries(whole.filter(([, value]) => !empty(value)))).toEqual(
					Object.fromEntries(Object.entries(current).filter(([, value]) => !empty(value))),
				);
			}),
			runs(300),
		);
	});

	test('that the schema itself sets as a default is not filled in', () => {
		const preset = (name: string, value: string) => ({ [name]: { type: 'string', default: value } });
		const properties = {
			...preset('password', 'sesame'),
			...preset('url', 'https://ada:sesame@x'),
			...preset('a', 'b'),
		};
		const fields = fieldsOf({ properties });
		expect(JSON.stringify(fields)).not.toContain('sesame');
		expect(fields.find(({ id }) => id === 'a')?.defaultValue).toBe('b');
	});

	test('that the service itself masks is not sent back', () => {
		const shown = { word: '********', key: 'acc_…WXYZ' };
		const schema = { properties: { word: { type: 'string' }, key: { type: 'string' } } };
		expect(keptBy(filledIn(schema, {}, shown))).toEqual(['word', 'key']);
		expect(() => read(filledIn(schema, { word: '********' }))).toThrow(/contains a hidden secret/);
	});

	const login = { properties: { word: { type: 'string', title: 'Password', format: 'password' } } };

	test('is taken when it is entered anew; a mask is not', () => {
		const entered = (word: string) => filledIn(login, { word }, { word: 'old' });
		expect([read(entered('new')), keptBy(entered('new'))]).toEqual([{ word: 'new' }, []]);
		expect(() => read(entered(HIDDEN_SECRET))).toThrow(
			'The field "Parameters > Password (leave empty to keep the present value)" contains a hidden secret',
		);
	});

	test.each(['{}', '[]', ' { } ', ''])(
		'is kept if its field is added and stays as it is: %j',
		(untouched) => {
			const schema = { properties: { login: { type: 'object' }, list: { type: 'array' } } };
			const current = { login: { password: 'old' }, list: [['Authorization', 'old']] };
			expect(keptBy(filledIn(schema, { login: untouched, list: untouched }, current))).toEqual([
				'login',
				'list',
			]);
		},
	);

	test('can be replaced or cleared under Other Fields', () => {
		const schema = { properties: { host: { type: 'string' } } };
		for (const password of ['new', '', null]) {
			const form = filledIn(schema, { '*': JSON.stringify({ password }) }, { password: 'old', token: 'old' });
			expect([read(form), keptBy(form)]).toEqual([{ password }, ['token']]);
		}
	});

	test('that there is none of is not said to be there; its default is not shown', () => {
		const preset = { properties: { word: { ...password, default: 'sesame' } } };
		for (const current of [undefined, {}, { word: null }, { word: '' }]) {
			expect(fieldsOf(preset, current)[0]?.defaultValue ?? '').toBe('');
		}
	});

	test.each<[object, unknown]>([
		[{ type: 'object', properties: { a: { format: 'password' } } }, '{"a": Open Sesame}'],
		[writeOnly, { a: 'Open Sesame' }],
	])('stands in no error: %j', (property, word) => {
		const refuse = () => read(filledIn({ properties: { word: property } }, { word }));
		expect(refuse).toThrow(InvalidParameter);
		expect(refuse).not.toThrow('Sesame');
	});
});

describe('what was entered', () => {
	const schema = {
		required: ['host'],
		properties: {
			host: { type: 'string', pattern: '^[a-z]+$' },
			port: { type: 'integer', maximum: 9 },
			on: { type: 'boolean' },
			tags: { type: 'array' },
			more: { type: 'object' },
			level: { enum: [1, 2] },
			at: { type: 'string', format: 'date-time' },
		},
	};

	test('goes out in the types of the schema; what is empty does not', () => {
		const fields: Record<string, [entered: unknown, sent: unknown]> = {
			host: [5, '5'],
			port: ['5', 5],
			on: ['true', true],
			tags: ['["x"]', ['x']],
			more: ['{"a": 1}', { a: 1 }],
			level: ['2', 2],
			at: ['2030-01-31T09:00', '2030-01-31T09:00:00.000+01:00'],
		};
		const side = (n: 0 | 1) =>
			Object.fromEntries(Object.entries(fields).map(([name, both]) => [name, both[n]]));
		expect(read(filledIn(schema, side(0)))).toEqual(side(1));
		expect(read(filledIn(schema, { host: 'h', port: '', tags: null, at: ' ' }))).toEqual({ host: 'h' });
	});

	test.each([{ port: 'x' }, { port: [5] }, { on: 'yes' }, { level: 3 }])(
		'goes out as it is, for the service to judge, if it does not fit: %j',
		(entries) => {
			expect(read(filledIn(schema, entries))).toEqual(entries);
		},
	);

	test.each([
		[{ tags: '{}' }, 'The field "Parameters > tags" needs a JSON list, but it is an object'],
		[{ more: '{' }, 'The field "Parameters > more" is not valid JSON'],
		[{ at: 'May' }, 'The field "Parameters > at" needs a date and time'],
	])('%j, which has no JSON to send, is refused: %s', (entries, message) => {
		expect(() => read(filledIn(schema, entries))).toThrow(message);
	});

	test('a form that never came is refused, with the way out', () => {
		for (const form of [undefined, null, '', { mappingMode: 'defineBelow', value: null }]) {
			expect(() => read(form)).toThrow(InvalidParameter);
		}
	});

	test('what has no field in a form written by hand goes out as it is', () => {
		const form = { value: { host: 'h', tags: [1], none: null, empty: '' }, schema: [{ id: 'host' }] };
		expect(read(form)).toEqual({ host: 'h', tags: [1] });
	});
});

describe('no schema holds n8n up', () => {
	const ref = (name: string) => ({ $ref: `#/$defs/${name}` });
	const many = <T,>(count: number, make: (n: number) => T): T[] =>
		Array.from({ length: count }, (_, n) => make(n));
	const named = <T,>(count: number, make: (n: number) => T): Record<string, T> =>
		Object.fromEntries(many(count, (n) => [`f${n}`, make(n)]));
	const deep = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
	const large = { type: 'string', properties: named(3_000, () => ({})), enum: many(3_000, String) };

	test.each<[string, object]>([
		['many properties', { properties: named(5_000, () => ({ type: 'string' })) }],
		[
			'many references to something large',
			{ $defs: { large }, properties: named(2_000, () => ref('large')) },
		],
		[
			'many defaults that are large',
			{
				$defs: { d: { type: 'array', default: many(20_000, () => 'x') } },
				properties: { x: { type: 'string' }, ...named(150, () => ref('d')) },
			},
		],
		[
			'values nested very deeply',
			{ properties: { x: { default: deep(1_500) }, y: { enum: [deep(1_000)] }, z: { type: 'string' } } },
		],
	])('%s: a form of a bearable size, without much looking', (_name, schema) => {
		const fields = parameterFields(new Counted(2_000_000).watch(schema), {});
		expect(fields.length).toBeGreaterThan(0);
		expect(fields.length).toBeLessThanOrEqual(101);
		expect(JSON.stringify(parameterFields(schema)).length).toBeLessThan(200_000);
	});
});

describe('text of a schema or a channel never runs as an expression', () => {
	test('a menu with such a choice is a text field', () => {
		const [field] = fieldsOf({ properties: { x: { type: 'string', enum: ['a', '={{ 1 }}'] } } });
		expect(field).toMatchObject({ type: 'string' });
	});

	test('such a default is not filled in, and such a value stands in the JSON of Other Fields', () => {
		const schema = { properties: { x: { type: 'string', default: '={{ 1 }}' } } };
		expect(fieldsOf(schema)[0]).not.toHaveProperty('defaultValue');
		expect(fieldsOf(schema, { x: '={{ 1 }}' })).toMatchObject([
			{ id: '*', defaultValue: '{\n  "x": "={{ 1 }}"\n}' },
		]);
	});
});

afterEach(() => jest.restoreAllMocks());

/** What the editor gives a method; its requests are answered with this body. */
function contextFor(body: Readable): { context: ILoadOptionsFunctions; asked: IHttpRequestOptions[] } {
	const asked: IHttpRequestOptions[] = [];
	const context: Pick<ILoadOptionsFunctions, 'getCredentials'> & { helpers: object } = {
		getCredentials: async <T extends object>() =>
			({ baseUrl: 'https://api.example', apiKey: 'acc_0123"4567' }) as T,
		helpers: {
			httpRequest: async (options: IHttpRequestOptions) => {
				asked.push(options);
				// As n8n's request function does.
				if (options.abortSignal !== undefined) addAbortSignal(options.abortSignal as AbortSignal, body);
				return { statusCode: 200, headers: {}, body };
			},
		},
	};
	return { context: context as ILoadOptionsFunctions, asked };
}

test('a document of a schema that never ends is given up when the time is up, and its connection is closed', async () => {
	const clock = new AbortController();
	const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(clock.signal);
	const body = new Readable({ read: () => undefined });
	const { context, asked } = contextFor(body);

	const reading = readDocument(context, 'https://schemas.example/schema.json');
	for (let drips = 0; drips < 3; drips++) {
		body.push(' ');
		await new Promise(setImmediate);
	}
	clock.abort();

	await expect(reading).rejects.toThrow('it could not be loaded within 10 seconds');
	expect(body.destroyed).toBe(true);
	expect(timeout).toHaveBeenCalledWith(10_000);
	expect(asked).toMatchObject([{ abortSignal: { aborted: true }, timeout: 11_000 }]);
});
