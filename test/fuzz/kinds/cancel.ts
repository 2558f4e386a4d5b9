import fc from 'fast-check';
import { areGood, mostly } from '../draw.ts';
import { entryId } from './entries.ts';
import { byId, itsThing, type Kind } from './kind.ts';
import { fields, more, readKey } from './values.ts';

const entries = mostly(
	fc
		.record({ number: fc.nat(4), isOwn: fc.constant(false), isLoud: fc.boolean() })
		.map((entry) => entryId(entry, 0)),
	fc.constantFrom<unknown>('', null, undefined, 5, {}, 'nobody', '../../Me'),
);

/** There is no body that could carry a label: the channel tells whose request it is. */
const channelExpression = (execution: number): string =>
	`=cccccccc-${String(execution).padStart(4, '0')}-4000-8{{ String($itemIndex).padStart(3, '0') }}-000000000001`;

/** Outbox: Cancel. Doing it twice does no harm. */
export const cancel: Kind = {
	id: 'outbox.cancel',
	isOnceOnly: false,
	sharesCalls: false,
	offers: { onceKey: false, ordering: false, whenUnknown: false },
	status: 200,
	item: () =>
		fc.record({ entry: entries, more }).map(({ entry, more: rest }) => (index) => ({
			json: { ...rest, ...fields({ entry: entry.value }) },
			isSendable: areGood(entry),
			key: readKey(undefined),
			things: [itsThing(index)],
		})),
	parameters: (execution) => ({
		resource: 'outbox',
		operation: 'cancel',
		channelId: byId(channelExpression(execution)),
		entryId: '={{ $json.entry }}',
	}),
	read({ parameters: { channelId = '', id = '' } }) {
		const [, execution, , item] = channelId.split('-');
		const index = Number(item?.slice(1));
		return {
			execution: Number(execution),
			items: [index],
			things: [itsThing(index)],
			lane: id.toLowerCase(),
			shows: { channelId, httpSenderOutboxEntryId: id },
		};
	},
	reply: () => ({}),
};
