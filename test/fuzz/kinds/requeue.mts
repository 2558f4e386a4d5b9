/** Outbox: Requeue, where several items share a request. Doing it twice sends a message twice. */
import fc from 'fast-check';
import { areGood, mostly, weighted } from '../draw.mts';
import { byId } from '../../cases/values.mts';
import { fields, more, type FuzzItem, type Kind } from './kind.mts';

/** Few entries, so that items often name one twice or name the same one. */
const fewEntries = 8;
/** The most that one request takes. */
const mostIds = 100;
/** An entry with a number from here on belongs to one item; any item may name those below. */
const ownFrom = 1000;

/** One entry that an item names. */
interface Entry {
	/** Less than `ownFrom`. */
	readonly number: number;
	/** Whether no other item names it. */
	readonly isOwn: boolean;
	/** Whether its id is in capitals, which the service and the node ignore. */
	readonly isLoud: boolean;
}

/**
 * The id of an entry.
 *
 * @param index the item that names it
 */
function entryId({ number, isOwn, isLoud }: Entry, index: number): string {
	const all = isOwn ? ownFrom * (index + 1) + number : number;
	const id = `eeeeeeee-eeee-4eee-8eee-eeeeee${String(all).padStart(6, '0')}`;
	return isLoud ? id.toUpperCase() : id;
}

/** The only item that names an entry; none for a common one. */
function ownerOf(id: string): number[] {
	const number = Number(id.slice(-6));
	return number < ownFrom ? [] : [Math.floor(number / ownFrom) - 1];
}

/** The name of the thing that an item wants by naming an entry of a channel. */
const entryThing = (index: number, channel: string, id: string): string =>
	`item ${index}: ${channel} ${id}`.toLowerCase();

/** Whether an item needs several requests. */
export function isLarge(item: FuzzItem | undefined): boolean {
	return (item?.things.length ?? 0) > mostIds;
}

/** The id of a channel. */
function channelOf(number: number, isLoud: boolean): string {
	const id = `cccccccc-cccc-4ccc-8ccc-ccccccccccc${number}`;
	return isLoud ? id.toUpperCase() : id;
}

/** The account that a channel belongs to. */
const accountOf = (channel: string): string => `aaaaaaaa-0000-4000-8000-00000000000${channel.at(-1)}`;

/** The list of channels, where the node looks up the account that an item does not name. */
export const channelList = JSON.stringify(
	[0, 1].map((number) => {
		const channelId = channelOf(number, false);
		return { channelId, name: `Channel ${number}`, accountId: accountOf(channelId) };
	}),
);

const entry = (entries: number, isOwn: fc.Arbitrary<boolean>): fc.Arbitrary<Entry> =>
	fc.record({ number: fc.nat(entries - 1), isOwn, isLoud: fc.boolean() });
const own = fc.constant(true);

/** Each item has an entry that no other names, which identifies the item in a request. */
const named: fc.Arbitrary<readonly Entry[]> = weighted(
	[
		20,
		fc
			.tuple(entry(fewEntries, own), fc.array(entry(fewEntries, fc.boolean()), { maxLength: 3 }))
			.map(([first, rest]) => [...rest, first]),
	],
	// Too many for two such items in one request, or even for one.
	[1, fc.array(entry(2 * mostIds, own), { minLength: 60, maxLength: 250, size: 'max' })],
);

const spellings = [
	(ids: readonly string[]) => ids,
	(ids: readonly string[]) => ids.join(', '),
	(ids: readonly string[]) => ` ${ids.join(' ,')},`,
];

const ids = mostly(fc.tuple(named, fc.constantFrom(...spellings)), [
	...['', ',', null, undefined, 5, {}, [], [''], [5], 'nobody'],
]);
const channels = mostly(fc.tuple(fc.constantFrom(0, 0, 1), fc.boolean()), ['', null, undefined, 'x', 5, {}]);

interface Body {
	ids?: string[];
	channelId?: string;
	organizationId?: string;
	accountId?: string;
}

/** Carries the number of the execution: it is the same for all items of a channel. */
const organizationOf = (execution: number): string =>
	`0a0a0a0a-${String(execution).padStart(4, '0')}-4000-8000-000000000001`;

export const requeue: Kind = {
	id: 'outbox.requeue',
	isOnceOnly: true,
	sharesCalls: true,
	hasOnceKeys: false,
	item: () =>
		fc
			.record({ given: ids, channel: channels, tellsAccount: fc.boolean(), more })
			.map(({ given, channel, tellsAccount, more: rest }) => (index) => {
				const isSendable = areGood(given, channel);
				const channelId =
					channel.isGood === true ? channelOf(...(channel.value as [number, boolean])) : channel.value;
				const [entries, spelling] = (given.isGood === true ? given.value : [[], () => given.value]) as [
					Entry[],
					(ids: readonly string[]) => unknown,
				];
				const spelled = entries.map((each) => entryId(each, index));
				const account = tellsAccount ? accountOf(String(channelId)) : undefined;
				return {
					json: { ...rest, ...fields({ channel: channelId, ids: spelling(spelled), account }) },
					isSendable,
					key: '',
					things: [...new Set(spelled.map((id) => entryThing(index, String(channelId), id)))],
				};
			}),
	parameters: (execution) => ({
		resource: 'outbox',
		operation: 'requeue',
		channelId: byId('={{ $json.channel }}'),
		entryIds: '={{ $json.ids }}',
		organizationId: byId(organizationOf(execution)),
		accountId: byId('={{ $json.account }}'),
	}),
	read(body, path, items) {
		const { ids: all = [], channelId = '', organizationId = '', accountId } = body as Body;
		const members = [...new Set(all.flatMap(ownerOf))].sort((one, other) => one - other);
		const asked = (index: number): string[] => all.map((id) => entryThing(index, channelId, id));
		const thingsOf = (index: number): string[] =>
			(items[index]?.things ?? []).filter((thing) => asked(index).includes(thing));
		const things = members.flatMap(thingsOf);
		// An item shares a request as a whole or, if too large for that, has separate requests.
		const isRight = (index: number): boolean =>
			isLarge(items[index]) ? members.length === 1 : thingsOf(index).length === items[index]?.things.length;
		const problems = {
			'channelId: not that of the path': channelId === path['channelId'],
			'accountId: not that of the channel': accountId === accountOf(channelId),
			[`ids: ${all.length} of them`]: all.length > 0 && all.length <= mostIds,
			'ids: one of them twice': new Set(all.map((id) => id.toLowerCase())).size === all.length,
			'ids: of no item': members.length > 0,
			'ids: not those of each item': members.every(isRight),
			'ids: one that no item of this request named': all.every((id) =>
				members.some((index) => things.includes(entryThing(index, channelId, id))),
			),
		};
		const wrong = Object.entries(problems).flatMap(([problem, isFine]) => (isFine ? [] : [problem]));
		if (wrong.length > 0) return wrong;
		const execution = Number(organizationId.split('-')[1]);
		return { execution, items: members, things, lane: channelId.toLowerCase(), shows: {} };
	},
	reply: (body) => ({ queued: (body as Body).ids?.length ?? 0 }),
};
