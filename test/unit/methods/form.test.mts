import { addAbortSignal, Readable } from 'node:stream';

import type { IHttpRequestOptions, ILoadOptionsFunctions } from 'n8n-workflow';

import { HIDDEN_SECRET } from '../../../nodes/Messaging/service/secrets.ts';
import { InvalidParameter } from '../../../nodes/Messaging/input/invalid-parameter.ts';
import { channelParameterFields } from '../../../nodes/Messaging/methods/form/channel-parameters.ts';
import { parameterFields, type Purpose } from '../../../nodes/Messaging/methods/form/fields.ts';
import { readDocument } from '../../../nodes/Messaging/service/read-document.ts';
import { readForm } from '../../../nodes/Messaging/operations/channel/parameters.ts';
import type { JsonObject } from '../../../nodes/Messaging/shared/json.ts';
import { Counted } from '../support/counted.mts';

/** The fields for a schema, which is parsed: no part of it is in two places. */
const fieldsOf = (schema: unknown, purpose: Purpose = 'create') =>
	parameterFields(JSON.parse(JSON.stringify(schema)), purpose);

/** The form that n8n saves for these entries. */
function filledIn(schema: object, entries: JsonObject, purpose: Purpose = 'create') {
	const fields = fieldsOf(schema, purpose);
	const shown = fields.filter(({ removed }) => removed !== true);
	const defaults = Object.fromEntries(shown.map(({ id, defaultValue }) => [id, defaultValue ?? null]));
	const value = Object.fromEntries(
		Object.entries({ ...defaults, ...entries }).filter(([, entry]) => entry !== null),
	);
	return { mappingMode: 'defineBelow', value, schema: JSON.parse(JSON.stringify(fields)) as unknown };
}

const read = (form: unknown): JsonObject =>
	readForm(form, { read: () => undefined, timezone: 'Europe/Vienna', caller: { callId: '' } });

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

	test('on an update are optional and empty; switches and JSON wait until they are added', () => {
		const fields = fieldsOf(schema, 'update');
		expect(fields.map(({ id, removed }) => (removed === true ? `(${id})` : id)).join(' ')).toBe(
			'host port kind (on) (off) at (tags) (nested) (*)',
		);
		const needless = fields.filter(({ required, defaultValue }) => required || defaultValue !== undefined);
		expect(needless).toEqual([]);
		expect(read(filledIn(schema, {}, 'update'))).toEqual({});
	});

	test('on an update change what is entered, and nothing else; Other Fields can clear', () => {
		const entries = { port: 25, off: false, tags: '[]', at: '', '*': '{"host": null, "kind": ""}' };
		expect(read(filledIn(schema, entries, 'update'))).toEqual({
			...{ port: 25, off: false, tags: [] },
			...{ host: null, kind: '' },
		});
	});

	test('what the editor has no widget for stands under Other Fields', () => {
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
		expect(fieldsOf(odd, 'update').at(-1)).toMatchObject({ id: '*', required: false });
		expect(read(filledIn(odd, { '*': '{"a.b": 5}' }))).toEqual({ 'a.b': 5 });
	});
});

describe('a secret', () => {
	const login = { properties: { word: { type: 'string', title: 'Password', format: 'password' } } };

	test.each([HIDDEN_SECRET, '********'])('is taken as it was entered, but not a mask: %s', (mask) => {
		expect(read(filledIn(login, { word: 'new' }))).toEqual({ word: 'new' });
		expect(() => read(filledIn(login, { word: mask }))).toThrow(
			'The field "Parameters > Password" contains a hidden secret',
		);
	});

	test.each<[object, unknown]>([
		[{ type: 'object', properties: { a: { format: 'password' } } }, '{"a": Open Sesame}'],
		[{ type: 'string', writeOnly: true }, { a: 'Open Sesame' }],
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
		const fields = parameterFields(new Counted(2_000_000).watch(schema), 'create');
		expect(fields.length).toBeGreaterThan(0);
		expect(fields.length).toBeLessThanOrEqual(101);
		expect(JSON.stringify(fields).length).toBeLessThan(200_000);
	});
});

describe('text of a schema never runs as an expression', () => {
	test('a menu with such a choice is a text field', () => {
		const [field] = fieldsOf({ properties: { x: { type: 'string', enum: ['a', '={{ 1 }}'] } } });
		expect(field).toMatchObject({ type: 'string' });
	});

	test('such a default is not filled in', () => {
		const schema = { properties: { x: { type: 'string', default: '={{ 1 }}' } } };
		expect(fieldsOf(schema)[0]).not.toHaveProperty('defaultValue');
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
