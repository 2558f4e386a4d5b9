import type { Prepared } from '../../../nodes/Messaging/contract/any-operation.ts';
import { byId, ids } from '../../cases/values.ts';
import type { Parameters } from '../../cases/index.ts';
import { operationUnderTest } from '../support/operations.ts';

describe('requeue', () => {
	const requeue = operationUnderTest('outbox.requeue');

	test.each([
		['one id', ids.entry, [ids.entry]],
		['a comma-separated list', ` ${ids.otherEntry} , ${ids.entry},`, [ids.otherEntry, ids.entry]],
		['a list', [ids.otherEntry, ids.entry], [ids.otherEntry, ids.entry]],
		['a list with empty places', ['', ids.entry, null], [ids.entry]],
		['an id given twice', `${ids.entry},${ids.entry}`, [ids.entry]],
	])('takes %s', (_kind, entryIds, expected) => {
		expect(requeue.body({ entryIds })).toMatchObject({ ids: expected });
	});

	test.each([[[]], [','], [[null]], [['', ' ']]])('refuses entry ids that hold none: %j', (entryIds) => {
		expect(requeue.refusal({ entryIds }).message).toBe('The field "Entry IDs" is empty');
	});

	describe('without account or organization', () => {
		const left = { accountId: byId(''), organizationId: '' };
		const channel = {
			channelId: ids.channel.toUpperCase(),
			accountId: ids.account,
			account: { organization: { organizationId: ids.organization } },
		};
		/** The body of the request for all entries of an item. */
		const sent = (item: Prepared | undefined) => {
			const parts = item?.parts?.();
			return parts?.callFor(parts.names).call.body;
		};
		const completed = (list: unknown, given: Parameters) => {
			const steps = requeue.compile(given).completion?.complete(list);
			let step = steps?.next();
			while (step?.done === false) step = steps?.next();
			return sent(step?.value);
		};

		test.each<[what: string, given: Parameters, asked: boolean]>([
			['both are given', {}, false],
			['the account is left empty', { accountId: byId('') }, true],
			['the organization is left empty', { organizationId: '' }, true],
			['both are left empty', left, true],
		])('the list of channels is asked when %s: %#', (_what, given, asked) => {
			expect(requeue.compile(given).completion?.applies()).toBe(asked);
		});

		test('the channel tells both', () => {
			expect(completed([{ channelId: 'x' }, channel], left)).toStrictEqual(requeue.body());
		});

		test('what was given stays', () => {
			expect(completed([channel], { accountId: byId(ids.feedback), organizationId: '' })).toMatchObject({
				accountId: ids.feedback,
				organizationId: ids.organization,
			});
		});

		test.each<[what: string, list: unknown, field: string]>([
			['the list does not show the channel', [{ channelId: ids.feedback }], 'Organization'],
			['the list is empty', undefined, 'Organization'],
			['the answer is no list', 'gone', 'Organization'],
			['the channel does not tell the organization', [{ ...channel, account: null }], 'Organization'],
			['the channel does not tell the account', [{ ...channel, accountId: null }], 'Account'],
			['the account is no UUID', [{ ...channel, accountId: '1' }], 'Account'],
		])('the field is named as missing when %s', (_what, list, field) => {
			expect(() => completed(list, left)).toThrow(`The field "${field}" is empty`);
		});
	});

	describe('of several items', () => {
		const scope = (given: Parameters = {}) => requeue.compile(given).parts?.().scope;

		test.each([
			['other entries', { entryIds: ids.otherEntry }, true],
			['the same ids in upper case', { channelId: byId(ids.channel.toUpperCase()) }, true],
			['another channel', { channelId: byId(ids.feedback) }, false],
			['another account', { accountId: byId(ids.feedback) }, false],
			['another organization', { organizationId: ids.feedback }, false],
		])('may an item with %s share a request? %#', (_kind, given, together) => {
			expect(scope(given) === scope()).toBe(together);
		});

		test.each([
			[undefined, true],
			['perChannel', true],
			['perItem', false],
		])('with grouping %s, items share requests: %s', (grouping, shares) => {
			const { parts } = requeue.compile(grouping === undefined ? {} : { options: { grouping } });
			expect(parts?.().shares).toBe(shares);
		});

		test('a request takes at most 100 entries', () => {
			expect(requeue.operation.batching?.mostParts).toBe(100);
		});

		test('the parts are the entries, and the request for some of them is like that of an item', () => {
			const entries = [ids.otherEntry, ids.entry, ids.key];
			const parts = requeue.compile({ entryIds: entries }).parts?.();
			expect(parts?.names).toStrictEqual(entries);
			const some = parts?.callFor(entries.slice(1));
			expect(some?.call).toStrictEqual(requeue.compile({ entryIds: entries.slice(1) }).call);
			expect([...(some?.output(undefined) ?? [])]).toStrictEqual([
				{ success: true, channelId: ids.channel, ids: entries.slice(1) },
			]);
		});
	});
});
