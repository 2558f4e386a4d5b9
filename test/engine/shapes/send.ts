import type { IDataObject } from 'n8n-workflow';
import { byId, fromList } from '../lab.ts';
import { anyUuid, organizationOf, output, people, type Shape } from './shape.ts';

function sent(channelId: string, content: IDataObject, packageId = anyUuid): unknown {
	const messageId: unknown = expect.any(String);
	const stored: unknown = expect.objectContaining({ ...content, messageId });
	return expect.objectContaining({ messageId, packageId, channelId, content: stored });
}

/** Sending: two kinds of address, given by fields or as a whole package. */
export const sendShapes: Shape[] = [
	{
		title: 'message: send, fields, e-mail address',
		operationId: 'message.send',
		prepare(lab) {
			const channelId = lab.channelId('Support E-mail');
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
			const {
				type: _,
				to: __,
				text: ___,
				messageId,
				timestamp,
				...additional
			} = content({ email: '', text: '' });
			const own = {
				packageId: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
				correlationId: 'order-1042',
				originPackageId: '3f2504e0-4f89-41d3-9a0c-0305e82c3302',
				organizationID: organizationOf(lab, channelId),
				organizationName: 'Acme',
				accountId: lab.accountId('Acme Support'),
				accountName: 'Acme Support',
				timestamp: '2030-01-02T03:04:06.000Z',
				echoMessage: false,
				providerMetadata: { tag: 'x', nested: { list: [1, null, 'a'] } },
			};
			return {
				items: people,
				parameters: {
					resource: 'message',
					operation: 'send',
					channelId: fromList(channelId),
					toEmail: '={{ $json.email }}',
					text: '={{ $json.text }}',
					additionalFields: {
						...own,
						...additional,
						providerMetadata: JSON.stringify(own.providerMetadata),
						from: JSON.stringify(additional.from),
						quotedMessage: JSON.stringify(additional.quotedMessage),
						referralAds: JSON.stringify(additional.referralAds),
						contentMessageId: `=${messageId}{{ $json.email }}`,
						contentTimestamp: timestamp,
						toName: '={{ $json.email.slice(0, 3) }}',
					},
				},
				requests: people.map((person) => ({
					method: 'POST',
					path: '/api/v1/message/SendMessage',
					body: { ...own, channelId, content: content(person) },
				})),
				output: output(
					...people.map(({ email, text }) =>
						sent(channelId, { text, to: { type: 'EMAIL', email, name: email.slice(0, 3) } }),
					),
				),
			};
		},
	},
	{
		title: 'message: send, fields, another kind of address in rows',
		operationId: 'message.send',
		prepare(lab) {
			const channelId = lab.channelId('Support WhatsApp');
			const items = [{ phone: '+49 30 1234567' }, { phone: ' 0049 30 7654321 ' }];
			const to = ({ phone }: { phone: string }) => ({ phone, name: 'Ada', type: 'PHONE' });
			return {
				items,
				parameters: {
					resource: 'message',
					operation: 'send',
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
				requests: items.map((item) => ({
					method: 'POST',
					path: '/api/v1/message/SendMessage',
					body: { packageId: anyUuid, channelId, content: { type: 'TEXT', text: 'Hello', to: to(item) } },
				})),
				output: output(...items.map((item) => sent(channelId, { to: to(item) }))),
			};
		},
	},
	{
		title: 'message: send, fields, another kind of address in JSON',
		operationId: 'message.send',
		prepare(lab) {
			const channelId = lab.channelId('Support WhatsApp');
			const items = [{ phone: '+15550100' }, { phone: '+15550101' }];
			const to = ({ phone }: { phone: string }) => ({ phone, name: 'Ada', type: 'WHATSAPP' });
			return {
				items,
				parameters: {
					resource: 'message',
					operation: 'send',
					channelId: byId('={{ " ' + channelId + ' " }}'),
					addressType: 'other',
					toType: 'WHATSAPP',
					toFieldsMode: 'json',
					toFields: '={{ { phone: $json.phone, name: "Ada", type: "loses" } }}',
					text: '=Photo for {{ $json.phone }}',
					additionalFields: { contentType: 'IMAGE' },
				},
				requests: items.map((item) => ({
					method: 'POST',
					path: '/api/v1/message/SendMessage',
					body: {
						packageId: anyUuid,
						channelId,
						content: { type: 'IMAGE', text: `Photo for ${item.phone}`, to: to(item) },
					},
				})),
				output: output(...items.map((item) => sent(channelId, { to: to(item) }))),
			};
		},
	},
	{
		title: 'message: send, package as JSON text with its own channel',
		operationId: 'message.send',
		prepare(lab) {
			const channelId = lab.channelId('Support E-mail');
			const whole = ({ email, text }: (typeof people)[number]) => ({
				channelId,
				correlationId: email,
				content: { type: 'TEXT', text, to: { type: 'EMAIL', email } },
			});
			return {
				items: people.map((person) => ({ package: JSON.stringify(whole(person)) })),
				parameters: {
					resource: 'message',
					operation: 'send',
					// Another channel: the package's own one wins.
					channelId: byId(lab.channelId('Support WhatsApp')),
					inputMode: 'json',
					package: '={{ $json.package }}',
				},
				requests: people.map((person) => ({
					method: 'POST',
					path: '/api/v1/message/SendMessage',
					body: { packageId: anyUuid, ...whole(person) },
				})),
				output: output(...people.map(({ text }) => sent(channelId, { text }))),
			};
		},
	},
	{
		title: 'message: send, package as an object, another kind of address, channel from the locator',
		operationId: 'message.send',
		prepare(lab) {
			const channelId = lab.channelId('Support WhatsApp');
			const packages = ['+15550100', '+15550101'].map((phone) => ({
				packageId: `3f2504e0-4f89-41d3-9a0c-03050000${phone.slice(-4)}`,
				content: { type: 'TEXT', text: `to ${phone}`, to: { type: 'WHATSAPP', phone } },
			}));
			return {
				items: packages.map((item) => ({ package: item })),
				parameters: {
					resource: 'message',
					operation: 'send',
					channelId: byId(channelId),
					inputMode: 'json',
					package: '={{ $json.package }}',
				},
				requests: packages.map((item) => ({
					method: 'POST',
					path: '/api/v1/message/SendMessage',
					body: { ...item, channelId },
				})),
				output: output(
					...packages.map(({ packageId, content }) => sent(channelId, { text: content.text }, packageId)),
				),
			};
		},
	},
];
