import type { Input } from '../../fields/input';
import { channelLocator } from '../../fields/locators';
import { optionsField, ordering, resendUnknown, sendOnce } from '../../fields/options';
import type { Properties } from '../../fields/parameter-types';
import { apiCall } from '../../service/api-call';
import { defineOperation } from '../../contract/any-operation';
import { laneOf } from './lane';
import { questionFields, questionFrom, questionOptions } from './question';
import { recipientFields, recipientOf } from './recipient';
import { recipientSources } from './sources';

const fields = [
	channelLocator,
	...recipientFields,
	...questionFields,
	optionsField([...questionOptions, ordering, resendUnknown, ...sendOnce]),
] as const satisfies Properties;

/**
 * Asks a question: POST /api/v1/message/SendMessage with a link to the page on which it is answered. The execution
 * waits for the first answer.
 */
export const sendMessageAndWait = defineOperation({
	resource: 'message',
	name: 'sendAndWait',
	displayName: 'Send and Wait for Response',
	action: 'Send a message and wait for response',
	description:
		'Ask a recipient through a channel, and wait for the answer. When Limit Wait Time is over, the input goes on as it is, without an answer.',
	fields,
	waits: true,
	compile(input) {
		const channelId = input.requiredUuid('channelId');
		const to = recipientOf(input, '');
		const text = textOf(input);
		const body = { packageId: input.callId, channelId, content: { text, to, type: 'TEXT' } };
		const known = { packageId: body.packageId, channelId };
		return {
			call: apiCall('post', '/api/v1/message/SendMessage', { body }),
			facts: known,
			sources: { ...recipientSources(input.choice('addressType')), 'content.text': 'message' },
			lane: laneOf(channelId, to),
			question: questionFrom(input, known),
		};
	},
	// What the service answers repeats the link, and is kept with the execution: the answer of the person is the output.
	output: (_body, facts) => [facts],
	known: (facts) => facts,
});

/** What the message says: the question, and under it the link to the page. */
function textOf(input: Input<typeof fields>): string {
	const options = input.collection('options');
	const label = options.has('messageButtonLabel') ? options.text('messageButtonLabel').trim() : 'Respond';
	const link = label === '' ? input.answerLink : `${label}: ${input.answerLink}`;
	return `${input.requiredText('message').trim()}\n\n${link}`;
}
