import type { World } from '../../dev/harness/world.mts';
import type { Lane, OperationCase, OperationId, Parameters, Refusal } from './case.mts';
import { previewCase } from './preview.mts';
import { replyCase } from './reply.mts';
import { sendAndWaitCase } from './send-and-wait.mts';
import { sendCase } from './send.mts';
import { badUuids, byId, fromList, ids, operationCase, paired, refuses } from './values.mts';

const editing = '/api/v1/message/EditMessage';
const deleting = '/api/v1/message/DeleteMessage';

const leastGiven = { channelId: fromList(ids.channel), chatId: 'chat-1', messageId: 'message-1' };
const leastBody = { ...leastGiven, channelId: ids.channel };

const refused: readonly Refusal[] = [
	refuses('Channel', (channelId) => ({ channelId: byId(channelId) }), ...badUuids),
	refuses('Chat ID', 'chatId', {}),
	refuses('Message ID', 'messageId', {}),
	refuses('Correlation ID', 'additionalFields.correlationId', [], {}),
];

/** Changes in one chat keep their order. */
const lane: Lane = {
	together: {
		'another message of the chat': { messageId: 'message-2' },
		'the channel in upper case': { channelId: byId(ids.channel.toUpperCase()) },
	},
	apart: {
		'another chat': { chatId: 'chat-2' },
		'another channel': { channelId: byId(ids.feedback) },
	},
};

const fromBody = {
	required: ['messageId', 'chatId', 'channelId'],
	given: ({ correlationId, ...fields }: Parameters): Parameters => ({
		...fields,
		additionalFields: { correlationId },
	}),
};

/** Two messages sent earlier, as items, and parameters that find them. */
async function sentMessages(world: World) {
	const { channelId } = world.channel('Support E-mail');
	const items: Array<{ chatId: string; messageId: string }> = [];
	for (const chatId of ['ada@example.com', 'grace@example.com']) {
		const { messageId } = await world.sentMessage('Support E-mail', chatId, 'First words');
		items.push({ chatId, messageId });
	}
	const found = {
		channelId: byId(channelId),
		chatId: '={{ $json.chatId }}',
		messageId: '={{ $json.messageId }}',
	};
	return { channelId, items, found };
}

/** Test cases of the message operations: send, and change a sent message. */
export const messageCases = {
	'message.send': sendCase,
	'message.sendAndWait': sendAndWaitCase,
	'message.preview': previewCase,
	'message.reply': replyCase,
	'message.edit': operationCase('PUT', editing, {
		calls: {
			least: {
				given: { ...leastGiven, newText: 'Hello again' },
				body: { ...leastBody, newText: 'Hello again' },
			},
			most: {
				given: { additionalFields: { correlationId: 'c-1' } },
				body: { ...leastBody, newText: 'Hello again', correlationId: 'c-1' },
			},
		},
		required: ['channelId', 'chatId', 'messageId', 'newText'],
		refused: [...refused, refuses('New Text', 'newText', {})],
		lane,
		fromBody: { ...fromBody, required: [...fromBody.required, 'newText'] },
		reply: { ownFields: leastBody, settled: { success: true } },
		scenarios: {
			'with a correlation id': async (world) => {
				const { channelId, items, found } = await sentMessages(world);
				return {
					items,
					parameters: {
						...found,
						newText: '=New text for {{ $json.chatId }}',
						additionalFields: { correlationId: '={{ "edit-" + $itemIndex }}' },
					},
					requests: items.map(({ chatId, messageId }, index) => ({
						body: {
							channelId,
							chatId,
							messageId,
							newText: `New text for ${chatId}`,
							correlationId: `edit-${index}`,
						},
					})),
					output: paired(...items.map((message) => ({ success: true, ...message, channelId }))),
				};
			},
		},
	}),
	'message.delete': operationCase('DELETE', deleting, {
		calls: {
			least: { given: leastGiven, body: leastBody },
			most: {
				given: { additionalFields: { correlationId: 'c-1' } },
				body: { ...leastBody, correlationId: 'c-1' },
			},
		},
		required: ['channelId', 'chatId', 'messageId'],
		refused,
		lane,
		fromBody,
		reply: { ownFields: leastBody, settled: { deleted: true } },
		scenarios: {
			'with a JSON body': async (world) => {
				const { channelId, items, found } = await sentMessages(world);
				return {
					items,
					parameters: found,
					requests: items.map((message) => ({ body: { channelId, ...message } })),
					output: paired(...items.map((message) => ({ deleted: true, ...message, channelId }))),
				};
			},
		},
	}),
} satisfies Partial<Record<OperationId, OperationCase>>;
