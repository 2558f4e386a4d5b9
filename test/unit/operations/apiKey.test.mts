import { cases, operationIds } from '../../cases/index.mts';
import { ids } from '../../cases/values.mts';
import { InvalidParameter } from '../../../nodes/Messaging/input/invalid-parameter.ts';
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
		expect(update.refusal({ updateFields })).toMatchObject({
			field: 'Update Fields',
			message: 'The field "Update Fields" is empty: there is nothing to change',
		});
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

	/** Whether the key is the one in use, if /Me answers this; only if it is not, it is revoked. */
	const inUse = (me: unknown): string => {
		const { before } = remove.compile({});
		try {
			expect(before?.complete(me).call.method).toBe('DELETE');
			return 'no';
		} catch (error) {
			if (!(error instanceof InvalidParameter)) throw error;
			expect(error.field).toBe('API Key ID');
			expect(error.hint).toContain('Allow Revoking the Key in Use');
			return error.message.includes('may be') ? 'maybe' : 'yes';
		}
	};

	test.each<[what: string, me: unknown, expected: string]>([
		['its ID', { id: ids.key }, 'yes'],
		['its ID in upper case, in braces', { id: `{${ids.key.toUpperCase()}}` }, 'yes'],
		['its ID without hyphens', { apiKeyId: bare }, 'maybe'],
		['its ID in the record of the key', { id: other, apiKey: { id: ids.key } }, 'yes'],
		['another ID', { id: other }, 'no'],
		['another ID as apiKeyId', { apiKeyId: other, name: 'Orders' }, 'no'],
		['another ID in the record of the key', { apiKey: { id: other }, account: { id: other } }, 'no'],
		['nothing', undefined, 'maybe'],
		['null', null, 'maybe'],
		['text', 'hello', 'maybe'],
		['a list', [{ id: other }], 'maybe'],
		['no ID', { name: 'Orders' }, 'maybe'],
		['an ID that is no UUID', { id: 7 }, 'maybe'],
		['the ID of its account only', { account: { id: other } }, 'maybe'],
		['another ID in an unknown place', { data: { caller: { id: other } } }, 'maybe'],
		['its ID in an unknown place', { id: other, keys: [{ id: ids.key.toUpperCase() }] }, 'yes'],
	])('it is compared with what /Me shows: %s', (_what, me, expected) => {
		expect(inUse(me)).toBe(expected);
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
