import { isDeepStrictEqual } from 'node:util';
import type { INodeParameters } from 'n8n-workflow';
import { byId, useLab } from './lab.ts';

const lab = useLab();

const uuid = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const badUuids = [
	'no id',
	'3f2504e0-4f89-41d3-9a0c-0305e82c330',
	'../../Me',
	`${uuid}/cancel`,
	'%2e%2e',
	`{${uuid}}`,
];
const badInts = [2147483648, -2147483649, 1.5, 'abc', '1e400', [1], { a: 1 }, true];
const badTimestamps = [
	'tomorrow',
	'2030-13-45T00:00:00',
	'12',
	5,
	1893456000000,
	'31.01.2030',
	'2030-01-31T25:00:00Z',
	{},
];
const badJson = ['{bad', '[1]', '"text"', 'null', '5', [1], 5];
const badBooleans = ['maybe', 'yes', 1, {}];
const badEmails = ['ada', 'ada@', '@example.com', 'ada@b@c', 'ada lovelace@example.com', 'a@b.c, d@e.f'];

const send: INodeParameters = {
	resource: 'message',
	operation: 'send',
	channelId: byId(uuid),
	toEmail: 'ada@example.com',
	text: 'Hello',
};
const edit: INodeParameters = {
	resource: 'message',
	operation: 'edit',
	channelId: byId(uuid),
	chatId: 'chat',
	messageId: 'message',
	newText: 'New',
};
const createChannel: INodeParameters = {
	resource: 'channel',
	operation: 'create',
	name: 'Name',
	channelType: 'EMAIL',
	providerId: uuid,
	accountId: byId(uuid),
	parametersMode: 'json',
	parameters: '{}',
};
const updateParameters: INodeParameters = {
	resource: 'channel',
	operation: 'updateParameters',
	channelId: byId(uuid),
	parametersMode: 'json',
	parameters: '{}',
};
const outboxGet: INodeParameters = {
	resource: 'outbox',
	operation: 'get',
	channelId: byId(uuid),
	entryId: uuid,
};
const requeue: INodeParameters = {
	resource: 'outbox',
	operation: 'requeue',
	channelId: byId(uuid),
	entryIds: uuid,
	organizationId: uuid,
	accountId: byId(uuid),
};
const createAccount: INodeParameters = { resource: 'account', operation: 'create', name: 'Name' };
const updateKey: INodeParameters = {
	resource: 'apiKey',
	operation: 'update',
	apiKeyId: uuid,
	updateFields: { name: 'Name' },
};
const deleteKey: INodeParameters = { resource: 'apiKey', operation: 'delete', apiKeyId: uuid };
const list: INodeParameters = { resource: 'channel', operation: 'getAll' };

/** The value under test comes from an expression over the item, as it does in a workflow. */
const value = '={{ $json.value }}';
const more = (name: string, as: INodeParameters[string] = value) => ({ additionalFields: { [name]: as } });
const json = { inputMode: 'json' };
const content = (name: string, as = '$json.value') => ({
	...json,
	package: `={{ ({ content: { text: 'Hello', ${name}: ${as} } }) }}`,
});
const ofPackage = (name: string) => ({
	...json,
	package: `={{ ({ ${name}: $json.value, content: { text: 'Hello' } }) }}`,
});

const other: INodeParameters = { ...send, addressType: 'other', toType: 'SMS' };
const rowsOf = (...rows: Array<[name: string, value: string]>): INodeParameters => ({
	toRows: { values: rows.map(([name, cell]) => ({ name, value: cell })) },
});

type Row = [field: string, base: INodeParameters, change: INodeParameters, values: unknown[]];

const rows: Row[] = [
	['Channel', send, { channelId: byId(value) }, badUuids],
	['Channel', edit, { channelId: byId(value) }, badUuids],
	['Channel', { ...edit, operation: 'delete' }, { channelId: byId(value) }, badUuids],
	['Channel', updateParameters, { channelId: byId(value) }, badUuids],
	['Channel', outboxGet, { channelId: byId(value) }, badUuids],
	['Channel', { ...outboxGet, operation: 'cancel' }, { channelId: byId(value) }, badUuids],
	['Channel', requeue, { channelId: byId(value) }, badUuids],
	['Entry ID', outboxGet, { entryId: value }, badUuids],
	['Entry ID', { ...outboxGet, operation: 'cancel' }, { entryId: value }, badUuids],
	['Entry IDs', requeue, { entryIds: value }, [...badUuids, `${uuid},no id`, [uuid, 'no id'], [[uuid]]]],
	['Organization', requeue, { organizationId: value }, badUuids],
	['Account', requeue, { accountId: byId(value) }, badUuids],
	['Account', createChannel, { accountId: byId(value) }, badUuids],
	['Provider', createChannel, { providerId: value }, badUuids],
	['Feedback Channel', createChannel, more('feedbackChannelId', byId(value)), badUuids],
	['Organization', createAccount, more('organizationId'), badUuids],
	['API Key ID', updateKey, { apiKeyId: value }, badUuids],
	['API Key ID', deleteKey, { apiKeyId: value }, badUuids],
	['Package ID', send, more('packageId'), badUuids],
	['Origin Package ID', send, more('originPackageId'), badUuids],
	['Organization', send, more('organizationID'), badUuids],
	['Account ID', send, more('accountId'), badUuids],
	['packageId', send, ofPackage('packageId'), badUuids],
	['channelId', send, ofPackage('channelId'), badUuids],

	['Priority', send, more('priority'), badInts],
	['Delivery Strategy', send, more('deliveryStrategy'), badInts],
	['Channel Status', createChannel, more('channelStatusId'), badInts],
	['priority', send, content('priority'), badInts],

	['Timestamp', send, more('timestamp'), badTimestamps],
	['Content Timestamp', send, more('contentTimestamp'), badTimestamps],
	['Delivery Deadline', send, more('deliveryDeadline'), badTimestamps],
	['timestamp', send, ofPackage('timestamp'), badTimestamps],
	['deliveryDeadline', send, content('deliveryDeadline'), badTimestamps],

	['To Fields', other, { toFieldsMode: 'json', toFields: value }, badJson],
	['To Fields', other, { toFieldsMode: 'json', toFields: value }, ['', null, {}, '{}', { type: 'SMS' }]],
	['To Fields', other, { toFieldsMode: 'json', toFields: value }, [{ phone: '' }, { a: null, name: 'Ada' }]],
	[
		'To Fields > email',
		other,
		{ toFieldsMode: 'json', toFields: '={{ { email: $json.value } }}' },
		badEmails,
	],
	['To Fields', other, rowsOf(), [null]],
	['To Fields', other, rowsOf(['', ''], ['type', 'SMS']), [null]],
	['To Fields', other, rowsOf(['', 'value']), [null]],
	['To Fields', other, rowsOf(['phone', '1'], [' phone ', '2']), [null]],
	['To Fields > phone', other, rowsOf(['phone', value]), ['', ' ', null, undefined, {}, ['1']]],
	['To Fields > email', other, rowsOf(['email', value]), badEmails],
	['To Email', send, { toEmail: value }, badEmails],
	['From > email', send, more('from', '={{ { email: $json.value } }}'), badEmails],
	['Package > content > to > email', send, content('to', '{ email: $json.value }'), badEmails],
	['Package > content > from > email', send, content('from', '{ email: $json.value }'), badEmails],
	['Package > content > to', send, content('to'), ['bob', 'ada@example.com', ['bob'], 5]],
	['Package', send, { ...json, package: value }, badJson],
	['Parameters', createChannel, { parameters: value }, badJson],
	['Parameters', updateParameters, { parameters: value }, badJson],
	['From', send, more('from'), badJson],
	['Provider Metadata', send, more('providerMetadata'), badJson],
	['Quoted Message', send, more('quotedMessage'), [...badJson, { isStatusReply: 'maybe' }, { unknown: 1 }]],
	['Referral Ads', send, more('referralAds'), [...badJson, { unknown: 1 }]],

	['Echo Message', send, more('echoMessage'), badBooleans],
	['Is Forwarded', send, more('isForwarded'), badBooleans],
	['isForwarded', send, content('isForwarded'), badBooleans],

	['Text', send, { text: value }, ['', ' ', null, undefined, {}, ['a']]],
	['To Email', send, { toEmail: value }, ['', ' ', null, {}]],
	['To Type', other, { toType: value, ...rowsOf(['a', 'b']) }, ['', ' ', null]],
	['New Text', edit, { newText: value }, ['', ' ', null, {}]],
	['Chat ID', edit, { chatId: value }, ['', ' ', null, {}]],
	['Message ID', edit, { messageId: value }, ['', ' ', null, {}]],
	['Chat ID', { ...edit, operation: 'delete' }, { chatId: value }, ['', null]],
	['Message ID', { ...edit, operation: 'delete' }, { messageId: value }, ['', null]],
	['Name', createAccount, { name: value }, ['', ' ', null, {}]],
	['Name', createChannel, { name: value }, ['', ' ', null]],
	['Channel Type', createChannel, { channelType: value }, ['', ' ', null]],
	['Channel', send, { channelId: byId(value) }, ['', null]],
	['Entry IDs', requeue, { entryIds: value }, ['', ',', null, [], ['']]],
	['API Key ID', deleteKey, { apiKeyId: value }, ['', null]],
	['Package', send, { ...json, package: value }, ['', null, {}, { content: {} }, { content: null }]],
	['Update Fields', updateKey, { updateFields: {} }, [null]],
	['Package', send, { ...json, package: value }, [{ content: { text: 'a' }, organizationId: uuid }]],
	['Limit', list, { limit: value }, [0, -1, 1.5, 'many']],
	[
		'Query Parameters',
		list,
		{ options: { queryParameters: { parameters: [{ name: '', value: 'a' }] } } },
		[null],
	],
];

const titled = rows.map(([field, base, change, values]) => ({
	title: `${String(base['resource'])} ${String(base['operation'])}: ${field} (${Object.keys(change).join(', ')})`,
	field,
	parameters: { ...base, ...change },
	values,
}));

test.each(titled)('$title: refused before anything is sent', async ({ field, parameters, values }) => {
	const items = values.map((item) => ({ value: item as string }));

	const run = await lab.execute(parameters, { items, settings: { onError: 'continueRegularOutput' } });

	expect(run.error).toBeUndefined();
	const wrong = run.main[0].flatMap(({ json: { error }, pairedItem }, item) => {
		const { message, outcome } = (error ?? {}) as Record<string, unknown>;
		const named = String(message).includes(field) && isDeepStrictEqual(pairedItem, { item });
		return outcome === 'unsent' && named ? [] : [{ value: values[item], error, pairedItem }];
	});
	expect(wrong).toEqual([]);
	expect(run.main[0]).toHaveLength(values.length);

	const stopped = await lab.execute(parameters, { items: items.slice(0, 1) });
	expect(stopped.status).toBe('error');
	expect(stopped.error).toMatchObject({ name: 'NodeOperationError', context: { itemIndex: 0 } });
	expect(stopped.error?.message).toContain(field);

	expect(await lab.requests()).toEqual([]);
});

test('an empty required field that is no expression is refused by n8n before the node runs', async () => {
	const run = await lab.execute({ ...edit, newText: '' });

	expect(run.status).toBe('error');
	expect(run.error?.message).toContain('New Text');
	expect(await lab.requests()).toEqual([]);
});

test.each([{}, { contentType: 'TEXT' }, { contentType: ' TEXT ' }])(
	'an empty text is refused by n8n before the node runs with %j',
	async (additionalFields) => {
		const run = await lab.execute({ ...send, text: '', additionalFields });

		expect(run.status).toBe('error');
		expect(run.error?.message).toContain('"Text"');
		expect(await lab.requests()).toEqual([]);
	},
);

test.each([
	['IMAGE', { type: 'IMAGE' }],
	['={{ "IMAGE" }}', { type: 'IMAGE' }],
	['', {}],
])('the text may be empty when the content type is %j', async (contentType, type) => {
	const run = await lab.execute({
		...send,
		channelId: byId(lab.channelId('Support E-mail')),
		text: '',
		additionalFields: { contentType },
	});

	expect(run.error).toBeUndefined();
	const [request] = await lab.requests();
	expect(request?.conforms).toBe(true);
	const to = { type: 'EMAIL', email: 'ada@example.com' };
	expect((request?.body as { content: object }).content).toEqual({ ...type, to });
});

test('a text beside another content type goes out too', async () => {
	await lab.execute({
		...send,
		channelId: byId(lab.channelId('Support E-mail')),
		additionalFields: { contentType: 'IMAGE' },
	});

	const [request] = await lab.requests();
	expect(request).toMatchObject({ body: { content: { type: 'IMAGE', text: 'Hello' } } });
});

test('the name of a recipient belongs to e-mail addresses', async () => {
	const channelId = byId(lab.channelId('Support WhatsApp'));
	const additionalFields = { toName: 'Ada' };
	await lab.execute({ ...other, ...rowsOf(['phone', '1']), channelId, additionalFields });

	const [request] = await lab.requests();
	expect((request?.body as { content: { to: object } }).content.to).toEqual({ type: 'SMS', phone: '1' });
});

test('a package that names its channel needs no other', async () => {
	const channelId = lab.channelId('Support E-mail');
	const run = await lab.execute({
		resource: 'message',
		operation: 'send',
		inputMode: 'json',
		package: JSON.stringify({
			channelId,
			content: { text: 'Hi', to: { type: 'EMAIL', email: 'a@example.com' } },
		}),
	});

	expect(run.error?.message).toBeUndefined();
	expect(run.json[0]).toMatchObject({ channelId });
});
