import type { Sources } from '../../input/field-name';
import type { Input } from '../../input/input';
import { InvalidParameter } from '../../input/invalid-parameter';
import { optionsField, ordering, whenUnknown, sendOnce } from '../../fields/options';
import type { Properties } from '../../input/parameter-types';
import { valueAt } from '../../shared/json';
import { apiCall } from '../../service/api-call';
import type { Schemas } from '../../service/interface-types';
import { defineOperation } from '../operation';
import { withReply } from '../records';
import { CONTENT_SOURCES, extrasFor, otherContentFrom } from './additional-fields';
import { CONTENT, EXAMPLES, nonEmpty, PACKAGE, typedObject } from './package';
import { laneOf, recipientOf, recipientSources, recipientText, requireAddress } from './recipient';
import { sendFields } from './send-fields';

const fields = [
	...sendFields,
	optionsField([ordering, whenUnknown, ...sendOnce]),
] as const satisfies Properties;

/** Sends a message package to a channel: POST /api/v1/message/SendMessage. */
export const sendMessage = defineOperation({
	resource: 'message',
	name: 'send',
	displayName: 'Send',
	action: 'Send a message',
	description: 'Send a message to a recipient through a channel',
	effect: 'sends',
	fields,
	compile(input) {
		const isJson = input.choice('inputMode') === 'json';
		const { message, sources } = isJson ? packageFromJson(input) : packageFromFields(input);
		const body = { ...message, packageId: message.packageId ?? input.source.callId };
		const known = { packageId: body.packageId, channelId: message.channelId };
		return {
			call: apiCall('post', '/api/v1/message/SendMessage', { body }),
			known,
			recipient: recipientText(message.content?.to),
			fingerprint: () => fingerprintOf(message),
			sources,
			lane: laneOf(message.channelId, message.content?.to),
			output: (reply) => [withReply(reply, known, messageIdIn(reply))],
		};
	},
});

/** Identifies the message by channel, recipient and content, without fields that differ each time it is built. */
function fingerprintOf({ channelId, content = {} }: Schemas['MessagePackage']): string {
	const { timestamp: _, messageId: _id, deliveryDeadline: _deadline, ...rest } = content;
	return JSON.stringify([channelId, rest]);
}

/** The message's id in the answer: at the top level or in its content. */
function messageIdIn(body: unknown): { messageId?: string | number } {
	const messageId = [valueAt(body, 'messageId'), valueAt(body, 'content.messageId')].find(
		(id): id is string | number => (typeof id === 'string' && id !== '') || typeof id === 'number',
	);
	return messageId === undefined ? {} : { messageId };
}

/** A message, and the parameters of its fields. */
interface MessageAndSources {
	readonly message: Schemas['MessagePackage'] & { readonly channelId: string };
	readonly sources: Sources;
}

const PACKAGE_EXAMPLE = `{"content": ${EXAMPLES.content}}`;

function packageFromFields(input: Input<typeof fields>): MessageAndSources {
	const channelId = input.requiredUuid('channelId');
	const more = input.collection('additionalFields');
	const to = recipientOf(input, more.text('toName').trim());
	const type = more.has('contentType') ? more.text('contentType').trim() : 'TEXT';
	const text = type === 'TEXT' ? input.requiredText('text') : input.text('text');
	const content = {
		...(text !== '' && { text }),
		to,
		...(type !== '' && { type }),
		...extrasFor(CONTENT, more, CONTENT_SOURCES),
		...otherContentFrom(more),
	};
	return {
		message: { ...extrasFor(PACKAGE, more), channelId, content },
		sources: {
			...CONTENT_SOURCES,
			'content.type': 'contentType',
			'content.to.name': 'toName',
			...recipientSources(input.choice('addressType')),
		},
	};
}

function packageFromJson(input: Input<typeof fields>): MessageAndSources {
	const label = input.label('package');
	const entered = input.requiredJsonObject('package', PACKAGE_EXAMPLE);
	const message: Schemas['MessagePackage'] = typedObject(entered, PACKAGE, label, input.source.timezone);
	if (nonEmpty(message.content) === undefined) {
		const hint = `Put the message under "content", for example ${PACKAGE_EXAMPLE}.`;
		throw new InvalidParameter(label, 'has no content', hint);
	}
	requireAddress(message.content?.to, `${label} > content > to`);
	const channelId = message.channelId ?? input.requiredUuid('channelId');
	return { message: { ...message, channelId }, sources: { '': 'package' } };
}
