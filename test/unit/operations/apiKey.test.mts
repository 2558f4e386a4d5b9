import { cases, operationIds } from '../../cases/index.mts';
import { ids } from '../../cases/values.mts';
import { operationUnderTest } from '../support/operations.mts';

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
		expect(update.refusal({ updateFields }).field).toBe('Update Fields');
	});
});

describe('delete: the key in use', () => {
	const remove = operationUnderTest('apiKey.delete');
	const other = '3f2504e0-4f89-41d3-9a0c-0305e82c3302';
	const bare = ids.key.replaceAll('-', '');

	test.each([
		[{}, true],
		[{ allowRevokingKeyInUse: false }, true],
		[{ allowRevokingKeyInUse: true }, false],
	])('with options %j it is looked up first: %j', (options, asks) => {
		const { before } = remove.compile({ options });
		expect(before?.call).toStrictEqual(asks ? { method: 'GET', path: '/api/v1/Me' } : undefined);
	});

	/** Whether the key is revoked, if /Me answers this. */
	const isRevoked = (me: unknown): boolean => {
		const { before } = remove.compile({});
		try {
			return before?.complete(me).call.method === 'DELETE';
		} catch (error) {
			expect(error).toMatchObject({ field: 'API Key ID' });
			return false;
		}
	};

	test.each<[what: string, me: unknown]>([
		['another ID', { id: other }],
		['another ID as apiKeyId', { apiKeyId: other, name: 'Orders' }],
		['another ID in the record of the key', { apiKey: { id: other }, account: { id: other } }],
	])('it is revoked if /Me shows %s', (_what, me) => {
		expect(isRevoked(me)).toBe(true);
	});

	test.each<[what: string, me: unknown]>([
		['its ID in upper case, in braces', { id: `{${ids.key.toUpperCase()}}` }],
		['its ID without hyphens', { apiKeyId: bare }],
		['its ID in an unknown place', { id: other, keys: [{ id: ids.key.toUpperCase() }] }],
		['nothing', undefined],
		['text', 'hello'],
		['a list', [{ id: other }]],
		['an ID that is no UUID', { id: 7 }],
		['the ID of its account only', { account: { id: other } }],
	])('it is not revoked if /Me shows %s', (_what, me) => {
		expect(isRevoked(me)).toBe(false);
	});
});

test.each(operationIds)('%s shows a token only if it can, and is asked to', (id) => {
	const { compile, refusal } = operationUnderTest(id);
	expect(compile().showToken).toBeFalsy();
	const options = (includeToken: boolean) => ({ options: { includeToken } });
	if (cases[id].traits.includes('shows a token')) {
		expect(compile(options(false)).showToken).toBe(false);
		expect(compile(options(true)).showToken).toBe(true);
	} else {
		expect(refusal(options(true)).field).toBe('Options > includeToken');
	}
});
