import { byId, ids } from '../../cases/values.mts';
import type { Parameters } from '../../cases/index.mts';
import { operationUnderTest, refusalBy } from '../support/operations.mts';

describe('requeue', () => {
	const requeue = operationUnderTest('outbox.requeue');

	describe('without account or organization', () => {
		const left = { accountId: byId(''), organizationId: '' };
		const channel = {
			channelId: ids.channel.toUpperCase(),
			accountId: ids.account,
			account: { organization: { organizationId: ids.organization } },
		};
		const completed = (list: unknown, given: Parameters) => {
			const ready = requeue.compile(given).before?.complete(list);
			return ready !== undefined && 'call' in ready ? ready.call.body : undefined;
		};

		test.each<[what: string, given: Parameters, asked: boolean]>([
			['both are given', {}, false],
			['the account is left empty', { accountId: byId('') }, true],
			['the organization is left empty', { organizationId: '' }, true],
			['both are left empty', left, true],
		])('the list of channels is asked when %s: %#', (_what, given, asked) => {
			expect(requeue.compile(given).before !== undefined).toBe(asked);
		});

		test('the channel tells both', () => {
			expect(completed([{ channelId: 'x' }, channel], left)).toStrictEqual(requeue.body());
		});

		test('IDs that are given are not replaced', () => {
			expect(completed([channel], { accountId: byId(ids.feedback), organizationId: '' })).toMatchObject({
				accountId: ids.feedback,
				organizationId: ids.organization,
			});
		});

		test.each<[what: string, list: unknown, field: string]>([
			['the list does not show the channel', [{ channelId: ids.feedback }], 'Organization ID'],
			['the list is empty', undefined, 'Organization ID'],
			['the answer is no list', 'gone', 'Organization ID'],
			['the channel does not tell the organization', [{ ...channel, account: null }], 'Organization ID'],
			['the channel does not tell the account', [{ ...channel, accountId: null }], 'Account'],
			['the account is no UUID', [{ ...channel, accountId: '1' }], 'Account'],
		])('the field is named as missing when %s', (_what, list, field) => {
			expect(refusalBy(() => completed(list, left)).field).toBe(field);
		});

		test('a channel that the list does not have is told: its ID may be wrong', () => {
			const said = (list: unknown) => refusalBy(() => completed(list, left));
			expect(said([{ channelId: ids.feedback }]).message).toContain('does not have this channel');
			expect(said([{ ...channel, account: null }]).message).not.toContain('does not have this channel');
		});

		test('what is given need not be in the list', () => {
			const given = { accountId: byId(''), organizationId: ids.organization };
			expect(completed([{ channelId: ids.channel, accountId: ids.account }], given)).toStrictEqual(
				requeue.body(),
			);
		});
	});
});
