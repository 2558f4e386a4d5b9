import type { Input } from '../../fields/input';
import { InvalidParameter } from '../../fields/invalid-parameter';
import { channelLocator } from '../../fields/locators';
import { optionsField, ordering, resendUnknown } from '../../fields/options';
import type { Properties } from '../../fields/parameter-types';
import { apiCall } from '../../service/api-call';
import type { Schemas } from '../../service/interface-types';
import { defineOperation } from '../operation';
import { withReply } from '../records';
import { contentExtras, packageExtras } from './additional-fields';
import { checkedAddress, checkedPackage, nonEmpty } from './package';
import { sendFields } from './send-fields';

const fields = [
	{ ...channelLocator, displayOptions: { show: { inputMode: ['fields'] } } },
	{
		...channelLocator,
		displayOptions: { show: { inputMode: ['json'] } },
		required: false,
		description: 'The channel to send through when the package does not name one',
	},
	...sendFields,
	optionsField([ordering, resendUnknown]),
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
		const message = input.choice('inputMode') === 'json' ? packageFromJson(input) : packageFromFields(input);
		const body = { ...message, packageId: message.packageId ?? input.callId };
		return {
			call: apiCall('post', '/api/v1/message/SendMessage', { body }),
			facts: { packageId: body.packageId, channelId: message.channelId },
			lane: laneOf(message),
		};
	},
	output: (body, facts) => [withReply(body, facts)],
});

/** Messages to one address of a channel are one conversation: their order matters. A name is no part of an address. */
function laneOf({ channelId, content }: AddressedPackage): string {
	const { name: _, ...address } = content?.to ?? {};
	const parts = Object.entries(address).map((part) => JSON.stringify(part));
	return `chat ${channelId} ${parts.sort().join()}`.toLowerCase();
}

type AddressedPackage = Schemas['MessagePackage'] & { channelId: string };

function packageFromFields(input: Input<typeof fields>): AddressedPackage {
	const channelId = input.requiredUuid('channelId');
	const to = recipient(input);
	const type = input.text('contentType').trim();
	const text = type === 'TEXT' ? input.requiredText('text') : input.text('text');
	const more = input.collection('additionalFields');
	return {
		...packageExtras(more),
		channelId,
		content: {
			...(text === '' ? {} : { text }),
			to,
			...(type === '' ? {} : { type }),
			...contentExtras(more),
		},
	};
}

function recipient(input: Input<typeof fields>): Schemas['Address'] {
	if (input.choice('addressType') === 'EMAIL') {
		const email = input.requiredText('toEmail').trim();
		const name = input.text('toName').trim();
		return { type: 'EMAIL', email, ...(name === '' ? {} : { name }) };
	}
	const type = input.requiredText('toType').trim();
	return {
		...checkedAddress(input.jsonObject('toFields') ?? {}, input.label('toFields'), input.timezone),
		type,
	};
}

function packageFromJson(input: Input<typeof fields>): AddressedPackage {
	const label = input.label('package');
	const message = checkedPackage(input.requiredJsonObject('package'), label, input.timezone);
	if (nonEmpty(message.content) === undefined) {
		throw new InvalidParameter(
			label,
			'has no content',
			'Put the message under "content", for example {"content": {"type": "TEXT", "text": "Hello", "to": {"type": "EMAIL", "email": "ada@example.com"}}}.',
		);
	}
	return { ...message, channelId: message.channelId ?? input.requiredUuid('channelId') };
}
