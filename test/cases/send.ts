import type { IDataObject } from 'n8n-workflow';

import type { OperationCase, Parameters, Prepared, Refusal } from './case.ts';
import { extrasIn, sendExtras } from './send-samples.ts';
import {
	additional,
	anyUuid,
	badBooleans,
	badEmails,
	badInts,
	badJson,
	badTimestamps,
	badUuids,
	byId,
	fromAI,
	fromList,
	idFromAI,
	ids,
	noText,
	paired,
	refuses,
} from './values.ts';

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
const inJson = (toFields: unknown): Parameters => ({
	addressType: 'other',
	toType: 'PHONE',
	toFieldsMode: 'json',
	toFields,
});
const whole = (value: unknown): Parameters => ({ inputMode: 'json', package: value });
const inPackage =
	(name: string) =>
	(value: unknown): Parameters =>
		whole({ [name]: value, content: { text: 'Hello' } });
const inContent =
	(name: string) =>
	(value: unknown): Parameters =>
		whole({ content: { text: 'Hello', [name]: value } });
const emailIn = (at: (address: unknown) => Parameters) => (email: unknown) => at({ email });

const refused: readonly Refusal[] = [
	refuses('Channel', (channelId) => ({ channelId: byId(channelId) }), '', null, ...badUuids),
	refuses('To Email', (toEmail) => ({ toEmail }), ...noText, ...badEmails),
	refuses('Text', (text) => ({ text }), ...noText, undefined, ['a']),
	refuses(
		'To Type',
		(toType) => ({ ...rows({ name: 'a', value: 'b' }), toType }),
		...noText.filter((value) => typeof value !== 'object' || value === null),
	),

	refuses('To Fields', inJson, ...badJson),
	refuses('To Fields', inJson, '', null, {}, '{}', { type: 'SMS' }, { phone: '' }, { a: null, name: 'Ada' }),
	refuses('To Fields > email', emailIn(inJson), ...badEmails),
	refuses('To Fields', () => rows(), null),
	refuses('To Fields', () => rows({ name: '', value: '' }, { name: 'type', value: 'SMS' }), null),
	refuses('To Fields', (value) => rows({ name: '', value }), 'value'),
	refuses('To Fields', (name) => rows({ name: 'phone', value: '1' }, { name, value: '2' }), ' phone '),
	refuses('To Fields', (value) => rows({ name: 'phone', value }), '', ' ', null, undefined),
	refuses('To Fields > phone', (value) => rows({ name: 'phone', value }), {}, ['1']),
	refuses('To Fields > email', (value) => rows({ name: 'email', value }), ...badEmails),

	refuses('Package ID', additional('packageId'), '1', ...badUuids),
	refuses('Origin Package ID', additional('originPackageId'), ...badUuids),
	refuses('Organization ID', additional('organizationID'), ...badUuids),
	refuses('Account ID', additional('accountId'), 'acme', ...badUuids),
	refuses('Priority', additional('priority'), 2 ** 31, ...badInts),
	refuses('Delivery Strategy', additional('deliveryStrategy'), ...badInts),
	refuses('Timestamp', additional('timestamp'), ...badTimestamps),
	refuses('Content Timestamp', additional('contentTimestamp'), ...badTimestamps),
	refuses('Delivery Deadline', additional('deliveryDeadline'), ...badTimestamps),
	refuses('Echo Message', additional('echoMessage'), ...badBooleans),
	refuses('Is Forwarded', additional('isForwarded'), ...badBooleans),
	refuses('Correlation ID', additional('correlationId'), {}),
	refuses('From', additional('from'), 'shop@example.com', ...badJson),
	refuses('From > email', emailIn(additional('from')), ...badEmails),
	refuses('Provider Metadata', additional('providerMetadata'), ...badJson),
	refuses('Quoted Message', additional('quotedMessage'), ...badJson),
	refuses(
		'Quoted Message > isStatusReply',
		(isStatusReply) => additional('quotedMessage')({ isStatusReply }),
		...badBooleans,
	),
	refuses('Referral Ads', additional('referralAds'), ...badJson),
	refuses('Other Content Fields', additional('otherContent'), ...badJson),
	refuses('Other Content Fields > priority', additional('otherContent'), { subject: 'Hi', priority: 1 }),
	refuses('Other Content Fields > Text', additional('otherContent'), '{"Text":"Hi"}'),

	refuses('Package', whole, '', null, ...badJson),
	refuses('Package', whole, {}, { content: {} }, { content: null }, { content: { text: null } }),
	refuses(
		'Package > content > to',
		whole,
		{ content: { text: 'a' } },
		{ content: { text: 'a', to: {} } },
		{
			content: { text: 'a', to: { type: 'PHONE', phone: ' ' } },
		},
	),
	refuses('Package > packageId', inPackage('packageId'), 'x', ...badUuids),
	refuses('Package > channelId', inPackage('channelId'), 'x', ...badUuids),
	refuses('Package > timestamp', inPackage('timestamp'), ...badTimestamps),
	refuses('Package > echoMessage', inPackage('echoMessage'), ...badBooleans),
	refuses('Package > content', (content) => whole({ content }), 'Hi', ['Hi'], 5),
	refuses('Package > content > priority', inContent('priority'), ...badInts),
	refuses('Package > content > deliveryDeadline', inContent('deliveryDeadline'), ...badTimestamps),
	refuses('Package > content > isForwarded', inContent('isForwarded'), ...badBooleans),
	refuses('Package > content > to', inContent('to'), 'bob', 'ada@example.com', '{"type": EMAIL}', ['bob'], 5),
	refuses('Package > content > to > email', emailIn(inContent('to')), ...badEmails),
	refuses('Package > content > from > email', emailIn(inContent('from')), ...badEmails),
	refuses('Package > content > quotedMessage', inContent('quotedMessage'), 'Hi', [1]),
	refuses(
		'Package > content > referralAds > headline',
		(headline) => inContent('referralAds')({ headline }),
		[],
	),
];

const post = (body: object): Prepared['requests'][number] => ({ method: 'POST', path: sending, body });

/** The service's answer to a sent message. */
const sent = (channelId: string, content: IDataObject, packageId: unknown = anyUuid()) => ({
	messageId: expect.any(String) as unknown,
	packageId,
	channelId,
	content: expect.objectContaining({ ...content, messageId: expect.any(String) as unknown }) as unknown,
});

/** Test cases of sending a message, from fields or as a whole package. */
export const sendCase: OperationCase = {
	least: {
		given: { channelId: fromList(ids.channel), toEmail: 'ada@example.com', text: 'Hello' },
		call: {
			method: 'POST',
			path: sending,
			body: { packageId: ids.call, channelId: ids.channel, content: hello },
		},
	},
	most: {
		given: {
			additionalFields: {
				...Object.fromEntries(sendExtras.map(([name, given]) => [name, given])),
				contentType: 'TEXT',
				toName: 'Ada',
			},
		},
		call: {
			method: 'POST',
			path: sending,
			body: {
				...extrasIn('package'),
				channelId: ids.channel,
				content: { ...hello, to: { ...hello.to, name: 'Ada' }, ...extrasIn('content') },
			},
		},
	},
	required: ['channelId', 'toEmail', 'text'],
	refused,
	modes: [
		{},
		{ addressType: 'other', toFieldsMode: 'json' },
		{ addressType: 'other', toFieldsMode: 'rows' },
		{ inputMode: 'json' },
	],
	labels: {
		'content.to.email': 'To Email',
		'Content.To.Email': 'To Email',
		'message.content.to.email': 'message.content.to.email',
		'content.to': 'To Email',
		'content.to.name': 'To Name',
		'content.to.type': 'Address Type',
		'content.text': 'Text',
		'Content.Text': 'Text',
		text: 'Text',
		'content.messageId': 'Content Message ID',
		'content.timestamp': 'Content Timestamp',
		timestamp: 'Timestamp',
		'content.type': 'Content Type',
		'content.priority': 'Priority',
		'content.quotedMessage.body': 'Quoted Message > body',
		'providerMetadata.text': 'Provider Metadata > text',
		channelId: 'Channel',
		organizationID: 'Organization ID',
	},
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
		required: ['packageId', 'channelId', 'content', 'content.to', 'content.to.email'],
		given: (body) => ({ inputMode: 'json', package: JSON.stringify(body) }),
	},
	reply: { list: false, known: { packageId: ids.call, channelId: ids.channel }, settled: {} },
	record: null,
	traits: [],
	scenarios: [
		{
			title: 'a text to an e-mail address',
			prepare(world) {
				const { channelId } = world.channel('Support E-mail');
				return {
					items: people,
					parameters: {
						channelId: byId(channelId),
						toEmail: '={{ $json.email }}',
						text: '={{ $json.text }}',
					},
					requests: people.map(({ email, text }) =>
						post({
							packageId: anyUuid(),
							channelId,
							content: { text, to: { type: 'EMAIL', email }, type: 'TEXT' },
						}),
					),
					output: paired(...people.map(({ text }) => sent(channelId, { text }))),
				};
			},
		},
		{
			title: 'fields, e-mail address, with every additional field',
			prepare(world) {
				const { channelId, accountId, organizationId } = world.channel('Support E-mail');
				const content = ({ email, text }: (typeof people)[number]) => ({
					text,
					type: 'TEXT',
					to: { type: 'EMAIL', email, name: email.slice(0, 3) },
					from: { type: 'EMAIL', email: 'help@acme.example' },
					messageId: `message for ${email}`,
					timestamp: '2030-01-02T03:04:05.000Z',
					isFromMe: true,
					isGroupMessage: false,
					deliveryStrategy: 2,
					priority: -2147483648,
					deliveryDeadline: '2030-01-31T09:00:00.000Z',
					isForwarded: true,
					isStatusMessage: false,
					isHistoryMessage: true,
					isNewsletter: false,
					isBroadcast: true,
					isAnnounceGroup: false,
					isCommunityNotices: true,
					quotedMessage: { messageId: 'quoted', body: 'What was said', isStatusReply: false },
					referralAds: { headline: 'Ad', sourceUrl: 'https://ads.example/1' },
				});
				const sample = content({ email: '', text: '' });
				const { type: _, to: __, text: ___, messageId, timestamp, ...more } = sample;
				const own = {
					correlationId: 'order-1042',
					originPackageId: '3f2504e0-4f89-41d3-9a0c-0305e82c3302',
					organizationID: organizationId,
					organizationName: 'Acme',
					accountId,
					accountName: 'Acme Support',
					timestamp: '2030-01-02T03:04:06.000Z',
					echoMessage: false,
					providerMetadata: { tag: 'x', nested: { list: [1, null, 'a'] } },
				};
				const packageIds = ['3f2504e0-4f89-41d3-9a0c-0305e82c3301', '3f2504e0-4f89-41d3-9a0c-0305e82c3303'];
				return {
					items: people.map((person, index) => ({ ...person, packageId: packageIds[index] })),
					parameters: {
						channelId: fromList(channelId),
						toEmail: '={{ $json.email }}',
						text: '={{ $json.text }}',
						additionalFields: {
							...own,
							...more,
							packageId: '={{ $json.packageId }}',
							providerMetadata: JSON.stringify(own.providerMetadata),
							from: JSON.stringify(more.from),
							quotedMessage: JSON.stringify(more.quotedMessage),
							referralAds: JSON.stringify(more.referralAds),
							contentMessageId: `=${messageId}{{ $json.email }}`,
							contentTimestamp: timestamp,
							toName: '={{ $json.email.slice(0, 3) }}',
						},
					},
					requests: people.map((person, index) =>
						post({ ...own, packageId: packageIds[index], channelId, content: content(person) }),
					),
					output: paired(
						...people.map(({ email, text }, index) => ({
							...sent(
								channelId,
								{ text, to: { type: 'EMAIL', email, name: email.slice(0, 3) } },
								packageIds[index],
							),
							correlationId: own.correlationId,
						})),
					),
				};
			},
		},
		{
			title: 'fields, another kind of address in rows',
			prepare(world) {
				const { channelId } = world.channel('Support WhatsApp');
				const items = [{ phone: '+49 30 1234567' }, { phone: ' 0049 30 7654321 ' }];
				const to = ({ phone }: { phone: string }) => ({ phone, name: 'Ada', type: 'PHONE' });
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
					requests: items.map((item) =>
						post({ packageId: anyUuid(), channelId, content: { type: 'TEXT', text: 'Hello', to: to(item) } }),
					),
					output: paired(...items.map((item) => sent(channelId, { to: to(item) }))),
				};
			},
		},
		{
			title: 'fields, another kind of address in JSON',
			prepare(world) {
				const { channelId } = world.channel('Support WhatsApp');
				const items = [{ phone: '+15550100' }, { phone: '+15550101' }];
				const to = ({ phone }: { phone: string }) => ({ phone, name: 'Ada', type: 'WHATSAPP' });
				return {
					items,
					parameters: {
						channelId: byId('={{ " ' + channelId + ' " }}'),
						addressType: 'other',
						toType: 'WHATSAPP',
						toFieldsMode: 'json',
						toFields: '={{ { phone: $json.phone, name: "Ada", type: "loses" } }}',
						text: '=Photo for {{ $json.phone }}',
						additionalFields: { contentType: 'IMAGE' },
					},
					requests: items.map((item) =>
						post({
							packageId: anyUuid(),
							channelId,
							content: { type: 'IMAGE', text: `Photo for ${item.phone}`, to: to(item) },
						}),
					),
					output: paired(...items.map((item) => sent(channelId, { to: to(item) }))),
				};
			},
		},
		{
			title: 'package as JSON text with its own channel',
			prepare(world) {
				const { channelId } = world.channel('Support E-mail');
				const packageFor = ({ email, text }: (typeof people)[number]) => ({
					channelId,
					correlationId: email,
					content: { type: 'TEXT', text, to: { type: 'EMAIL', email } },
				});
				return {
					items: people.map((person) => ({ package: JSON.stringify(packageFor(person)) })),
					parameters: {
						// Another channel: the one in the package takes precedence.
						channelId: byId(world.channel('Support WhatsApp').channelId),
						inputMode: 'json',
						package: '={{ $json.package }}',
					},
					requests: people.map((person) => post({ packageId: anyUuid(), ...packageFor(person) })),
					output: paired(
						...people.map(({ text, email }) => ({ ...sent(channelId, { text }), correlationId: email })),
					),
				};
			},
		},
		{
			title: 'package as an object, another kind of address, channel from the locator',
			prepare(world) {
				const { channelId } = world.channel('Support WhatsApp');
				const packages = ['+15550100', '+15550101'].map((phone) => ({
					packageId: `3f2504e0-4f89-41d3-9a0c-03050000${phone.slice(-4)}`,
					content: { type: 'TEXT', text: `to ${phone}`, to: { type: 'WHATSAPP', phone } },
				}));
				return {
					items: packages.map((item) => ({ package: item })),
					parameters: {
						channelId: byId(channelId),
						inputMode: 'json',
						package: '={{ $json.package }}',
					},
					requests: packages.map((item) => post({ ...item, channelId })),
					output: paired(
						...packages.map(({ packageId, content }) => sent(channelId, { text: content.text }, packageId)),
					),
				};
			},
		},
		{
			title: 'package as JSON text, the same for every item, channel from the locator',
			prepare(world) {
				const { channelId } = world.channel('Support E-mail');
				const to = { type: 'EMAIL', email: 'ada@example.com' };
				const content = { type: 'TEXT', text: 'From JSON', to, isForwarded: true };
				return {
					items: [{}, {}],
					parameters: {
						inputMode: 'json',
						channelId: byId(channelId),
						package: JSON.stringify({ content }),
					},
					requests: [1, 2].map(() => post({ packageId: anyUuid(), channelId, content })),
					output: paired(sent(channelId, content), sent(channelId, content)),
				};
			},
		},
	],
	agent(world) {
		const { channelId } = world.channel('Support Ticket Hook');
		return {
			parameters: {
				channelId: idFromAI('channel', 'ID of the channel'),
				toEmail: fromAI('to', 'Recipient'),
				text: fromAI('text', 'Text'),
			},
			given: { channel: channelId, to: 'ada@example.com', text: 'Hello' },
			request: `POST ${sending}`,
		};
	},
};
