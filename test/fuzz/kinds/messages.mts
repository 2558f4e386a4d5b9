/** Message: Send, and Message: Edit, which may be repeated without harm. */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { areGood, mostly, weighted, type Drawn } from '../draw.mts';
import { sendThrough } from '../../../dev/harness/workflows.mts';
import { byId } from '../../cases/values.mts';
import { fields, more, type Asked, type Kind } from './kind.mts';

const recipients = fc.constantFrom(...['r0', 'r1', 'r2', 'r3'].map((name) => `${name}@example.com`));
const channelId = '7d3f0d1e-5c57-4b6e-9a55-0c6a2f0e9b11';
const otherChannelIds = [
	'7d3f0d1e-5c57-4b6e-9a55-0c6a2f0e9b12',
	'7d3f0d1e-5c57-4b6e-9a55-0c6a2f0e9b13',
	'7d3f0d1e-5c57-4b6e-9a55-0c6a2f0e9b14',
];
/** The channels that messages are sent through, most of them through the first. */
export const channelIds = weighted([3, fc.constant(channelId)], [2, fc.constantFrom(...otherChannelIds)]);
/** All of them. */
export const allChannelIds = [channelId, ...otherChannelIds];

const missing = ['', null, undefined, {}];
const addresses = mostly(
	recipients,
	[...missing, 5, true, [], 'nobody', 'a b@example.com', 'x'.repeat(5000)],
	[['r0@example.com'], { email: 'r0@example.com' }, ' r0@example.com '],
);
const chats = mostly(recipients, [...missing, ' ', ['a']], [5, true]);
const messages = mostly(fc.constantFrom('m0', 'm1', 'M1', 'm 2'), [...missing, ' ', ['a']], [7, 1e21]);

const goodText = weighted(
	[8, fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 })],
	[1, fc.constantFrom('x'.repeat(2e5), '👩‍👩‍👧‍👦'.repeat(2000), '{{ 1 + 1 }}', '=1', '\u0000 \u202e')],
).filter((text) => text.trim() !== '');
const texts = mostly(
	goodText,
	['', null, undefined],
	[5, 0, false, {}, ['a'], { a: { b: 1 } }, ' ', 'half a character: \uD800'],
);

/** Once keys as items hold them: few enough that some items share one, and some that look alike. */
const goodKeys = weighted<unknown>(
	[8, fc.nat(39).map((number) => `k${String(number).padStart(2, '0')}`)],
	[
		2,
		fc.constantFrom<unknown>(
			...[' k00 ', 'K00', 5, '5', '__proto__', 'constructor', 'é', 'e\u0301', 'k'.repeat(500)],
		),
	],
);
const keys = mostly(goodKeys, ['', '  ', null, undefined, {}, { a: 1 }, 'undefined']);

/** The once key of an item; without the option, any value does. */
function keysOf(isKeyed: boolean): fc.Arbitrary<Drawn> {
	return isKeyed ? keys : keys.map(({ value }) => ({ value, isGood: true }));
}

/** The name of the one thing that an item wants. */
const thing = (index: number): string => `item ${index}`;

/** An item's label in an execution, as an expression that a text field holds. */
const labelOf = (execution: number): string => `=e${execution}i{{ $itemIndex }}`;

/** Reads a label. */
function readLabel(text: unknown): Pick<Asked, 'execution' | 'items' | 'things'> | undefined {
	const [, execution, item] = /^e(\d+)i(\d+)$/.exec(String(text)) ?? [];
	if (item === undefined) return undefined;
	return { execution: Number(execution), items: [Number(item)], things: [thing(Number(item))] };
}

interface Sent {
	packageId?: string;
	correlationId?: string;
	channelId?: string;
	content?: { text?: string; to?: { email?: string } };
}

export const send: Kind = {
	id: 'message.send',
	isOnceOnly: true,
	sharesCalls: false,
	hasOnceKeys: true,
	item: (isKeyed) =>
		fc
			.record({
				to: addresses,
				text: texts,
				id: keysOf(isKeyed),
				channel: channelIds,
				more,
			})
			.map(({ to, text, id, channel, more: rest }) => (index) => ({
				json: { ...rest, ...fields({ to: to.value, text: text.value, id: id.value, channel }) },
				isSendable: areGood(to, text, id),
				key: String(id.value).trim().normalize('NFC'),
				message: JSON.stringify([channel, to.value, text.value]),
				things: [thing(index)],
				channel,
			})),
	parameters: (execution) =>
		sendThrough('={{ $json.channel }}', { additionalFields: { correlationId: labelOf(execution) } }),
	read(body, _path, items) {
		const { channelId: channel, content, correlationId, packageId = '' } = body as Sent;
		const label = readLabel(correlationId);
		const { email = '' } = content?.to ?? {};
		// What the sandbox also refuses.
		const isFine =
			channel === items[label?.items[0] ?? NaN]?.channel &&
			/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email) &&
			(content?.text ?? '') !== '';
		if (label === undefined || channel === undefined || !isFine) {
			return ['correlationId, channelId, to or text: not as given'];
		}
		return {
			...label,
			channel,
			lane: `${channel} ${email}`,
			packageId,
			shows: { packageId, messageId: `m-${packageId}` },
		};
	},
	reply(body) {
		const { packageId, content } = body as Sent;
		return { ...(body as IDataObject), content: { ...content, messageId: `m-${packageId}` } };
	},
};

interface Edited {
	messageId?: string;
	chatId?: string;
	correlationId?: string;
}

export const edit: Kind = {
	id: 'message.edit',
	isOnceOnly: false,
	sharesCalls: false,
	hasOnceKeys: false,
	item: () =>
		fc
			.record({ chat: chats, message: messages, text: texts, more })
			.map(({ chat, message, text, more: rest }) => (index) => ({
				json: { ...rest, ...fields({ chat: chat.value, message: message.value, text: text.value }) },
				isSendable: areGood(chat, message, text),
				key: '',
				things: [thing(index)],
			})),
	parameters: (execution) => ({
		resource: 'message',
		operation: 'edit',
		channelId: byId(channelId),
		chatId: '={{ $json.chat }}',
		messageId: '={{ $json.message }}',
		newText: '={{ $json.text }}',
		additionalFields: { correlationId: labelOf(execution) },
	}),
	read(body) {
		const { messageId = '', chatId = '', correlationId } = body as Edited;
		const label = readLabel(correlationId);
		if (label === undefined || messageId === '' || chatId === '') {
			return ['correlationId, messageId or chatId: not as given'];
		}
		return { ...label, lane: chatId, shows: { messageId, chatId } };
	},
	reply: () => ({}),
};
