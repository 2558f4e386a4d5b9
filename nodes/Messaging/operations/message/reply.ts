import { collectionField, flagField, objectField } from '../../fields/builders';
import { replyChannelLocator } from '../../fields/locators';
import { optionsField, ordering, replyOnce, whenUnknown } from '../../fields/options';
import type { Input } from '../../input/input';
import { InvalidParameter } from '../../input/invalid-parameter';
import type { Properties } from '../../input/parameter-types';
import { asUuid } from '../../input/uuid';
import { asBoolean, asText } from '../../input/values';
import { defined, isPlainObject, type JsonObject } from '../../shared/json';
import { defineOperation } from '../operation';
import { additionalFields } from './additional-fields';
import { messageTo, sendingOf, TEXT_SOURCES, textFields } from './outgoing';
import { CONTENT, typedField } from './package';
import { isAddress } from './recipient';

/** The additional fields of Send that a reply takes from the message that came in. */
const TAKEN: readonly string[] = ['originPackageId', 'quotedMessage', 'toName'];

const fields = [
	objectField({
		displayName: 'Incoming Message',
		name: 'incoming',
		description:
			'The message package to reply to, as your service delivered it. After a Webhook node it is {{ $json.body }}, in a tool of an AI agent {{ $("Webhook").item.json.body }}. Services deliver again when in doubt: with the option Send Only Once Per and {{ $json.body.content.messageId }}, each message is answered once.',
		default: '={{ $json.body ?? $json }}',
		required: true,
	}),
	...textFields,
	replyChannelLocator,
	flagField({ name: 'quote', description: 'Whether to quote the message that is answered' }),
	collectionField(
		'additionalFields',
		additionalFields.filter(({ name }) => !TAKEN.includes(name)),
	),
	optionsField([ordering, whenUnknown, ...replyOnce]),
] as const satisfies Properties;

/** Answers a message that came in: POST /api/v1/message/SendMessage with its sender as the recipient. */
export const replyToMessage = defineOperation({
	action: 'Reply to a message',
	description: 'Answer a message that came in, through the same channel',
	effect: 'sends',
	fields,
	compile(input) {
		const { received, content, from } = incomingFrom(input);
		const label = input.label('incoming');
		const channelId = input.uuid('channelId') ?? asUuid(received.channelId, `${label} > channelId`);
		if (channelId === undefined) {
			const hint = 'The incoming message has no channelId. Choose the channel to answer through.';
			throw new InvalidParameter(input.label('channelId'), 'is empty', hint);
		}
		const quoted = { messageId: content.messageId, body: content.text, type: content.type };
		const taken = defined({
			originPackageId: asUuid(received.packageId, `${label} > packageId`),
			correlationId: asText(received.correlationId, `${label} > correlationId`) || undefined,
		});
		const message = messageTo(from, channelId, input, input.collection('additionalFields'));
		const quotedMessage = input.flag('quote')
			? typedField('quotedMessage', CONTENT, quoted, label, input.source.timezone)
			: undefined;
		const outgoing = {
			message: { ...taken, ...message, content: { ...message.content, ...defined({ quotedMessage }) } },
			sources: {
				...TEXT_SOURCES,
				'content.to': 'incoming',
				'content.quotedmessage': 'quote',
				originpackageid: 'incoming',
			},
		};
		return sendingOf(outgoing, input.source);
	},
});

const WHERE_IT_IS =
	'Enter the whole message package, with the sender in content.from. After a Webhook node it is {{ $json.body }}; further on, and in a tool of an AI agent, {{ $("Webhook").item.json.body }}. If several messages came in one list, separate them first with a Split Out node.';

/**
 * The message to answer, its content and its sender.
 *
 * @throws InvalidParameter if it is no message package, or one that must not or can't be answered
 */
function incomingFrom(input: Input<typeof fields>): Record<'received' | 'content' | 'from', JsonObject> {
	const label = input.label('incoming');
	const received = input.requiredJsonObject('incoming', undefined, WHERE_IT_IS);
	const { content } = received;
	if (!isPlainObject(content)) {
		throw new InvalidParameter(label, 'is no message package: it has no content', WHERE_IT_IS);
	}
	const isOn = (object: JsonObject, name: string, path: string): boolean =>
		asBoolean(object[name], `${label} > ${path}`) === true;
	if (isOn(received, 'echoMessage', 'echoMessage') || isOn(content, 'isFromMe', 'content > isFromMe')) {
		throw new InvalidParameter(
			label,
			"was sent from the channel's own side",
			'Answering it would make a loop. Put a Filter node before this one that drops messages whose isFromMe or echoMessage is true.',
		);
	}
	if (isOn(content, 'isGroupMessage', 'content > isGroupMessage')) {
		throw new InvalidParameter(
			label,
			'came from a group, whose address it does not contain',
			'Answer with Send and the address of the group, or drop group messages with a Filter node before this one.',
		);
	}
	const { from } = content;
	// A sender's name alone is no address.
	if (isPlainObject(from) && isAddress({ ...from, name: undefined })) return { received, content, from };
	throw new InvalidParameter(
		`${label} > content > from`,
		'has no address to answer to',
		'If your service puts the sender elsewhere, copy it there with an Edit Fields node before this one. To write to somebody else, use Send.',
	);
}
