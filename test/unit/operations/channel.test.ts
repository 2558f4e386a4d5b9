import { operationUnderTest } from '../support/operations.ts';
import { testReplies } from '../support/replies.ts';
import { testRequired } from '../support/required.ts';
import { byId, fromList, ids } from '../support/samples.ts';

describe('create', () => {
	const create = operationUnderTest('channel.create');
	const least = { name: 'Inbox', channelType: 'EMAIL', providerId: ids.provider, accountId: ids.account };

	test('posts what was filled in; no parameters are an empty object', () => {
		expect(create.compile().call).toStrictEqual({
			method: 'POST',
			path: '/api/v1/message/Configure/CreateChannel',
			body: { ...least, parameters: {} },
		});
	});

	test.each([
		['as text', '{"host":"mail","deep":{"list":[1,null]}}'],
		['as an object', { host: 'mail', deep: { list: [1, null] } }],
	])('takes the parameters %s', (_kind, parameters) => {
		const expected = { host: 'mail', deep: { list: [1, null] } };
		expect(create.body({ parameters })).toStrictEqual({ ...least, parameters: expected });
	});

	test('takes the parameters from the form when the user fills it in', () => {
		const parametersForm = { mappingMode: 'defineBelow', value: { host: 'mail' }, schema: [] };
		const given = { parametersMode: undefined, parametersForm, parameters: '{"host":"hidden"}' };
		expect(create.body(given)).toStrictEqual({ ...least, parameters: { host: 'mail' } });
		expect(create.body({ ...given, parametersMode: 'json' })).toMatchObject({
			parameters: { host: 'hidden' },
		});
	});

	test('leaves the parameters out when the field is empty', () => {
		expect(create.body({ parameters: ' ' })).toStrictEqual(least);
	});

	test.each([
		['description', 'Mail', 'Mail'],
		['feedbackChannelId', fromList(ids.feedback), ids.feedback],
		['feedbackChannelId', ids.feedback, ids.feedback],
		['channelStatusId', 0, 0],
		['channelStatusId', '3', 3],
	])('additional field %s = %j goes out as %j', (name, given, onWire) => {
		expect(create.body({ additionalFields: { [name]: given } })).toStrictEqual({
			...least,
			parameters: {},
			[name]: onWire,
		});
	});

	test.each([
		['description', ''],
		['feedbackChannelId', fromList('')],
		['feedbackChannelId', byId(null)],
		['channelStatusId', ''],
		['channelStatusId', null],
	])('additional field %s = %j is not on the wire', (name, given) => {
		expect(create.body({ additionalFields: { [name]: given } })).not.toHaveProperty(name);
	});

	testRequired(create, ['name', 'channelType', 'providerId', 'accountId']);

	test.each([
		['providerId', { providerId: 'smtp' }],
		['accountId', { accountId: byId('acme') }],
		['parameters', { parameters: '[]' }],
		['parameters', { parameters: '{host: 1}' }],
		['additionalFields.feedbackChannelId', { additionalFields: { feedbackChannelId: byId('x') } }],
		['additionalFields.channelStatusId', { additionalFields: { channelStatusId: 'new' } }],
		['additionalFields.description', { additionalFields: { description: {} } }],
	])('refuses a wrong %s: %j', (path, given) => {
		expect(create.refusal(given).field).toBe(create.label(path));
	});

	testReplies({ ...create, output: (reply) => create.output(reply, { simplify: false }) }, {});
});

describe('update parameters', () => {
	const update = operationUnderTest('channel.updateParameters');

	test('puts the new parameters, the channel in path and body', () => {
		expect(update.compile({ parameters: '{"host":"mail"}' }).call).toStrictEqual({
			method: 'PUT',
			path: `/api/v1/Admin/Channel/${ids.channel}/parameters`,
			body: { channelId: ids.channel, parameters: { host: 'mail' } },
		});
	});

	test('an empty object clears them', () => {
		expect(update.body({ parameters: '{}' })).toStrictEqual({ channelId: ids.channel, parameters: {} });
	});

	testRequired(update, ['channelId', 'parameters']);

	test.each(['[]', '{', '5', [], 5, true])('refuses parameters = %j', (parameters) => {
		expect(update.refusal({ parameters }).field).toBe('Parameters');
	});

	test('takes the new parameters from the form when the user fills it in', () => {
		const parametersForm = { mappingMode: 'defineBelow', value: { host: 'mail' }, schema: [] };
		const given = { parametersMode: 'form', parametersForm, parameters: '' };
		expect(update.body(given)).toStrictEqual({ channelId: ids.channel, parameters: { host: 'mail' } });
	});

	testReplies(
		{ ...update, output: (reply) => update.output(reply, { simplify: false }) },
		{ channelId: ids.channel },
	);
});
