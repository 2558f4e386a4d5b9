import fc from 'fast-check';
import { areGood, mostly } from '../draw.ts';
import { byId, itsThing, labelOf, readLabel, type Kind } from './kind.ts';
import { channelId, fields, more, readKey, recipients, texts } from './values.ts';

const noText = fc.constantFrom<unknown>('', ' ', null, undefined, {}, ['a']);
const chats = mostly(fc.constantFrom(...recipients), noText, fc.constantFrom<unknown>(5, true));
const messages = mostly(fc.constantFrom('m0', 'm1', 'M1', 'm 2'), noText, fc.constantFrom<unknown>(7, 1e21));

interface Body {
	messageId?: string;
	chatId?: string;
	newText?: string;
	correlationId?: string;
}

/** Message: Edit, which may be repeated without harm. */
export const editMessage: Kind = {
	id: 'message.edit',
	isOnceOnly: false,
	sharesCalls: false,
	offers: { onceKey: false, ordering: true, whenUnknown: false },
	status: 200,
	item: () =>
		fc
			.record({ chat: chats, message: messages, text: texts, more })
			.map(({ chat, message, text, more: rest }) => (index) => ({
				json: { ...rest, ...fields({ chat: chat.value, message: message.value, text: text.value }) },
				isSendable: areGood(chat, message, text),
				key: readKey(undefined),
				things: [itsThing(index)],
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
	read({ body }) {
		const { messageId = '', chatId = '', correlationId } = body as Body;
		const label = readLabel(correlationId);
		if (label === undefined) return ['correlationId: not as given'];
		if (messageId === '' || chatId === '') return ['messageId, chatId: must not be empty'];
		const { execution, item } = label;
		return { execution, items: [item], things: [itsThing(item)], lane: chatId, shows: { messageId, chatId } };
	},
	reply: () => ({}),
};
