import { choiceField, collectionField, objectField, shownFor } from '../../fields/builders';
import { channelLocator } from '../../fields/locators';
import { optionsField, sendOptions, showRequest } from '../../fields/options';
import type { Input } from '../../input/input';
import { InvalidParameter } from '../../input/invalid-parameter';
import type { Properties } from '../../input/parameter-types';
import { refuseMembers } from '../../input/refuse';
import { DATA_IN_JSON } from '../../input/quoted-data';
import type { Schemas } from '../../service/api-call';
import { asSentence } from '../../shared/text';
import { defineOperation } from '../operation';
import { additionalFields, rareFields } from './additional-fields';
import { messageTo, type Outgoing, requireText, sendingOf, textFields } from './outgoing';
import { EXAMPLES, nonEmpty, PACKAGE, typedObject } from './package';
import { recipientFields, recipientOf, requireAddress } from './recipient';

const inFieldsMode = { inputMode: ['fields'] };

/** For collections that other operations have, too: those have no Input Mode. */
const inNoPackage = { hide: { inputMode: ['json'] } };

/** In a tool, a model may write the package, so the recipient can be set beside it. */
const inPlaceOfPackage = recipientFields.map((field) => ({
	...field,
	required: false,
	description: `${asSentence(field.description)} Replaces the recipient in the package.`,
}));

/** Channel, recipient and content of a message, as fields or as a whole package. */
const fields = [
	{ ...channelLocator, displayOptions: { show: inFieldsMode } },
	{
		...channelLocator,
		displayOptions: { show: { inputMode: ['json'] } },
		required: false,
		description:
			'The channel to send through if the package has no channelId. In a tool of an AI agent, it replaces the one in the package.',
	},
	...shownFor({ inputMode: ['json'], '@tool': [true] }, inPlaceOfPackage),
	...shownFor(inFieldsMode, recipientFields),
	...shownFor(inFieldsMode, textFields),
	choiceField({
		name: 'inputMode',
		description:
			'How to enter the message. Fields suit most workflows; JSON is for a whole message package, such as one that another system has made.',
		default: 'fields',
		choices: { fields: 'Fill in the fields', json: 'Enter the whole message package as JSON' },
	}),
	objectField({
		name: 'package',
		displayOptions: { show: { inputMode: ['json'] } },
		typeOptions: { rows: 8 },
		required: true,
		default:
			'{\n\t"content": {\n\t\t"type": "TEXT",\n\t\t"text": "",\n\t\t"to": { "type": "EMAIL", "email": "" }\n\t}\n}',
		description: `The whole message package as a JSON object. If it has no channelId, the channel above is used. Put phone numbers in quotes: as a number, +49 030 loses its plus sign and zeros. ${DATA_IN_JSON}.`,
	}),
	{ ...collectionField('additionalFields', additionalFields), displayOptions: inNoPackage },
	optionsField([...sendOptions, showRequest]),
	{ ...collectionField('rareFields', rareFields), displayOptions: inNoPackage },
] as const satisfies Properties;

/** Sends a message package to a channel: POST /api/v1/message/SendMessage. */
export const sendMessage = defineOperation({
	action: 'Send a message',
	description: 'Send a message to a recipient through a channel',
	effect: 'sends',
	fields,
	compile(input) {
		const isJson = input.choice('inputMode') === 'json';
		const outgoing = isJson ? packageFromJson(input) : packageFromFields(input);
		return sendingOf(outgoing, input.source);
	},
});

const PACKAGE_EXAMPLE = `{"content": ${EXAMPLES.content}}`;

function packageFromFields(input: Input<typeof fields>): Outgoing {
	const channelId = input.requiredUuid('channelId');
	const more = input.collection('additionalFields');
	const toName = more.has('toName') ? more.text('toName').trim() : undefined;
	const to = recipientOf(input, toName);
	return messageTo(to, channelId, input);
}

function packageFromJson(input: Input<typeof fields>): Outgoing {
	const label = input.label('package');
	const entered = input.requiredJsonObject('package', PACKAGE_EXAMPLE);
	const typed: Schemas['MessagePackage'] = typedObject(entered, PACKAGE, label, input.source.timezone);
	const message = input.source.caller.isTool === true ? withFieldsSet(input, typed) : typed;
	if (nonEmpty(message.content) === undefined) {
		const hint = `Put the message under "content", for example ${PACKAGE_EXAMPLE}.`;
		throw new InvalidParameter(label, 'has no content', hint);
	}
	const { correlationId, content: { to, from } = {} } = message;
	requireAddress(to, `${label} > content > to`);
	const refuse = (kind: 'address' | 'id', part: object, path: string): void =>
		refuseMembers(kind, part, path, input.saved('package'), input.source);
	refuse('address', to ?? {}, `${label} > content > to`);
	refuse('address', from ?? {}, `${label} > content > from`);
	refuse('id', { correlationId }, label);
	requireText(message.content, `${label} > content > text`);
	const channelId = message.channelId ?? input.requiredUuid('channelId');
	return { ...message, channelId };
}

/** In a tool, the channel and the recipient set in the node win over those in the package: a model may have written it. */
function withFieldsSet(
	input: Input<typeof fields>,
	message: Schemas['MessagePackage'],
): Schemas['MessagePackage'] {
	const hasRecipient = input.choice('addressType') === 'other' || input.isEntered('toEmail');
	const content = hasRecipient ? withField(message.content ?? {}, 'to', recipientOf(input)) : message.content;
	const full = withField(message, 'content', content);
	return input.isEntered('channelId') ? withField(full, 'channelId', input.requiredUuid('channelId')) : full;
}

/** The object with a field in place of all that have its name, in any case of letters: some services ignore the case. */
function withField<T extends object, Name extends keyof T & string>(
	object: T,
	name: Name,
	value: T[Name],
): T {
	const others = Object.entries(object).filter(([key]) => key.toLowerCase() !== name.toLowerCase());
	return { ...Object.fromEntries(others), [name]: value } as T;
}
