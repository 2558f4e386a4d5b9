import type { IDataObject } from 'n8n-workflow';

import type { OperationCase, Parameters, Refusal } from './case.mts';
import { allExtras, collected, extrasIn } from './send-samples.mts';
import {
	anyUuid,
	badJson,
	badUuids,
	byId,
	fromList,
	ids,
	operationCase,
	paired,
	refuses,
} from './values.mts';

const sending = '/api/v1/message/SendMessage';

/** Sample recipients and texts. */
const people = [
	{ email: 'ada@example.com', text: 'Hello Ada – “ünïcödé” 🙂' },
	{ email: 'grace@example.com', text: 'Hello Grace\nsecond line' },
];

const hello = { text: 'Hello', to: { type: 'EMAIL', email: 'ada@example.com' }, type: 'TEXT' };

const rows = (...values: unknown[]): Parameters => ({
	addressType: 'other',
	toType: 'PHONE',
	toRows: { values },
});
const whole = (value: unknown): Parameters => ({ inputMode: 'json', package: value });
const inContent =
	(name: string) =>
	(value: unknown): Parameters =>
		whole({ content: { text: 'Hello', [name]: value } });
const emailIn = (at: (address: unknown) => Parameters) => (email: unknown) => at({ type: 'EMAIL', email });
const from = (address: unknown): Parameters => ({ additionalFields: { from: address } });

const refused: readonly Refusal[] = [
	refuses('Channel', (channelId) => ({ channelId: byId(channelId) }), ...badUuids),
	refuses('To Email', 'toEmail', {}, 'ada@'),
	refuses('Text', 'text', ['a']),
	refuses('To Type', (toType) => ({ ...rows({ name: 'a', value: 'b' }), toType }), '', ' ', null),

	refuses('To Fields', () => rows(), null),
	refuses('To Fields', () => rows({ name: 'phone', value: '0' }, { name: 'name', value: 'Ada' }), null),
	refuses('To Fields', () => rows({ name: '', value: '' }, { name: 'type', value: 'SMS' }), null),
	refuses('To Fields > 1 > Name', (value) => rows({ name: '', value }), 'value'),
	refuses('To Fields', (name) => rows({ name: 'phone', value: '1' }, { name, value: '2' }), ' phone '),
	refuses('To Fields > phone', (value) => rows({ name: 'phone', value }), '', ' ', null, undefined),
	refuses('To Fields > 1 > Value', (value) => rows({ name: 'phone', value }), {}, ['1', '2']),
	refuses('To Fields > email', (value) => rows({ name: 'email', value }), 'ada'),

	// One field of each kind.
	refuses('Package ID', 'additionalFields.packageId', ...badUuids),
	refuses('Priority', 'additionalFields.priority', 2 ** 31),
	refuses('Timestamp', 'rareFields.timestamp', 'tomorrow'),
	refuses('Echo Message', 'rareFields.echoMessage', 'maybe'),
	refuses('Correlation ID', 'additionalFields.correlationId', {}),
	refuses('From', 'additionalFields.from', 'shop@example.com', ...badJson),
	refuses('From > email', emailIn(from), 'ada'),
	refuses('Other Content Fields', 'additionalFields.otherContent', ...badJson),
	refuses('Other Content Fields > Text', 'additionalFields.otherContent', '{"Text":"Hi"}'),

	refuses('Package', whole, '', null, ...badJson),
	refuses('Package', whole, {}, { content: {} }, { content: null }, { content: { text: null } }),
	refuses('Package > content', (content) => whole({ content }), 'Hi', ['Hi'], 5),
	refuses('Package > content > to', inContent('to'), 'bob', {}, { type: 'PHONE', phone: ' ' }, ['bob'], 5),
	refuses('Package > content > to > email', emailIn(inContent('to')), 'ada', '', ' ', null, undefined),
];

/** The request for a message with this content. */
const post = (channelId: string, content: object) => ({
	body: { packageId: anyUuid(), channelId, content },
});

/** The service's answer to a sent message. */
const sent = (channelId: string, content: IDataObject, packageId: unknown = anyUuid()) => ({
	messageId: expect.any(String) as unknown,
	packageId,
	channelId,
	content: expect.objectContaining({ ...content, messageId: expect.any(String) as unknown }) as unknown,
});

/** Test cases of sending a message, from fields or as a whole package. */
export const sendCase: OperationCase = operationCase('POST', sending, {
	calls: {
		least: {
			given: { channelId: fromList(ids.channel), toEmail: 'ada@example.com', text: 'Hello' },
			body: { packageId: ids.call, channelId: ids.channel, content: hello },
		},
		most: {
			given: collected({ ...allExtras, contentType: 'TEXT', toName: 'Ada' }),
			body: {
				...extrasIn('package'),
				channelId: ids.channel,
				content: { ...hello, to: { ...hello.to, name: 'Ada' }, ...extrasIn('content') },
			},
		},
	},
	required: ['channelId', 'toEmail', 'text'],
	refused,
	lane: {
		together: {
			'another text': { text: 'Bye' },
			'the address in upper case': { toEmail: 'ADA@example.com' },
			'another name': { additionalFields: { toName: 'Countess Ada' } },
			'the same recipient as JSON': {
				inputMode: 'json',
				package: { content: { text: 'Hi', to: { email: 'ada@example.com', name: 'Ada', type: 'EMAIL' } } },
			},
			'the channel in upper case': { channelId: byId(ids.channel.toUpperCase()) },
		},
		apart: {
			'another address': { toEmail: 'grace@example.com' },
			'another channel': { channelId: byId(ids.feedback) },
		},
	},
	fromBody: {
		required: ['packageId', 'channelId', 'content', 'content.text', 'content.to', 'content.to.email'],
		given: (body) => ({ inputMode: 'json', package: JSON.stringify(body) }),
		isTaken({ content }) {
			const { text, to, from } = content as { text: string; to: object; from?: object };
			// A rounded number in an address is refused.
			return text.trim() !== '' && !/\d{16}|e\+/.test(JSON.stringify([to, from]));
		},
	},
	reply: { ownFields: { packageId: ids.call, channelId: ids.channel, recipient: 'ada@example.com' } },
	scenarios: {
		'a text to an e-mail address': (world) => {
			const { channelId } = world.channel('Support E-mail');
			return {
				items: people,
				parameters: {
					channelId: byId(channelId),
					toEmail: '={{ $json.email }}',
					text: '={{ $json.text }}',
				},
				requests: people.map(({ email, text }) =>
					post(channelId, { text, to: { type: 'EMAIL', email }, type: 'TEXT' }),
				),
				output: paired(...people.map(({ text }) => sent(channelId, { text }))),
			};
		},
		'fields, another kind of address in rows': (world) => {
			const { channelId } = world.channel('Support WhatsApp');
			const items = [{ phone: '+49 30 1234567' }, { phone: ' 0049 30 7654321 ' }];
			const to = ({ phone }: { phone: string }) => ({ phone: phone.trim(), name: 'Ada', type: 'PHONE' });
			return {
				items,
				parameters: {
					channelId: byId(channelId),
					addressType: 'other',
					toType: 'PHONE',
					toRows: {
						values: [
							{ name: 'phone', value: '={{ $json.phone }}' },
							{ name: 'name', value: 'Ada' },
							{ name: 'type', value: 'loses' },
							{ name: '', value: '' },
						],
					},
					text: 'Hello',
				},
				requests: items.map((item) => post(channelId, { type: 'TEXT', text: 'Hello', to: to(item) })),
				output: paired(...items.map((item) => sent(channelId, { to: to(item) }))),
			};
		},
		'package as JSON text and as an object, with its own channel': (world) => {
			const { channelId } = world.channel('Support E-mail');
			const packageFor = ({ email, text }: (typeof people)[number]) => ({
				channelId,
				correlationId: email,
				content: { type: 'TEXT', text, to: { type: 'EMAIL', email } },
			});
			return {
				items: people.map((person, index) => ({
					package: index === 0 ? JSON.stringify(packageFor(person)) : packageFor(person),
				})),
				parameters: {
					// Another channel: the one in the package takes precedence.
					channelId: byId(world.channel('Support WhatsApp').channelId),
					inputMode: 'json',
					package: '={{ $json.package }}',
				},
				requests: people.map((person) => ({ body: { packageId: anyUuid(), ...packageFor(person) } })),
				output: paired(
					...people.map(({ text, email }) => ({ ...sent(channelId, { text }), correlationId: email })),
				),
			};
		},
	},
});
