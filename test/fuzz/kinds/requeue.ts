import fc from 'fast-check';
import { areGood, mostly } from '../draw.ts';
import { accountOf, channelOf, entryId, entryThing, namerOf, ownerOf, type Entry } from './entries.ts';
import { byId, type Kind } from './kind.ts';
import { fields, more, readKey } from './values.ts';

/** Few entries, so that items often name one twice or name the same one. */
const fewEntries = 8;
/** The most that one request takes. */
export const mostIds = 100;

const entry = (entries: number, isOwn: fc.Arbitrary<boolean>): fc.Arbitrary<Entry> =>
	fc.record({ number: fc.nat(entries - 1), isOwn, isLoud: fc.boolean() });
const ownEntry = entry(fewEntries, fc.constant(true));

/** Each item has an entry that no other names, which identifies the item in a request. */
const named: fc.Arbitrary<readonly Entry[]> = fc.oneof(
	{
		weight: 30,
		arbitrary: fc
			.tuple(ownEntry, fc.array(entry(fewEntries, fc.boolean()), { maxLength: 3 }))
			.map(([first, rest]) => [...rest, first]),
	},
	// Too many for two such items in one request, or even for one.
	{
		weight: 1,
		arbitrary: fc.array(entry(2 * mostIds, fc.constant(true)), {
			minLength: 60,
			maxLength: 250,
			size: 'max',
		}),
	},
);

const spellings = {
	list: (ids: readonly string[]) => ids,
	commas: (ids: readonly string[]) => ids.join(', '),
	spaced: (ids: readonly string[]) => ` ${ids.join(' ,')},`,
} as const;

const noIds = fc.constantFrom<unknown>('', ',', null, undefined, 5, {}, [], [''], [5], 'nobody');
const ids = mostly(fc.record({ entries: named, spelling: fc.constantFrom(...namesOf(spellings)) }), noIds);
const noChannels = fc.constantFrom<unknown>('', null, undefined, 'x', 5, {});
const channels = mostly(fc.tuple(fc.constantFrom(0, 0, 1), fc.boolean()), noChannels);

function namesOf<Name extends string>(object: Record<Name, unknown>): Name[] {
	return Object.keys(object) as Name[];
}

interface Body {
	ids?: string[];
	channelId?: string;
	organizationId?: string;
	accountId?: string;
}

/** Carries the number of the execution: it is the same for all items of a channel. */
const organizationOf = (execution: number): string =>
	`0a0a0a0a-${String(execution).padStart(4, '0')}-4000-8000-000000000001`;

/** The list of channels, where the node looks up the account that an item does not name. */
export const channelList = JSON.stringify(
	[0, 1].map((number) => {
		const channelId = channelOf(number, false);
		return { channelId, name: `Channel ${number}`, accountId: accountOf(channelId) };
	}),
);

/** Outbox: Requeue. Doing it twice sends a message twice. */
export const requeue: Kind = {
	id: 'outbox.requeue',
	isOnceOnly: true,
	sharesCalls: true,
	offers: { onceKey: false, ordering: false, whenUnknown: true },
	status: 201,
	item: () =>
		fc
			.record({ ids, channel: channels, tellsAccount: fc.boolean(), more })
			.map(({ ids: given, channel, tellsAccount, more: rest }) => (index) => {
				const channelId =
					channel.isGood === true ? channelOf(...(channel.value as [number, boolean])) : channel.value;
				const { entries, spelling } =
					given.isGood === true
						? (given.value as { entries: Entry[]; spelling: keyof typeof spellings })
						: { entries: [], spelling: 'list' as const };
				const spelled = entries.map((each) => entryId(each, index));
				const account = accountOf(String(channelId));
				return {
					json: {
						...rest,
						...fields({
							channel: channelId,
							ids: given.isGood === true ? spellings[spelling](spelled) : given.value,
							account: tellsAccount ? account : undefined,
							trueAccount: account,
						}),
					},
					isSendable: areGood(given, channel),
					key: readKey(undefined),
					things: [...new Set(spelled.map((id) => entryThing(index, String(channelId), id)))],
				};
			}),
	parameters: (execution, isWell) => ({
		resource: 'outbox',
		operation: 'requeue',
		channelId: byId('={{ $json.channel }}'),
		entryIds: '={{ $json.ids }}',
		organizationId: byId(organizationOf(execution)),
		// At the end nothing depends on the list of channels, whose timeout is short.
		accountId: byId(isWell ? '={{ $json.trueAccount }}' : '={{ $json.account }}'),
	}),
	read({ parameters, body }, items) {
		const { ids: all = [], channelId = '', organizationId = '', accountId } = body as Body;
		const members = [...new Set(all.flatMap((id) => ownerOf(id) ?? []))].sort((one, other) => one - other);
		const ids = new Set(all.map((id) => id.toLowerCase()));
		const thingsOf = (index: number): readonly string[] => items[index]?.things ?? [];
		const isIn =
			(index: number) =>
			(thing: string): boolean =>
				[...ids].some((id) => thing === entryThing(index, channelId, id));
		const problems = [
			...(channelId === parameters['channelId'] ? [] : ['channelId: not that of the path']),
			...(accountId === accountOf(channelId) ? [] : ['accountId: not that of the channel']),
			...(all.length > 0 && all.length <= mostIds ? [] : [`ids: ${all.length} of them`]),
			...(ids.size === all.length ? [] : ['ids: one of them twice']),
			...(members.length > 0 ? [] : ['ids: of no item']),
			...all.flatMap((id) => {
				const isNamed =
					members.includes(namerOf(id)) &&
					thingsOf(namerOf(id)).includes(entryThing(namerOf(id), channelId, id));
				return isNamed ? [] : [`ids: nobody in this request named ${id}`];
			}),
			// An item shares a request as a whole or, if too large for that, has separate requests.
			...members.flatMap((index) => {
				const isWhole = thingsOf(index).every(isIn(index));
				const isTooLarge = thingsOf(index).length > mostIds;
				const isRight = isTooLarge ? members.length === 1 : isWhole;
				return isRight ? [] : [`ids: not those of item ${index}`];
			}),
		];
		if (problems.length > 0) return problems;
		return {
			execution: Number(organizationId.split('-')[1]),
			items: members,
			things: members.flatMap((index) => thingsOf(index).filter(isIn(index))),
			lane: channelId.toLowerCase(),
			shows: {},
		};
	},
	reply: ({ body }) => ({ queued: (body as Body).ids?.length ?? 0 }),
};
