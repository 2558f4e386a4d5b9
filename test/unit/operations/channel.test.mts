import { bodyMask, maskInResults } from '../../../nodes/Messaging/service/secrets.ts';
import { cases } from '../../cases/index.mts';
import { ids } from '../../cases/values.mts';
import { operationUnderTest, refusalBy } from '../support/operations.mts';

test('create leaves the parameters out when the field is empty', () => {
	const { parameters: _, ...least } = cases['channel.create'].least.call.body as { parameters: object };
	expect(operationUnderTest('channel.create').body({ parameters: ' ' })).toStrictEqual(least);
});

describe.each(['channel.create', 'channel.updateParameters'] as const)('%s', (id) => {
	const operation = operationUnderTest(id);

	test('takes the parameters from the form or from JSON, as the mode says', () => {
		const parametersForm = { mappingMode: 'defineBelow', value: { host: 'form' }, schema: [] };
		const given = { parametersForm, parameters: '{"host":"json","deep":{"list":[1,null]}}' };
		expect(operation.body({ ...given, parametersMode: undefined })).toMatchObject({
			parameters: { host: 'form' },
		});
		expect(operation.body({ ...given, parametersMode: 'json' })).toMatchObject({
			parameters: { host: 'json', deep: { list: [1, null] } },
		});
	});

	test.each<[string, unknown]>([
		['Parameters > login', { login: 'acc_…WXYZ' }],
		['Parameters > hook > headers', { hook: { headers: ['Accept: */*', 'X-API-KEY: org_…WXYZ'] } }],
		['Parameters > apiKey', { apiKey: '…WXYZ' }],
		['Parameters > api_key > 1', { api_key: ['whole', '…WXYZ'] }],
		['Parameters > word', { word: '••••••••' }],
		['Parameters > urls > 0', { urls: ['https://u:••••••••@mail.example'] }],
	])('refuses what stands for a secret in results, which would take its place: %s', (field, parameters) => {
		const inForm = { mappingMode: 'defineBelow', value: parameters, schema: [] };
		for (const given of [
			{ parametersMode: 'json', parameters },
			{ parametersMode: 'json', parameters: JSON.stringify(parameters) },
			{ parametersMode: 'form', parametersForm: inForm },
		]) {
			const refusal = operation.refusal(given);
			expect(refusal.field.startsWith(field)).toBe(true);
			expect(refusal.message).toMatch(/masked|hidden/);
		}
	});

	test.each([
		{ apiKey: 'key-without-a-prefix' },
		{ 'X-API-Key': 'acc_short' },
		{ api_keys: [{ API_KEY: ['first', 'second-one-of-them'] }] },
		{ apiKey: { value: 'key-in-an-object' } },
		{ hooks: [{ xApiKey: [{ secret: 'acc_short' }] }] },
		{ curl: 'curl -H "X-API-KEY: org_0123456789abcdef"' },
	])('refuses whatever results mask: %j', (parameters) => {
		const shown = bodyMask(maskInResults)({ parameters: structuredClone(parameters) });
		expect(shown).not.toStrictEqual({ parameters });
		expect(operation.refusal({ parametersMode: 'json', ...shown }).message).toMatch(/hidden|masked/);
	});

	test.each([
		{ more: '…read on' },
		{ more: '… and so on' },
		{ help: 'begins with acc_… or org_…' },
		{ apiKey: 'sk_live_1…' },
		{ org: 'acc_units' },
	])('takes what only looks a little like one: %j', (parameters) => {
		const body = operation.body({ parametersMode: 'json', parameters });
		expect(body).toMatchObject({ parameters });
	});
});

describe('an update with the form', () => {
	const operation = operationUnderTest('channel.updateParameters');
	const channelId = ids.channel;

	/** What is sent for the entries of the form, given the list of channels. */
	const sentFor = (entries: object, list: unknown): unknown => {
		const parametersForm = { mappingMode: 'defineBelow', value: entries, schema: [{ id: '*' }] };
		const { before } = operation.compile({ parametersMode: 'form', parametersForm });
		return before?.complete(list).call.body;
	};
	const listed = (parameters: unknown) => [
		{ channelId: ids.feedback, parameters: { host: 'of another channel' } },
		{ channelId: channelId.toUpperCase(), parameters },
	];

	test('changes what is entered, and keeps the present values of all else', () => {
		const present = JSON.parse(
			'{"host":"a","port":25,"login":{"password":"sesame"},"__proto__":1}',
		) as object;
		expect(sentFor({ host: 'b', port: '', '*': '{"login": null, "new": [1]}' }, listed(present))).toEqual({
			channelId,
			parameters: { ...present, host: 'b', login: null, new: [1] },
		});
	});

	test.each([undefined, null, [], 'host'])(
		'is refused if the list shows no parameters but %j',
		(parameters) => {
			expect(refusalBy(() => sentFor({ host: 'b' }, listed(parameters))).field).toBe('Parameters');
		},
	);

	test('is refused if the service masks what stays, but not if that is entered anew', () => {
		const masked = listed({ host: 'a', login: { password: '********' } });
		expect(refusalBy(() => sentFor({ host: 'b' }, masked)).message).toContain(
			'"Parameters > login > password" contains a hidden secret',
		);
		expect(sentFor({ login: { password: 'new' } }, masked)).toMatchObject({
			parameters: { host: 'a', login: { password: 'new' } },
		});
	});

	test('with nothing entered is refused, also where JSON would replace everything', () => {
		const parametersForm = {
			mappingMode: 'defineBelow',
			value: { host: '', port: null },
			schema: [{ id: '*' }],
		};
		for (const given of [
			{ parametersMode: 'form', parametersForm },
			{ parametersMode: 'json', parameters: '{}' },
			{ parametersMode: 'json', parameters: {} },
		]) {
			expect(operation.refusal(given).field).toBe('Parameters');
		}
	});

	test('reads nothing if JSON replaces everything', () => {
		expect(operation.compile({ parametersMode: 'json', parameters: '{"a":1}' })).not.toHaveProperty('before');
	});
});
