import type { Objection } from '../../../nodes/Messaging/operations/operation.ts';
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
	const before = (allow?: boolean) =>
		remove.compile(allow === undefined ? {} : { options: { allowRevokingKeyInUse: allow } }).before;
	/** Why the key is not revoked when /Me answers so; undefined when it is. */
	const objectionTo = (me: unknown): Objection | undefined => {
		const ready = before()?.complete(me);
		return ready !== undefined && 'hint' in ready ? ready : undefined;
	};

	test.each([
		[undefined, true],
		[false, true],
		[true, false],
	])('with "allow" = %j it is looked up first: %j', (allow, applies) => {
		expect(before(allow)?.call).toStrictEqual(applies ? { method: 'GET', path: '/api/v1/Me' } : undefined);
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
		['another key by another name', { apiKeyId: ids.package }, false],
		['another key inside', { apiKey: { id: ids.package } }, false],
		['another key and its account', { id: ids.package, account: { id: ids.account } }, false],
	])('an answer with %s stops it: %#', (_kind, me, refused) => {
		expect(objectionTo(me) !== undefined).toBe(refused);
		if (refused) expect(objectionTo(me)?.message).toMatch(/This is the API key|may be the one/);
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
		['an id in a place that is not known', { data: { id: ids.package } }],
	])(
		'an answer with %s stops it too, because nothing can be compared, and the way out is named',
		(_kind, me) => {
			expect(objectionTo(me)).toMatchObject({
				message: expect.stringMatching(/may be the one that the credential uses/) as string,
				hint: expect.stringContaining('Allow Revoking the Key in Use') as string,
			});
		},
	);

	test('the case of the id does not matter', () => {
		const { before } = remove.compile({ apiKeyId: ids.key.toUpperCase() });
		expect(before?.complete({ id: ids.key })).toHaveProperty('hint');
	});

	test('the way out is named', () => {
		expect(objectionTo({ id: ids.key })?.hint).toContain('Allow Revoking the Key in Use');
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
