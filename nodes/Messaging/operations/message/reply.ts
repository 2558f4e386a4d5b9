import { collectionField, flagField, objectField } from '../../fields/builders';
import { replyChannelLocator } from '../../fields/locators';
import { answerOnce, optionsField, sendOptions } from '../../fields/options';
import type { Input } from '../../input/input';
import { InvalidParameter } from '../../input/invalid-parameter';
import type { Properties } from '../../input/parameter-types';
import { refuseMembers } from '../../input/refuse';
import { asBoolean, asText, asUuid } from '../../input/values';
import type { Schemas } from '../../service/api-call';
import { defined, isEmpty, isPlainObject, type JsonObject, without } from '../../shared/json';
import { defineOperation } from '../operation';
import { additionalFields, rareFields } from './additional-fields';
import { messageTo, sendingOf, textFields } from './outgoing';
import { CONTENT, typedObject } from './package';
import { isAddress } from './recipient';

/** Whether a field of Send is one of a reply: not what that takes from the message that came in. */
const isOwn = ({ name }: { name: string }): boolean =>
	!['originPackageId', 'quotedMessage', 'toName'].includes(name);

const fields = [
	objectField({
		displayName: 'Incoming Message',
		name: 'incoming',
		description:
			'The message package to reply to, as your service delivered it. After a Webhook node it is {{ $json.body }}, in a tool of an AI agent {{ $("Webhook").item.json.body }}.',
		default: '={{ $json.body ?? $json }}',
		required: true,
	}),
	...textFields,
	replyChannelLocator,
	flagField({ name: 'quote', description: 'Whether to quote the message that is answered' }),
	answerOnce,
	collectionField('additionalFields', additionalFields.filter(isOwn)),
	optionsField([...sendOptions]),
	collectionField('rareFields', rareFields.filter(isOwn)),
] as const satisfies Properties;

/** Answers a message that came in: POST /api/v1/message/SendMessage with its sender as the recipient. */
export const replyToMessage = defineOperation({
	action: 'Reply to a message',
	description: 'Answer a message that came in, through the same channel',
	effect: 'sends',
	fields,
	onceKey: answerKey,
	compile(input) {
		const { received, content, from } = incomingFrom(input);
		const label = input.label('incoming');
		const channelId = input.uuid('channelId') ?? asUuid(received.channelId, `${label} > channelId`);
		if (channelId === undefined) {
			const hint = 'The incoming message has no channelId. Choose the channel to answer through.';
			throw new InvalidParameter(input.label('channelId'), 'is empty', hint);
		}
		const quoted = { messageId: content.messageId, body: content.text, type: content.type };
		const taken = defined<Pick<Schemas['MessagePackage'], 'originPackageId' | 'correlationId'>>({
			originPackageId: asUuid(received.packageId, `${label} > packageId`),
			correlationId: asText(received.correlationId, `${label} > correlationId`) || undefined,
		});
		const message = messageTo(from, channelId, input);
		const quoting = input.flag('quote')
			? typedObject({ quotedMessage: quoted }, CONTENT, label, input.source.timezone)
			: {};
		const outgoing = { ...taken, ...message, content: { ...message.content, ...quoting } };
		return sendingOf(outgoing, input.source);
	},
});

/** The flags of messages that no customer wrote to this channel, at the top of the package or in its content. */
export const UNANSWERED: ReadonlyArray<{ readonly flags: readonly string[]; readonly reason: string }> = [
	{
		flags: ['isFromMe', 'fromMe', 'echoMessage'],
		reason: "was sent from the channel's own side, and answering it would make a loop",
	},
	{ flags: ['isGroupMessage'], reason: 'came from a group, whose address it does not contain' },
	{ flags: ['isStatusMessage'], reason: 'is a status that somebody has published, not a message to you' },
	{ flags: ['isHistoryMessage'], reason: 'is from the history of a chat, so it may be old and answered' },
	{
		flags: ['isNewsletter', 'isBroadcast', 'isAnnounceGroup', 'isCommunityNotices'],
		reason: 'went to many people at once',
	},
];

const DROP_IT =
	'Drop such messages with a Filter node before this one. To answer all the same, use Message: Send with the address to answer to.';

/** What services write in place of true and false. */
const FLAGS: Readonly<Record<string, boolean>> = { '1': true, true: true, '0': false, false: false };

/** Whether a flag is on, in the spelling of any service. Nothing is off. */
function isTrue(flag: unknown, path: string): boolean {
	const word = typeof flag === 'string' || typeof flag === 'number' ? String(flag).trim().toLowerCase() : '';
	return FLAGS[word] ?? asBoolean(flag, path) === true;
}

/** How long the ID of a message may be: anybody who writes to the service may choose it. */
const LONGEST_ID = 1024;

/** The key of Answer Each Message Once. Message IDs count within a chat, and a sender's name may change. */
function answerKey(input: Input<typeof fields>): string | undefined {
	if (!input.flag('answerOnce')) return undefined;
	const { received, content, from } = incomingFrom(input);
	const label = input.label('incoming');
	const place = `${label} > content > messageId`;
	const messageId = asText(content.messageId, place).trim();
	if (messageId.length > LONGEST_ID) {
		const hint =
			'An ID is shorter. Correct the expression in Incoming Message, or ask the operator of the service.';
		throw new InvalidParameter(place, 'is larger than 1 KB', hint);
	}
	if (messageId === '') {
		const hint =
			'Without it, a message that is delivered again can not be recognized. If your service identifies messages elsewhere, add the option Send Only Once Per ("onceKey") and enter that. Or turn Answer Each Message Once off ("answerOnce": false): then each delivery is answered.';
		throw new InvalidParameter(place, 'is empty', hint);
	}
	const channel = asText(received.channelId, `${label} > channelId`) || (input.uuid('channelId') ?? '');
	const sender = Object.entries(without(from, 'name')).filter(([, value]) => !isEmpty(value));
	return JSON.stringify([channel.trim().toLowerCase(), sender.sort(), messageId]);
}

const WHERE_IT_IS =
	'Enter the whole message package, with the sender in content.from. After a Webhook node it is {{ $json.body }}; further on, and in a tool of an AI agent, {{ $("Webhook").item.json.body }}. If several messages came in one list, separate them first with a Split Out node.';

/** The message to answer, its content and its sender. */
type Incoming = Readonly<Record<'received' | 'content' | 'from', JsonObject>>;

/**
 * The message that an item answers.
 *
 * @throws InvalidParameter if it is no message package, or one that must not or can't be answered
 */
function incomingFrom(input: Input<typeof fields>): Incoming {
	const label = input.label('incoming');
	const received = input.requiredJsonObject('incoming', undefined, WHERE_IT_IS);
	const { content } = received;
	if (!isPlainObject(content)) {
		throw new InvalidParameter(label, 'is no message package: it has no content', WHERE_IT_IS);
	}
	for (const { flags, reason } of UNANSWERED) {
		const found = flags.find(
			(flag) =>
				isTrue(received[flag], `${label} > ${flag}`) || isTrue(content[flag], `${label} > content > ${flag}`),
		);
		if (found !== undefined) throw new InvalidParameter(label, `${reason}: ${found} is true`, DROP_IT);
	}
	const { from } = content;
	// A sender's name alone is no address.
	if (isPlainObject(from) && isAddress({ ...from, name: undefined })) {
		refuseMembers('address', from, `${label} > content > from`, input.saved('incoming'), input.source);
		return { received, content, from };
	}
	throw new InvalidParameter(
		`${label} > content > from`,
		'has no address to answer to',
		'If your service puts the sender elsewhere, copy it there with an Edit Fields node before this one. To write to somebody else, use Send.',
	);
}
