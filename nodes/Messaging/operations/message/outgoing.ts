import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { collectionField, textField } from '../../fields/builders';
import type { Input } from '../../input/input';
import type { ParameterSource } from '../../input/parameter-source';
import { InvalidParameter } from '../../input/invalid-parameter';
import { refuseMembers } from '../../input/refuse';
import { ENTER_IT } from '../../input/values';
import { apiCall, type Schemas } from '../../service/api-call';
import { maskInErrors } from '../../service/secrets';
import { defined, isEmpty, valueAt, without } from '../../shared/json';
import type { CompiledCall } from '../operation';
import { withReply } from '../records';
import { additionalFields, extrasFor, otherContentFrom, rareFields } from './additional-fields';
import { CONTENT, PACKAGE } from './package';
import { laneOf, recipientText } from './recipient';

/** A message for a channel. */
export type Outgoing = Schemas['MessagePackage'] & { readonly channelId: string };

/**
 * Whether a content type was added, empty or not. Without one it is TEXT, which needs a text. This is not a regular
 * expression because n8n gives those 250 ms and fails the workflow if a busy server takes longer. The leading slash
 * makes the path absolute: without it, older versions of n8n wait forever for a parameter of that name.
 */
const hasContentType = { '/additionalFields.contentType': [{ _cnd: { exists: true as const } }, ''] };

const text = textField({
	name: 'text',
	description: 'Text of the message',
	placeholder: 'Your order is on its way',
	typeOptions: { rows: 3 },
});

/** The text of a message. The second one is shown in place of the first when a content type was added. */
export const textFields = [
	{ ...text, displayOptions: { hide: hasContentType }, required: true },
	{
		...text,
		displayOptions: { show: hasContentType },
		description: `${text.description}. The type TEXT needs one.`,
	},
] as const satisfies INodeProperties[];

const messageFields = [
	...textFields,
	collectionField('additionalFields', additionalFields),
	collectionField('rareFields', rareFields),
] as const;

/** A message with the text and the fields of the two collections that the user entered. */
export function messageTo(
	to: Schemas['Address'],
	channelId: string,
	item: Pick<Input<[]>, 'part'>,
): Outgoing {
	const input = item.part(messageFields);
	const [more, rare] = [input.collection('additionalFields'), input.collection('rareFields')];
	const type = more.has('contentType') ? more.text('contentType').trim() : 'TEXT';
	const text = type === 'TEXT' ? input.requiredText('text') : input.text('text');
	const content: Schemas['MessageContent'] = {
		...(text !== '' && { text }),
		to,
		...(type !== '' && { type }),
		...extrasFor(CONTENT, more),
		...extrasFor(CONTENT, rare),
		...otherContentFrom(more),
	};
	if (content.from !== undefined) {
		refuseMembers('address', content.from, more.label('from'), more.saved('from'), more.source);
	}
	return { ...extrasFor(PACKAGE, more), ...extrasFor(PACKAGE, rare), channelId, content };
}

/** The fields of a content that say nothing to the person who gets it. */
const SILENT = ['to', 'from', 'text', 'type'];

/** Refuses a content without a text if its type is TEXT, or if it has no type and nothing else in it. */
export function requireText(content: NonNullable<Outgoing['content']> = {}, path: string): void {
	const type = content.type?.trim() ?? '';
	const needsText =
		type === 'TEXT' || (type === '' && Object.keys(content).every((name) => SILENT.includes(name)));
	if (!needsText || !isEmpty(content.text)) return;
	throw new InvalidParameter(path, 'is empty', `${ENTER_IT} A message of another type needs none.`);
}

/** The call that sends a message, and what to make of its answer. */
export function sendingOf(message: Outgoing, source: ParameterSource): CompiledCall {
	const body = { ...message, packageId: message.packageId ?? source.caller.callId };
	const { channelId, content = {} } = message;
	const { deliveryDeadline } = content;
	const lane = laneOf(channelId, content.to);
	const others = Object.keys(content).filter((name) => !CONTENT.has(name));
	// A key may have been entered as the address.
	const recipient = maskInErrors(recipientText(content.to));
	// The deadline shows in which time zone the node has read it.
	const ownFields = defined<IDataObject>({ packageId: body.packageId, channelId, deliveryDeadline });
	const shown = { packageId: body.packageId, channelId, recipient, ...ownFields };
	return {
		call: {
			...apiCall('post', '/api/v1/message/SendMessage', { body }),
			...(others.length > 0 && { others }),
		},
		ownFields,
		deadline: deliveryDeadline === undefined ? undefined : Date.parse(deliveryDeadline),
		recipient,
		// Without what differs each time it is built; the recipient is in the lane.
		fingerprint: () =>
			JSON.stringify([lane, without(content, 'to', 'timestamp', 'messageId', 'deliveryDeadline')]),
		channel: channelId.toLowerCase(),
		lane,
		output: (reply) => {
			const item = withReply(reply, shown, messageIdIn(reply));
			if (source.caller.isTool !== true) return [item];
			// The service may repeat the whole message, which costs a model tokens.
			const { packageId, messageId } = item;
			return [defined<IDataObject>({ packageId, channelId: item.channelId, messageId })];
		},
	};
}

/** The message's id in the answer: at the top level or in its content. */
function messageIdIn(body: unknown): { messageId?: string | number } {
	const messageId = [valueAt(body, 'messageId'), valueAt(body, 'content.messageId')].find(
		(id): id is string | number => (typeof id === 'string' && id !== '') || typeof id === 'number',
	);
	return messageId === undefined ? {} : { messageId };
}
