import type { IDataObject } from 'n8n-workflow';

import { execute } from '../../../nodes/Messaging/execute.ts';
import { ChannelSecrets } from '../../../nodes/Messaging/service/channel-secrets.ts';
import { cases } from '../../cases/index.mts';
import { FakeClock } from '../delivery/fake-clock.mts';
import { type FakeRequest, fakeN8n, jsonResponse } from '../support/fake-n8n.mts';
import { operationUnderTest } from '../support/operations.mts';

const dots = '••••••••';
const secret = { format: 'password' };
/** Parameters as a run returns them whose channel type has this schema. */
async function hidden(parameters: object, schema: unknown): Promise<unknown> {
	const body = { parameters, channelType: { configurationSchemaUrl: 'schema' } };
	await new ChannelSecrets(async () => schema).hideIn(body);
	return body.parameters;
}
const properties = (members: object) => ({ type: 'object', properties: members });

describe('a schema calls secret', () => {
	test.each<[string, object]>([
		['what is written only', { writeOnly: true }],
		['a password', { type: 'string', format: 'password' }],
		['what form builders mark', { 'x-secret': true }],
		['the same in other words', { 'x-sensitive': true }],
		['and in a vendor’s', { airbyte_secret: true }],
	])('%s', async (_what, keywords) => {
		const schema = properties({ pin: keywords, host: { type: 'string', writeOnly: false } });
		expect(await hidden({ pin: '4711', host: 'h' }, schema)).toEqual({ pin: dots, host: 'h' });
	});

	test.each<[string, object, object, unknown]>([
		[
			'nested',
			properties({ a: properties({ b: secret }) }),
			{ a: { b: 's', c: 1 } },
			{ a: { b: dots, c: 1 } },
		],
		[
			'by reference',
			{ ...properties({ a: { $ref: '#/$defs/x~1y' } }), $defs: { 'x/y': { $ref: '#/$defs/z' }, z: secret } },
			{ a: 's' },
			{ a: dots },
		],
		[
			'in one of several forms',
			{ oneOf: [properties({ a: secret }), properties({ b: { anyOf: [{ type: 'null' }, secret] } })] },
			{ a: 's', b: 't', c: 'u' },
			{ a: dots, b: dots, c: 'u' },
		],
		[
			'of all of them',
			{ allOf: [properties({ a: {} }), properties({ a: secret })] },
			{ a: 's' },
			{ a: dots },
		],
		[
			'under a condition',
			{ if: {}, then: properties({ a: secret }), else: properties({ b: secret }) },
			{ a: 's', b: 't' },
			{ a: dots, b: dots },
		],
		[
			'in what depends on another field',
			{ dependencies: { kind: { oneOf: [properties({ a: secret })] }, other: ['b'] } },
			{ kind: 'k', a: 's' },
			{ kind: 'k', a: dots },
		],
		[
			'in each entry of a list',
			properties({ list: { items: properties({ key: secret }) }, flat: { items: secret } }),
			{ list: [{ key: 's', name: 'n' }], flat: ['s', 't'] },
			{ list: [{ key: dots, name: 'n' }], flat: dots },
		],
		['in a tuple', properties({ pair: { prefixItems: [{}, secret] } }), { pair: ['n', 's'] }, { pair: dots }],
		[
			'in further members',
			properties({ headers: { properties: { accept: {} }, additionalProperties: secret } }),
			{ headers: { accept: '*/*', 'x-any': 's' } },
			{ headers: dots },
		],
		[
			'in members without a name',
			{ properties: { a: {} }, additionalProperties: secret },
			{ a: 1, b: 's' },
			{ a: 1, b: dots },
		],
		[
			'in members by pattern, which is not run',
			{ properties: { host: {} }, patternProperties: { '^(a+)+$': secret } },
			{ host: 'h', aaa: 's' },
			{ host: 'h', aaa: dots },
		],
		[
			'at every level of a schema that refers to itself',
			{ properties: { pin: secret, next: { $ref: '#' } } },
			{ pin: 's', next: { pin: 't', next: { pin: 'u', host: 'h' } } },
			{ pin: dots, next: { pin: dots, next: { pin: dots, host: 'h' } } },
		],
		['as a whole', properties({ a: { writeOnly: true } }), { a: { b: [1] } }, { a: dots }],
		[
			'by name, wherever it stands',
			properties({ a: properties({ code: secret }) }),
			{ b: [{ code: 1 }] },
			{ b: [{ code: dots }] },
		],
		['not what is empty', properties({ a: secret, b: secret }), { a: '', b: null }, { a: '', b: null }],
		['not a member that every object has', properties({}), { constructor: 'c' }, { constructor: 'c' }],
	])('%s', async (_where, schema, parameters, expected) => {
		expect(await hidden(parameters, schema)).toEqual(expected);
	});
});

test.each<[string, unknown]>([
	['no schema', undefined],
	['no object', ['password']],
	['a circle', { $ref: '#/a', a: { $ref: '#/b' }, b: { $ref: '#/a' } }],
	['a reference to elsewhere', properties({ a: { $ref: 'https://other.example/x.json' } })],
	['a reference to nowhere', properties({ a: { $ref: '#/no/such' } })],
	['keywords of other types', { properties: [secret], allOf: secret, items: 5, $ref: {} }],
	[
		'references without an end',
		Object.fromEntries(Array.from({ length: 30_000 }, (_, n) => [`d${n}`, { $ref: `#/d${n + 1}` }])),
	],
	['many forms', { anyOf: Array.from({ length: 30_000 }, () => ({ properties: { a: { $ref: '#' } } })) }],
])('%s hides nothing', async (_what, schema) => {
	const parameters = { a: 's', b: { c: 't' }, list: ['u'] };
	expect(await hidden(parameters, schema)).toEqual(parameters);
});

describe('the schemas of a run', () => {
	const channel = (schema: string) => ({
		channelType: { configurationSchemaUrl: schema },
		parameters: { pin: 's' },
	});
	const schema = properties({ pin: secret });

	test('are read once each, whatever the answer is wrapped in', async () => {
		const asked: string[] = [];
		const secrets = new ChannelSecrets(async (address) => {
			asked.push(address);
			return schema;
		});
		const body = {
			found: { rows: [channel('a'), channel('b'), channel('a'), { ...channel('c'), parameters: null }] },
		};
		await secrets.hideIn(body);
		await secrets.hideIn([channel('b'), { parameters: { pin: 's' } }, 'text', null]);
		expect(asked).toEqual(['a', 'b']);
		expect(body.found.rows.map(({ parameters }) => parameters?.pin)).toEqual([dots, dots, dots, undefined]);
	});

	test('are read at the same time; none after one that did not come in time', async () => {
		const clock = new FakeClock();
		const asked: string[] = [];
		const secrets = new ChannelSecrets(async (address) => {
			asked.push(address);
			await clock.sleep(address === 'slow' ? 10_000 : 6_000);
			if (address === 'slow') throw new Error('not in time');
			return schema;
		}, clock);
		const hide = async (...addresses: string[]): Promise<unknown[]> => {
			const body = addresses.map(channel);
			await clock.until(secrets.hideIn(body));
			return body.map(({ parameters }) => parameters.pin);
		};
		expect(await hide('a', 'b')).toEqual([dots, dots]);
		expect(await hide('slow', 'c')).toEqual(['s', dots]);
		expect(clock.now()).toBe(16_000);
		expect(await hide('d', 'a')).toEqual(['s', dots]);
		expect(clock.now()).toBe(16_000);
		expect(asked).toEqual(['a', 'b', 'slow', 'c']);
	});

	test('are no more than fifty', async () => {
		let asked = 0;
		const secrets = new ChannelSecrets(async () => {
			asked += 1;
		});
		await secrets.hideIn(Array.from({ length: 200 }, (_, n) => channel(String(n))));
		expect(asked).toBe(50);
	});
});

describe.each(['channel.create', 'channel.getAll', 'channel.updateParameters', 'service.request'] as const)(
	'%s',
	(id) => {
		const { operation } = operationUnderTest(id);
		const record = {
			...{ channelId: '3f2504e0-4f89-11d3-9a0c-0305e82c3301', name: 'Inbox' },
			channelType: { key: 'T', name: 'Test', configurationSchemaUrl: '/schemas/t.json' },
			parameters: { pin: 's3cr3t', port: 25 },
		};
		const isSchema = ({ url }: FakeRequest): boolean => url.endsWith('/schemas/t.json');
		const readSchema = () => jsonResponse(JSON.stringify(properties({ pin: { writeOnly: true } })));

		/** Runs the operation for some items; schemas are read so. */
		const run = (given: IDataObject, schema: () => object = readSchema, items = 2) => {
			const { least, reply } = cases[id];
			const parameters = {
				...(least.given as IDataObject),
				options: { keepToPlan: false, maxTries: 1 },
				...given,
			};
			const answer = jsonResponse(JSON.stringify(reply.list ? [record] : record));
			const { context, memory, sent } = fakeN8n((request) => (isSchema(request) ? schema() : answer), {
				parameters,
				items,
			});
			const output = execute(context, operation).then(([out = []]) => out.map(({ json }) => json));
			const asked = (): number => sent.filter((url) => url.endsWith('/schemas/t.json')).length;
			return { output, memory, asked, sent };
		};

		const raw = { simplify: false };
		test.each<IDataObject>(
			id === 'service.request'
				? [{}]
				: [raw, { output: 'raw' }, { output: 'selected', outputFields: ['parameters'] }],
		)('hides what the schema calls secret, which is read once: %j', async (given) => {
			const { output, asked } = run(given);
			const text = JSON.stringify(await output);
			expect(text).not.toContain('s3cr3t');
			expect(text).toContain(`"pin":"${dots}","port":25`);
			expect(asked()).toBe(1);
		});

		test('shows it with Include Token, and reads no schema', async () => {
			const { output, asked } = run({ ...raw, options: { keepToPlan: false, includeToken: true } });
			expect(await output).toMatchObject([record, record]);
			expect(asked()).toBe(0);
		});

		if (id === 'channel.create' || id === 'channel.getAll') {
			test('reads no schema with Simplify, which shows no parameters', async () => {
				const { output, asked } = run({});
				expect(JSON.stringify(await output)).not.toContain('s3cr3t');
				expect(asked()).toBe(0);
			});
		}

		test.each<[string, () => object]>([
			['a page', () => ({ statusCode: 200, headers: {}, body: '<html>' })],
			['an error', () => ({ statusCode: 500, headers: {}, body: '{}' })],
			['a broken connection', () => Promise.reject(new Error('ECONNRESET'))],
		])('%s in place of the schema changes no outcome', async (_what, schema) => {
			const { output } = run(raw, schema);
			expect(await output).toMatchObject([record, record]);
		});

		test('a schema server that hangs holds up the run once; what was done is recorded before', async () => {
			const clock = new AbortController();
			const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(clock.signal);
			const { output, asked, memory } = run(raw, () => new Promise(() => {}));
			for (let turns = 0; turns < 100; turns++) await new Promise(setImmediate);
			const meanwhile = JSON.stringify(memory);
			clock.abort();
			expect(await output).toMatchObject([record, record]);
			timeout.mockRestore();
			expect(asked()).toBe(1);
			if (operation.effect === 'changes') expect(meanwhile).toContain('"sent"');
		});
	},
);
