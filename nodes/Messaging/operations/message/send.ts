import type { Input } from '../../fields/input';
import { InvalidParameter } from '../../fields/invalid-parameter';
import { optionsField, ordering, resendUnknown, sendOnce } from '../../fields/options';
import type { Properties } from '../../fields/parameter-types';
import { isEmpty } from '../../fields/values';
import { isPlainObject } from '../../json/plain-object';
import { apiCall } from '../../service/api-call';
import type { Schemas } from '../../service/interface-types';
import { defineOperation } from '../../contract/any-operation';
import { withReply } from '../records';
import { contentExtras, packageExtras } from './additional-fields';
import { laneOf } from './lane';
import { checkedPackage, nonEmpty, PACKAGE_EXAMPLE } from './package';
import { recipientOf } from './recipient';
import { sendFields } from './send-fields';
import { fieldSources, JSON_SOURCES } from './sources';

const fields = [
	...sendFields,
	optionsField([ordering, resendUnknown, ...sendOnce]),
] as const satisfies Properties;

/** Sends a message package to a channel: POST /api/v1/message/SendMessage. */
export const sendMessage = defineOperation({
	resource: 'message',
	name: 'send',
	displayName: 'Send',
	action: 'Send a message',
	description: 'Send a message to a recipient through a channel',
	fields,
	compile(input) {
		const isJson = input.choice('inputMode') === 'json';
		const message = isJson ? packageFromJson(input) : packageFromFields(input);
		const body = { ...message, packageId: message.packageId ?? input.callId };
		return {
			call: apiCall('post', '/api/v1/message/SendMessage', { body }),
			facts: { packageId: body.packageId, channelId: message.channelId },
			sources: isJson ? JSON_SOURCES : fieldSources(input.choice('addressType')),
			lane: laneOf(message.channelId, message.content?.to),
		};
	},
	output: (body, facts) => [withReply(body, facts, messageIdIn(body))],
	known: (facts) => facts,
});

/** The message's id, where the answer has one: at its top or in its content. */
function messageIdIn(body: unknown): { messageId?: string | number } {
	const content = isPlainObject(body) && isPlainObject(body.content) ? body.content : {};
	const candidates = isPlainObject(body) ? [body.messageId, content.messageId] : [];
	const messageId = candidates.find(
		(id): id is string | number => (typeof id === 'string' && id !== '') || typeof id === 'number',
	);
	return messageId === undefined ? {} : { messageId };
}

type AddressedPackage = Schemas['MessagePackage'] & { channelId: string };

function packageFromFields(input: Input<typeof fields>): AddressedPackage {
	const channelId = input.requiredUuid('channelId');
	const more = input.collection('additionalFields');
	const to = recipientOf(input, more.text('toName').trim());
	const type = more.has('contentType') ? more.text('contentType').trim() : 'TEXT';
	const text = type === 'TEXT' ? input.requiredText('text') : input.text('text');
	return {
		...packageExtras(more),
		channelId,
		content: {
			...(text !== '' && { text }),
			to,
			...(type !== '' && { type }),
			...contentExtras(more),
		},
	};
}

function packageFromJson(input: Input<typeof fields>): AddressedPackage {
	const label = input.label('package');
	const message = checkedPackage(input.requiredJsonObject('package', PACKAGE_EXAMPLE), label, input.timezone);
	if (nonEmpty(message.content) === undefined) {
		throw new InvalidParameter(
			label,
			'has no content',
			`Put the message under "content", for example ${PACKAGE_EXAMPLE}.`,
		);
	}
	const { to } = message.content ?? {};
	if (to?.type === 'EMAIL' && isEmpty(to.email)) {
		throw new InvalidParameter(
			`${label} > content > to > email`,
			'is empty',
			'Enter the email address of the recipient, and check that an expression finds one for this item.',
		);
	}
	return { ...message, channelId: message.channelId ?? input.requiredUuid('channelId') };
}
