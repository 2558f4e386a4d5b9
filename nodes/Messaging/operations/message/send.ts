import type { Input } from '../../input/input';
import { InvalidParameter } from '../../input/invalid-parameter';
import { optionsField, ordering, whenUnknown, sendOnce } from '../../fields/options';
import type { Properties } from '../../input/parameter-types';
import type { Schemas } from '../../service/api-call';
import { defineOperation } from '../operation';
import { messageTo, type Outgoing, sendingOf, TEXT_SOURCES } from './outgoing';
import { EXAMPLES, nonEmpty, PACKAGE, typedObject } from './package';
import { recipientOf, recipientSources, requireAddress } from './recipient';
import { sendFields } from './send-fields';

const fields = [
	...sendFields,
	optionsField([ordering, whenUnknown, ...sendOnce]),
] as const satisfies Properties;

/** Sends a message package to a channel: POST /api/v1/message/SendMessage. */
export const sendMessage = defineOperation({
	resource: 'message',
	name: 'send',
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
	const to = recipientOf(input, more.text('toName').trim());
	return {
		message: messageTo(to, channelId, input, more),
		sources: {
			...TEXT_SOURCES,
			'content.to.name': 'toName',
			...recipientSources(input.choice('addressType')),
		},
	};
}

function packageFromJson(input: Input<typeof fields>): Outgoing {
	const label = input.label('package');
	const entered = input.requiredJsonObject('package', PACKAGE_EXAMPLE);
	const typed: Schemas['MessagePackage'] = typedObject(entered, PACKAGE, label, input.source.timezone);
	const message = input.source.isTool === true ? withFieldsSet(input, typed) : typed;
	if (nonEmpty(message.content) === undefined) {
		const hint = `Put the message under "content", for example ${PACKAGE_EXAMPLE}.`;
		throw new InvalidParameter(label, 'has no content', hint);
	}
	requireAddress(message.content?.to, `${label} > content > to`);
	const channelId = message.channelId ?? input.requiredUuid('channelId');
	return { message: { ...message, channelId }, sources: { '': 'package' } };
}

/** In a tool, the channel and the recipient set in the node win over those in the package: a model may have written it. */
function withFieldsSet(
	input: Input<typeof fields>,
	message: Schemas['MessagePackage'],
): Schemas['MessagePackage'] {
	const hasRecipient = input.choice('addressType') === 'other' || input.isEntered('toEmail');
	const content = hasRecipient
		? withField(message.content ?? {}, 'to', recipientOf(input, ''))
		: message.content;
	const own = withField(message, 'content', content);
	return input.isEntered('channelId') ? withField(own, 'channelId', input.requiredUuid('channelId')) : own;
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
