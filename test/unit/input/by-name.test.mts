import fc from 'fast-check';

import { listsFor, NamedList } from '../../../nodes/Messaging/input/by-name.ts';
import { findOperation } from '../../../nodes/Messaging/operations/index.ts';
import { cases, type Parameters } from '../../cases/index.mts';
import { sourceOf } from '../../cases/source.mts';
import { ids } from '../../cases/values.mts';
import { quoted } from '../../../nodes/Messaging/shared/text.ts';
import { refusalBy } from '../support/operations.mts';

const [first, second] = [ids.channel, ids.feedback];
const listed = (...names: string[]) =>
	names.map((name, n) => ({ channelId: [first, second, ids.entry, ids.account][n], name }));
const byName = (value: unknown) => ({ __rl: true, mode: 'name', value });
const find = (name: string, records: readonly unknown[]) =>
	new NamedList('channel', records).idOf(name, 'Channel');

test.each([
	['exactly', 'Support', ['SUPPORT', 'Support 2', 'S upport', 'Support'], ids.account],
	['with spaces around it', ' Support\n', [' Support '], first],
	['with an accent of its own', 'Cafe\u0301', ['Caf\u00e9'], first],
	['beside a long one', 'Support', ['word '.repeat(40_000), 'Support'], second],
])('a name is found %s, whatever else is like it', (_how, name, names, id) => {
	expect(find(name, listed(...names))).toBe(id);
});

test('any name is found among others, whatever it consists of', () => {
	fc.assert(
		fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (name) => {
			fc.pre(name.trim() !== '');
			expect(find(name, listed('another one, longer than it', name))).toBe(second);
		}),
	);
});

test.each([
	['in other letters', 'SUPPORT'],
	['with other spaces', 'Sup port'],
	['with an invisible character', 'Sup\u200bport'],
	['of 257 characters', `${' '.repeat(250)}Support`],
])('a name that nothing has is refused, also one %s', (_what, name) => {
	const { field, message } = refusalBy(() => find(name, listed('Support')));
	expect([field, message]).toEqual(['Channel', expect.stringContaining('finds no channel')]);
});

test('the advice has up to ten names that there are', () => {
	const names = Array.from({ length: 12 }, (_, n) => `Name ${n}`);
	const records = names.map((name) => ({ channelId: first, name }));
	const { hint } = refusalBy(() => find('Name', records));
	expect(names.filter((name) => hint.includes(quoted(name)))).toEqual(names.slice(0, 10));
	expect(hint).toContain('2 more');
	expect(refusalBy(() => find('Name', [])).hint).toContain('none');
});

test('of long names, it has as many as the 500 characters of an error hold', () => {
	const name = (n: number) => `${n} `.padEnd(60, 'x');
	const records = Array.from({ length: 12 }, (_, n) => ({ channelId: first, name: name(n) }));
	const { hint, message } = refusalBy(() => find(name(99), records));
	expect(`${message}. ${hint}`.length).toBeLessThanOrEqual(500);
	expect(hint).toMatch(/"0 x+", "1 x+", "2 x+", and 9 more\.$/);
});

test('a name that two have is refused, and one that is listed twice is not', () => {
	expect(refusalBy(() => find('Support', listed('Support', 'Support'))).message).toContain('more than one');
	expect(find('Support', [...listed('Support'), ...listed('Support')])).toBe(first);
});

test('what was deleted for good, or has no ID or name, is not found', () => {
	const [record] = listed('Support');
	const deleted = { ...record, status: { isTerminalDeletionState: true } };
	const records = [deleted, { ...record, channelId: 'x' }, { name: 'Support' }, null, 'Support'];
	expect(refusalBy(() => find('Support', records)).field).toBe('Channel');
	expect(find('Support', [deleted, { ...record, channelId: second }])).toBe(second);
});

/** An operation's call for parameters, with lists in which names are found. */
function compiled(id: keyof typeof cases, given: Parameters) {
	const [resource, name] = id.split('.');
	const operation = findOperation(resource, name)!;
	const named = {
		account: new NamedList('account', [{ accountId: ids.account, name: 'Acme' }]),
		channel: new NamedList('channel', listed('Support', 'Feedback')),
	};
	return operation.compile({ ...sourceOf(operation.fields, { ...cases[id].least.given, ...given }), named });
}

test('an operation calls the service for the channel and the account that have the name', () => {
	expect(compiled('outbox.get', { channelId: byName('Support') }).call.path).toContain(first);
	const { call } = compiled('channel.create', {
		accountId: byName('Acme'),
		additionalFields: { feedbackChannelId: byName('Feedback') },
	});
	expect(call.body).toMatchObject({ accountId: ids.account, feedbackChannelId: second });
	expect(compiled('message.send', { channelId: byName('Support') })).toMatchObject({ channel: first });
});

test('a name where the list is not there, or an ID is asked for, is no ID', () => {
	const id = { __rl: true, mode: 'id', value: 'Support' };
	expect(refusalBy(() => compiled('outbox.get', { channelId: id })).field).toBe('Channel');
	const operation = findOperation('outbox', 'get')!;
	const source = sourceOf(operation.fields, { ...cases['outbox.get'].least.given, channelId: byName('A') });
	expect(refusalBy(() => operation.compile(source)).field).toBe('Channel');
});

test('the name of a channel type is its value', () => {
	expect(compiled('channel.create', { channelType: byName('EMAIL') }).call.body).toMatchObject({
		channelType: 'EMAIL',
	});
});

test.each<[Record<string, unknown>, string[]]>([
	[{}, []],
	[{ channelType: byName('EMAIL') }, []],
	[{ accountId: byName('') }, []],
	[{ accountId: byName('={{ $json.account }}') }, ['account']],
	[{ 'additionalFields.feedbackChannelId': byName('Feedback') }, ['channel']],
])('a node reads the lists that it needs: %j', (saved, lists) => {
	const { fields } = findOperation('channel', 'create')!;
	expect([...listsFor(fields, { unresolved: (path) => saved[path] })]).toEqual(lists);
});
