import { operationUnderTest } from '../support/operations.ts';
import { schemaNamed, type Schema } from '../support/interface.ts';
import { ids } from '../support/samples.ts';

/** A record with a value in every field that the interface describes, at every depth. */
function fullRecord(schema: Schema, depth = 0): unknown {
	const options = schema.anyOf ?? [];
	if (schema.$ref !== undefined) return fullRecord(schemaNamed(schema.$ref), depth);
	if (options[0] !== undefined) return fullRecord(options[0], depth);
	const types = [schema.type ?? []].flat();
	if (types.includes('array')) return depth > 3 ? [] : [fullRecord(schema.items ?? {}, depth + 1)];
	if (types.includes('boolean')) return true;
	if (types.includes('integer')) return 7;
	if (types.includes('string')) return 'text';
	if (depth > 3) return {};
	const members = Object.entries(schema.properties ?? {});
	return Object.fromEntries(members.map(([name, member]) => [name, fullRecord(member, depth + 1)]));
}

const ACCOUNT = [
	'accountId',
	'name',
	'description',
	'status',
	'organizationId',
	'organizationName',
	'channelCount',
	'channelConnectedCount',
	'apiKeyCount',
	'createdAt',
];
const CHANNEL = [
	'channelId',
	'name',
	'channelType',
	'provider',
	'isConnected',
	'status',
	'canSendAndReceiveMessage',
	'accountId',
	'accountName',
	'stateUpdatedAt',
];

const cases: Array<[id: string, schema: string, fields: string[], known?: object]> = [
	['account.create', 'Account', ACCOUNT],
	['account.getAll', 'Account', ACCOUNT],
	['channel.create', 'Channel', CHANNEL],
	['channel.getAll', 'Channel', CHANNEL],
	['channel.updateParameters', 'Channel', CHANNEL, { channelId: ids.channel }],
	[
		'outbox.get',
		'OutboxEntry',
		[
			'httpSenderOutboxEntryId',
			'statusName',
			'channelId',
			'retryCount',
			'responseStatusCode',
			'responseBody',
			'correlationId',
			'createdAt',
			'sentAt',
			'failedAt',
		],
	],
];

describe.each(cases)('%s, simplified', (id, schema, fields, known = {}) => {
	const under = operationUnderTest(id);
	const record = fullRecord(schemaNamed(schema)) as Record<string, unknown>;
	const simplified = (reply: unknown) => under.output(reply)[0] ?? {};

	test('gives at most ten fields, the most useful first', () => {
		expect(Object.keys(simplified(record))).toStrictEqual(fields);
		expect(fields.length).toBeLessThanOrEqual(10);
	});

	test('finds each of them in a record as the interface describes it, flat', () => {
		for (const value of Object.values(simplified(record))) {
			expect(['string', 'number', 'boolean']).toContain(typeof value);
		}
	});

	test('never shows a command line or a token', () => {
		const secrets = { ...record, curlCommand: 'secret', apiKey: 'secret', token: 'secret' };
		expect(JSON.stringify(simplified(secrets))).not.toContain('secret');
	});

	test.each([
		['without any field', {}],
		['of nulls', Object.fromEntries(Object.keys(record).map((name) => [name, null]))],
	])('a record %s gives the same fields, null but for what the node knows', (_kind, reply) => {
		const nulls = Object.fromEntries(fields.map((name) => [name, null]));
		expect(simplified(reply)).toStrictEqual({ ...nulls, ...known });
	});

	test.each([{ simplify: false }, { output: 'raw' }, { output: 'raw', simplify: false }])(
		'is not with %j: the record comes as it is',
		(given) => {
			expect(under.output(record, given)).toStrictEqual([record]);
		},
	);

	test('an AI agent may select fields: they come with the id, and no others', () => {
		const [id = '', , other = ''] = fields;
		const given = { output: 'selected', outputFields: [other] };
		expect(under.output(record, given)).toStrictEqual([{ [id]: 'text', [other]: simplified(record)[other] }]);
		for (const nothing of [[], '', null, 5, ['no such field']]) {
			expect(under.output(record, { ...given, outputFields: nothing })).toStrictEqual([{ [id]: 'text' }]);
		}
	});

	test('every field that may be selected is found in the record, and none is a secret', () => {
		const field = under.operation.fields.find(({ name }) => name === 'outputFields');
		const all = (field?.options ?? []).map((option) => ('value' in option ? String(option.value) : ''));
		expect(all).toEqual(expect.arrayContaining(fields.slice(1)));
		const [item = {}] = under.output(record, { output: 'selected', outputFields: all });
		expect(Object.keys(item).sort()).toStrictEqual([...all, fields[0]].sort());
		for (const name of all) expect({ name, value: item[name] }).not.toStrictEqual({ name, value: null });
		expect(all.filter((name) => /token|apiKey$|curl/i.test(name))).toStrictEqual([]);
		const labels = (field?.options ?? []).map(({ name }) => name);
		expect(labels).toEqual(
			expect.arrayContaining(['Created At', id === 'outbox.get' ? 'Status Name' : 'Organization ID']),
		);
	});
});

test.each([
	[
		'account.getAll',
		{ status: { name: 'Active' }, organization: { organizationId: 'o', name: 'Acme' } },
		{ status: 'Active', organizationId: 'o', organizationName: 'Acme' },
	],
	[
		'channel.getAll',
		{
			name: 'Inbox',
			channelType: { name: 'Email', key: 'EMAIL' },
			provider: { name: 'SMTP' },
			status: { name: 'Ready', canSendAndReceiveMessage: false },
			account: { name: 'Support' },
		},
		{
			name: 'Inbox',
			channelType: 'Email',
			provider: 'SMTP',
			status: 'Ready',
			canSendAndReceiveMessage: false,
			accountName: 'Support',
		},
	],
	[
		'outbox.get',
		{ statusName: 'Failed', responseStatusCode: 500, retryCount: 0 },
		{ statusName: 'Failed', responseStatusCode: 500, retryCount: 0 },
	],
])('%s takes each value from its place', (id, record, expected) => {
	expect(operationUnderTest(id).output(record)).toMatchObject([expected]);
});

describe.each<[id: string, known: object]>([
	['account.create', {}],
	['channel.create', {}],
	['channel.updateParameters', { channelId: ids.channel }],
])('%s, simplified: an answer that is no record', (id, known) => {
	test.each<[kind: string, reply: unknown, adds: object]>([
		['nothing', undefined, {}],
		['null', null, {}],
		['text', 'Created', { response: 'Created' }],
		['a list', [{ name: 'a' }], { response: [{ name: 'a' }] }],
		['a number', 0, { response: 0 }],
	])('%s', (_kind, reply, adds) => {
		for (const given of [{}, { output: 'selected' }]) {
			expect(operationUnderTest(id).output(reply, given)).toStrictEqual([{ ...known, ...adds }]);
		}
	});
});

describe.each(['apiKey.getCurrent', 'apiKey.update'])('%s, simplified when asked for', (id) => {
	const under = operationUnderTest(id);
	const record = fullRecord(schemaNamed('ApiKey')) as Record<string, unknown>;

	test('gives flat fields without the token', () => {
		const [item = {}] = under.output({ ...record, apiKey: 'secret' }, { options: { simplify: true } });
		expect(Object.keys(item)).toStrictEqual([
			'apiKeyId',
			'name',
			'type',
			'accountId',
			'accountName',
			'organizationId',
			'planLimit',
			'planSeconds',
			'description',
			'createdAt',
		]);
		for (const value of Object.values(item)) expect(['string', 'number']).toContain(typeof value);
		expect(Object.values(item)).not.toContain('secret');
	});

	test('gives the whole record otherwise', () => {
		expect(under.output(record)).toStrictEqual([record]);
	});
});
