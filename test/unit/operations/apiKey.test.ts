import type { Objection } from '../../../nodes/Messaging/operations/operation.ts';
import { keyInUse } from '../../../nodes/Messaging/operations/apiKey/key-in-use.ts';
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
	/** Why the key is not revoked if /Me answers this; undefined if it is revoked. */
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

	test.each<[kind: string, me: unknown, message: RegExp | undefined]>([
		['the key itself', { id: ids.key }, /it is the one/],
		['nothing to compare', { name: 'Orders' }, /may be the one/],
		['another key', { id: ids.package }, undefined],
	])('an answer with %s stops it, and names the option: %#', (_kind, me, message) => {
		const objection = objectionTo(me);
		if (message === undefined) expect(objection).toBeUndefined();
		else {
			expect(objection?.message).toMatch(message);
			expect(objection?.hint).toContain('Allow Revoking the Key in Use');
		}
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

describe('the key in use', () => {
	const key = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
	const other = '3f2504e0-4f89-41d3-9a0c-0305e82c3302';

	test.each<[what: string, me: unknown]>([
		['as its ID', { id: key }],
		['in upper case, in braces', { id: `{${key.toUpperCase()}}` }],
		['without hyphens', { apiKeyId: key.replaceAll('-', '') }],
		['in the record of the key', { id: other, apiKey: { id: key } }],
	])('the key in use is the one that /Me shows %s', (_what, me) => {
		expect(keyInUse(me, key)).toBe('same');
		expect(keyInUse(me, key.toUpperCase())).toBe('same');
	});

	test.each([
		{ id: other },
		{ apiKeyId: other, name: 'Orders' },
		{ apiKey: { id: other }, account: { id: other } },
	])('another key is another: %j', (me) => {
		expect(keyInUse(me, key)).toBe('other');
	});

	test.each<[what: string, me: unknown]>([
		['nothing', undefined],
		['null', null],
		['text', 'hello'],
		['a list', [{ id: other }]],
		['no ID', { name: 'Orders' }],
		['an ID that is no UUID', { id: 7 }],
		['the ID of its account only', { account: { id: other } }],
		['an ID in a wrapper of its own', { data: { caller: { id: other } } }],
		['the ID in a place that is not known', { data: { id: key } }],
		[
			'the ID in a place that is not known, and another one',
			{ id: other, caller: { keys: [{ id: key.toUpperCase() }] } },
		],
	])('it may be the key in use when /Me shows %s', (_what, me) => {
		expect(keyInUse(me, key)).toBe('unclear');
	});
});
