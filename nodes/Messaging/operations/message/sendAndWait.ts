import type { Input } from '../../input/input';
import { collectionField } from '../../fields/builders';
import { channelLocator } from '../../fields/locators';
import { optionsField, sendOptions } from '../../fields/options';
import type { Properties } from '../../input/parameter-types';
import { defineOperation } from '../operation';
import { otherContent, otherContentFrom } from './additional-fields';
import { sendingOf } from './outgoing';
import { questionFields, questionFrom, questionOptions } from './question';
import { recipientFields, recipientOf } from './recipient';

const fields = [
	channelLocator,
	...recipientFields,
	...questionFields,
	collectionField('additionalFields', [otherContent]),
	optionsField([...questionOptions, ...sendOptions]),
] as const satisfies Properties;

/**
 * Asks a question: POST /api/v1/message/SendMessage with a link to the page on which it is answered. The execution
 * waits for the first answer.
 */
export const sendMessageAndWait = defineOperation({
	displayName: 'Send and Wait for Response',
	action: 'Send a message and wait for response',
	description:
		'Ask a recipient through a channel, and wait for the answer. When Limit Wait Time is over, the workflow continues with the input and without an answer. The first answer counts. For two approvals, use two nodes.',
	effect: 'sends',
	fields,
	waits: true,
	compile(input) {
		const channelId = input.requiredUuid('channelId');
		const to = recipientOf(input);
		const content = { text: questionText(input), to, type: 'TEXT' };
		const other = otherContentFrom(input.collection('additionalFields'), Object.keys(content));
		const ownFields = { packageId: input.source.caller.callId, channelId };
		const outgoing = { ...ownFields, content: { ...content, ...other } };
		return {
			...sendingOf(outgoing, input.source),
			// The link in the text is different for each item.
			fingerprint: () => JSON.stringify([channelId, to, input.text('message'), other]),
			// The service's answer may repeat the link and would be saved with the execution. The person's answer is the output.
			output: () => [ownFields],
			question: questionFrom(input, ownFields),
		};
	},
});

/** The text of the message: the question, then the link to the page. */
function questionText(input: Input<typeof fields>): string {
	const options = input.collection('options');
	const label = options.has('messageButtonLabel') ? options.text('messageButtonLabel').trim() : 'Respond';
	const link = label === '' ? input.source.caller.answerLink : `${label}: ${input.source.caller.answerLink}`;
	const text = input.requiredText('message').trim();
	return `${text}\n\n${link}`;
}
