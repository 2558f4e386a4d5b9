import type { OperationCase, Parameters, Refusal } from './case.mts';
import { allExtras, collected, extrasIn } from './send-samples.mts';
import { anyUuid, badJson, badUuids, byId, ids, operationCase, paired, refuses } from './values.mts';

const sending = '/api/v1/message/SendMessage';

const from = { type: 'PHONE', phone: '+49 30 1234567', name: 'Ada' };

/** A message package as a service may deliver it. */
export const received = {
	packageId: ids.package,
	correlationId: 'conversation-7',
	channelId: ids.channel,
	content: { text: 'Where is it?', type: 'TEXT', messageId: 'in-1', from, isFromMe: false },
};

/** Parameters with the message that came in changed in its package, its content or its sender. */
export const changed = {
	package: (more: object): Parameters => ({ incoming: { ...received, ...more } }),
	content: (more: object): Parameters => ({
		incoming: { ...received, content: { ...received.content, ...more } },
	}),
	from: (sender: unknown): Parameters => changed.content({ from: sender }),
};

const FROM = 'Incoming Message > content > from';

const refused: readonly Refusal[] = [
	refuses('Incoming Message', 'incoming', ...badJson, [received], 'Hello', 5, {}),
	refuses('Incoming Message', (content) => changed.package({ content }), null, 'Hello', []),
	refuses('Incoming Message > echoMessage', (echoMessage) => changed.package({ echoMessage }), 'yes', 2),
	refuses(
		'Incoming Message > content > isFromMe',
		(isFromMe) => changed.content({ isFromMe }),
		'maybe',
		{},
		[1],
	),
	refuses(FROM, changed.from, null, '', {}, [], 'ada@example.com', [from], 5, { type: 'PHONE' }),
	refuses(FROM, changed.from, { type: 'PHONE', phone: ' ' }, { name: 'Ada' }, { email: null }),
	refuses(FROM, (email) => changed.from({ type: 'EMAIL', email, name: 'Ada' }), '', null, {}, ['a@b.c']),
	refuses('Incoming Message > channelId', (channelId) => changed.package({ channelId }), ...badUuids),
	refuses('Incoming Message > packageId', (packageId) => changed.package({ packageId }), ...badUuids),
	refuses('Channel', (channelId) => changed.package({ channelId }), '', null),
	refuses('Channel', (channelId) => ({ channelId: byId(channelId) }), ...badUuids),
	refuses('Text', 'text', ['a']),
	refuses('Priority', 'additionalFields.priority', 2 ** 31),
	refuses('Account ID', 'rareFields.accountId', ...badUuids),
];

const given = { incoming: received, text: 'It arrives on Friday' };
const content = { text: 'It arrives on Friday', to: from, type: 'TEXT' };
const answer = { packageId: ids.call, channelId: ids.channel, correlationId: 'conversation-7' };
const { toName: _, quotedMessage: _quoted, originPackageId: _origin, ...extras } = allExtras;

/** Test cases of answering a message that came in. */
export const replyCase: OperationCase = operationCase('POST', sending, {
	endpoint: 'message.send',
	calls: {
		least: { given, body: { ...answer, originPackageId: ids.package, content } },
		most: {
			given: { channelId: byId(ids.feedback), quote: true, ...collected(extras) },
			body: {
				...extrasIn('package'),
				channelId: ids.feedback,
				originPackageId: ids.package,
				content: {
					...content,
					...extrasIn('content'),
					quotedMessage: { messageId: 'in-1', body: 'Where is it?', type: 'TEXT' },
				},
			},
		},
	},
	required: ['incoming', 'text'],
	refused,
	lane: {
		together: {
			'another text': { text: 'Bye' },
			'another message of the sender': changed.content({ messageId: 'in-2', text: 'Hello?' }),
			'another spelling of the name': changed.from({ ...from, name: 'Countess Ada' }),
		},
		apart: {
			'another sender': changed.from({ ...from, phone: '+49 30 7654321' }),
			'another channel': { channelId: byId(ids.feedback) },
		},
	},
	reply: { ownFields: { packageId: ids.call, channelId: ids.channel, recipient: '+49 30 1234567' } },
	scenarios: {
		'what a Webhook node and another node give': (world) => {
			const { channelId } = world.channel('Support E-mail');
			const packageFrom = (email: string) => ({
				packageId: ids.package,
				channelId,
				content: {
					text: `I am ${email}`,
					type: 'TEXT',
					messageId: `in-${email}`,
					from: { type: 'EMAIL', email },
				},
			});
			const packages = ['ada@example.com', 'grace@example.com'].map(packageFrom);
			const [webhook, plain] = packages;
			const answered = { messageId: expect.any(String) as unknown, packageId: anyUuid() };
			return {
				items: [{ headers: {}, params: {}, query: {}, body: webhook }, { ...plain }],
				parameters: {
					incoming: '={{ $json.body ?? $json }}',
					text: '=Thank you, {{ ($json.body ?? $json).content.from.email }}',
					quote: true,
				},
				requests: packages.map(({ content: { text, messageId, from: to } }) => ({
					body: {
						packageId: anyUuid(),
						originPackageId: ids.package,
						channelId,
						content: {
							text: `Thank you, ${to.email}`,
							to,
							type: 'TEXT',
							quotedMessage: { messageId, body: text, type: 'TEXT' },
						},
					},
				})),
				output: paired(...packages.map(() => ({ ...answered, channelId }))),
			};
		},
	},
});
