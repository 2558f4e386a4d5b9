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
	names.map((name, n) => ({ channelId: n === 0 ? first : n === 1 ? second : ids.entry, name }));
const byName = (value: unknown) => ({ __rl: true, mode: 'name', value });
const find = (name: string, records: readonly unknown[]) =>
	new NamedList('channel', records).idOf(name, 'Channel');

test.each([
	['exactly', 'Support', ['Support', 'Support 2'], first],
	['with spaces around it', ' Support\n', [' Support '], first],
	['in any case of letters', 'SUPPORT ÄGYPTEN', ['Sales', 'Support Ägypten'], second],
	['with an accent of its own', 'Cafe\u0301', ['Caf\u00e9'], first],
])('a name is found %s', (_how, name, names, id) => {
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

/** The names that a refusal shows, in their order. */
const shownIn = (message: string): string[] =>
	[...message.matchAll(/"((?:[^"\\]|\\.)*)"/g)].slice(2).map(([, name = '']) => name);

test.each<[what: string, name: string, names: string[], near: string[]]>([
	['none', 'Suport Whatsapp', ['Support WhatsApp', 'Sales'], ['Support WhatsApp']],
	[
		...(['none, the nearest first, each once', 'suport munchen'] as const),
		['Support Berlin', 'Sales', 'Support München', 'Support Münster', 'Support Münster', 'Support Ulm'],
		['Support München', 'Support Münster', 'Support Berlin'],
	],
	[
		...(['none, the nearest first, whatever its hyphens', 'Support Email'] as const),
		...([
			['Support Feedback', 'Support E-mail'],
			['Support E-mail', 'Support Feedback'],
		] as [string[], string[]]),
	],
	['none that is like it', 'xyz', ['Support', 'Sales'], []],
	['none with these spaces', 'SupportTeam', ['Support Team'], ['Support Team']],
])('a name that %s have is refused, and what is near it is shown', (_what, name, names, near) => {
	const { field, message } = refusalBy(() => find(name, listed(...names)));
	expect(field).toBe('Channel');
	expect(shownIn(message)).toEqual(near);
});

test.each([
	['in other letters', 'Support', 'SUPPORT'],
	['to the letter', 'Support', 'Support'],
	['with other spaces', 'Support Team', 'Support\u00a0 Team'],
	['with an invisible character', 'Support', 'Sup\u200bport'],
	['in wide letters', 'Support', 'Ｓｕｐｐｏｒｔ'],
])('a name that two have is refused, also if one has it %s', (_what, name, other) => {
	const { message } = refusalBy(() => find(name, listed(name, other)));
	expect(message).toContain(`${quoted(name)}, ${quoted(other)}`);
});

test('a long name is refused before it is looked for, and one in the list does no harm', () => {
	const records = listed('word '.repeat(40_000), 'Support');
	const refusal = refusalBy(() => find('word '.repeat(200_000), records));
	expect([refusal.field, refusal.message]).toEqual(['Channel', expect.stringContaining('200')]);
	expect(find('support', records)).toBe(second);
});

test('the advice names the IDs of several, and says that an ID is no name', () => {
	expect(refusalBy(() => find('A', listed('A', 'A'))).hint).toContain(`${first}, ${second}`);
	expect(refusalBy(() => find(first, listed('A'))).hint).toContain('By ID');
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
	expect(compiled('outbox.get', { channelId: byName('support') }).call.path).toContain(first);
	const { call } = compiled('channel.create', {
		accountId: byName('ACME'),
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
