import { idsWhere } from '../../cases/index.ts';
import { ids } from '../../cases/values.ts';
import { operationUnderTest } from '../support/operations.ts';

describe('update', () => {
	const update = operationUnderTest('apiKey.update');

	test.each([
		[{ name: 'Orders' }],
		[{ description: 'For orders' }],
		[{ name: 'Orders', description: 'For orders' }],
		[{ description: '' }],
		[{ name: '' }],
	])('puts what was added, empty or not: %j', (updateFields) => {
		expect(update.body({ updateFields })).toStrictEqual({ apiKeyId: ids.key, ...updateFields });
	});

	test.each([{}, null, { name: undefined }])('refuses to change nothing: %j', (updateFields) => {
		expect(update.refusal({ updateFields })).toMatchObject({
			field: 'Update Fields',
			message: 'The field "Update Fields" is empty: there is nothing to change',
		});
	});
});

describe('delete: the key in use', () => {
	const remove = operationUnderTest('apiKey.delete');
	const guardOf = (allow?: boolean) =>
		remove.compile(allow === undefined ? {} : { options: { allowRevokingKeyInUse: allow } }).guard;

	test.each([
		[undefined, true],
		[false, true],
		[true, false],
	])('with "allow" = %j it is looked up first: %j', (allow, applies) => {
		expect(remove.operation.guard?.call).toStrictEqual({ method: 'GET', path: '/api/v1/Me' });
		expect(guardOf(allow)?.applies()).toBe(applies);
	});

	test.each<[kind: string, me: unknown, refused: boolean]>([
		['the key itself', { id: ids.key }, true],
		['the key in upper case', { id: ids.key.toUpperCase() }, true],
		['the key by another name', { apiKeyId: ids.key }, true],
		['the key inside', { data: { key: { id: ids.key } } }, true],
		['the key in braces, with spaces', { id: ` {${ids.key}} ` }, true],
		['the key in other spellings of its names', { data: { ApiKey: { ID: ids.key } } }, true],
		['the key somewhere in a list', { keys: [{ id: ids.package }, { id: ids.key }] }, true],
		['the key in something unknown', { id: ids.package, whoever: { id: ids.key } }, true],
		['another key', { id: ids.package }, false],
		['another key by another name', { api_key_id: ids.package }, false],
		['another key inside', { data: { apiKey: { id: ids.package } } }, false],
		['another key and its account', { id: ids.package, account: { id: ids.account } }, false],
	])('an answer with %s stops it: %#', (_kind, me, refused) => {
		expect(guardOf()?.objection(me) !== undefined).toBe(refused);
		if (refused) expect(guardOf()?.objection(me)?.message).toMatch(/This is the API key/);
	});

	test.each<[kind: string, me: unknown]>([
		['nothing', undefined],
		['null', null],
		['a text', 'hello'],
		['a number', 5],
		['an empty object', {}],
		['a list', [{ id: ids.package }]],
		['a name and no id', { name: 'Orders', type: 'account' }],
		['an id that is no UUID', { id: 17, data: { id: 'key-17' } }],
		['an empty id', { id: '' }],
		['the ids of other things', { accountId: ids.package, organization: { id: ids.package } }],
		['the id of its account', { account: { id: ids.package, apiKey: { id: ids.package } } }],
		['the id of its plan', { resourcePlan: { id: ids.package } }],
		['the id of something unknown', { owner: { id: ids.package } }],
		[
			'an id too deep to be that of the key',
			{ data: { data: { data: { data: { data: { data: { id: ids.package } } } } } } },
		],
	])(
		'an answer with %s stops it too, because nothing can be compared, and the way out is named',
		(_kind, me) => {
			expect(guardOf()?.objection(me)).toMatchObject({
				message: expect.stringMatching(/may be the one that the credential uses/) as string,
				hint: expect.stringContaining('Allow Revoking the Key in Use') as string,
			});
		},
	);

	test('an answer that is nested without end is no way around it', () => {
		const me = JSON.parse(`${'{"data":'.repeat(50_000)}1${'}'.repeat(50_000)}`) as unknown;
		expect(guardOf()?.objection(me)).toBeDefined();
	});

	test('the case of the id does not matter', () => {
		const { guard } = remove.compile({ apiKeyId: ids.key.toUpperCase() });
		expect(guard?.objection({ id: ids.key })).toBeDefined();
	});

	test('the way out is named', () => {
		expect(guardOf()?.objection({ id: ids.key })?.hint).toContain('Allow Revoking the Key in Use');
	});
});

describe.each(idsWhere(({ traits }) => traits.includes('shows a token')))('%s: the token', (id) => {
	const under = operationUnderTest(id);

	test.each([
		[undefined, false],
		[{}, false],
		[{ includeToken: false }, false],
		[{ includeToken: true }, true],
	])('with options %j it may be shown: %j', (options, showToken) => {
		expect(under.compile(options === undefined ? {} : { options }).showToken).toBe(showToken);
	});
});

test.each(idsWhere(({ traits }) => !traits.includes('shows a token')))('%s never asks for a token', (id) => {
	expect(operationUnderTest(id).compile({ options: { includeToken: true } }).showToken).toBeFalsy();
});
