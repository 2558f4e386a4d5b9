/**
 * Names and forms as language models and hurried people write them, each in a node that is otherwise right, and what must
 * happen: it goes out as meant, or it is refused by name. Nothing of it may be dropped without a word.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { OperationId } from './case.mts';
import { byId, ids } from './values.mts';

const byName = (value: string) => ({ __rl: true, mode: 'name', value });

/** What an operation needs for these guesses. The message that came in is one to answer. */
export const enough: Partial<Record<OperationId, INodeParameters>> = {
	'message.send': { channelId: byId(ids.channel), toEmail: 'ada@example.com', text: 'Hi' },
	'message.sendAndWait': { channelId: byId(ids.channel), toEmail: 'ada@example.com', message: 'Yes?' },
	'message.reply': {
		incoming: JSON.stringify({
			channelId: ids.channel,
			content: {
				type: 'TEXT',
				text: '?',
				messageId: 'm1',
				from: { type: 'EMAIL', email: 'ada@example.com' },
			},
		}),
		text: 'Hi',
	},
	'message.edit': { channelId: byId(ids.channel), chatId: 'c1', messageId: 'm1', newText: 'Hi' },
	'account.create': { name: 'Acme' },
	'account.getAll': { returnAll: true },
	'channel.getAll': { returnAll: true },
	'channel.create': {
		name: 'Mail',
		channelType: byName('EMAIL'),
		providerId: byId(ids.provider),
		accountId: byId(ids.account),
		parametersMode: 'json',
		parameters: '{"host": "h"}',
	},
	'channel.updateParameters': {
		channelId: byId(ids.channel),
		parametersMode: 'json',
		parameters: '{"host": "h"}',
	},
	'apiKey.update': { apiKeyId: ids.key, updateFields: { description: 'Orders' } },
	'outbox.requeue': {
		channelId: byId(ids.channel),
		organizationId: ids.organization,
		accountId: byId(ids.account),
		entryIds: ids.entry,
	},
	'service.request': { method: 'POST', path: '/api/v1/x' },
};

/** Where a name may be written. */
export type GuessedPlace = 'top' | 'options' | 'additionalFields' | 'rareFields';

const key = '={{ $json.id }}';
const time = '2040-03-04T05:06:07Z';
const rows = { parameters: [{ name: 'id', value: 'zzz' }] };

/** Names that are tried at the top and in each collection: their values, and where they are right. */
export const guessedNames: ReadonlyArray<
	readonly [OperationId, Readonly<Record<string, readonly [value: unknown, right?: GuessedPlace]>>]
> = [
	[
		'message.send',
		{
			...all(key, 'sendOnlyOncePer idempotencyKey idempotency_key deduplicationKey dedupeKey uniqueKey once'),
			onceKey: [key, 'options'],
			whenUnknown: ['hold', 'options'],
			...all('ZQ7', 'subject attachments html parse_mode templateId binaryPropertyName nothingLikeIt'),
			...all('zq7@example.com', 'cc bcc replyTo'),
			...all(time, 'sendAt scheduledAt'),
			...all('https://example.com/a.png', 'mediaUrl'),
			correlationId: ['ZQ7', 'additionalFields'],
			deliveryDeadline: [time, 'additionalFields'],
			priority: [7, 'additionalFields'],
			toName: ['ZQ7', 'additionalFields'],
			packageId: [ids.package, 'additionalFields'],
			contentType: ['ZQ7', 'additionalFields'],
			quotedMessage: ['{"messageId": "ZQ7"}', 'additionalFields'],
			otherContent: ['{"ZQ7": 1}', 'additionalFields'],
			providerMetadata: ['{"ZQ7": 1}', 'additionalFields'],
			from: ['{"type": "EMAIL", "email": "zq7@example.com"}', 'additionalFields'],
			isForwarded: [true, 'rareFields'],
			contentTimestamp: [time, 'rareFields'],
			accountName: ['ZQ7', 'rareFields'],
			limitWaitTime: [{ values: { resumeAmount: 2 } }],
			chatId: ['c1'],
			messageId: ['m1'],
		},
	],
	[
		'message.sendAndWait',
		{
			limitWaitTime: [{ values: { resumeAmount: 2, resumeUnit: 'days' } }, 'options'],
			approvalOptions: [{ values: { approvalType: 'double' } }, 'top'],
			...all('double', 'approvalType'),
			...all(2, 'resumeAmount timeoutHours waitLimit'),
			...all('ZQ7', 'subject correlationId declineLabel'),
			deliveryDeadline: [time],
		},
	],
	[
		'message.reply',
		{
			answerOnce: [true, 'top'],
			onceKey: [key, 'options'],
			quote: [true, 'top'],
			...all(true, 'answerEachMessageOnce replyOnce'),
			...all('ZQ7', 'replyToMessageId toEmail'),
			correlationId: ['ZQ7', 'additionalFields'],
			isForwarded: [true, 'rareFields'],
			originPackageId: [ids.package],
		},
	],
	['message.edit', { correlationId: ['ZQ7', 'additionalFields'], onceKey: [key] }],
	[
		'account.create',
		{
			onceKey: [key, 'options'],
			...all(key, 'sendOnlyOncePer createOnlyOncePer'),
			description: ['ZQ7', 'additionalFields'],
			organizationId: [ids.organization, 'additionalFields'],
			...all('ZQ7', 'accountName'),
		},
	],
	[
		'account.getAll',
		{ nameContains: ['ZQ7', 'options'], accountId: [byId(ids.account)], filters: [{ name: 'ZQ7' }] },
	],
	[
		'channel.getAll',
		{
			nameContains: ['ZQ7', 'options'],
			queryParameters: [rows, 'options'],
			limit: [1, 'top'],
			...all('ZQ7', 'search filter name'),
			filters: [{ name: 'ZQ7' }],
			accountId: [byId(ids.account)],
			channelId: [byId(ids.channel)],
			channelType: [byName('EMAIL')],
		},
	],
	[
		'channel.create',
		{
			description: ['ZQ7', 'additionalFields'],
			feedbackChannelId: [byId(ids.channel), 'additionalFields'],
			onceKey: [key, 'options'],
		},
	],
	[
		'channel.updateParameters',
		{ channelParameters: ['{"host": "zzz"}'], parameters: ['{"host": "zzz"}', 'top'] },
	],
	['apiKey.update', { name: ['ZQ7'], description: ['ZQ7'], fieldsToUpdate: [{ name: 'ZQ7' }] }],
	['outbox.requeue', { grouping: ['perItem', 'options'] }],
	[
		'service.request',
		{
			...all('{"z": 1}', 'bodyJson jsonBody requestBody payload json bodyParameters'),
			...all({ id: 'zzz' }, 'query queryParams qs filters'),
			queryParameters: [rows, 'top'],
			queryParametersUi: [{ parameter: [{ name: 'id', value: 'zzz' }] }],
			...all({ 'X-T': 'zzz' }, 'headerParameters headers'),
			...all('DELETE', 'httpMethod requestMethod'),
			onceKey: [key],
		},
	],
];

/**
 * Names at the top that go out unseen: n8n hands over declared names alone, and nobody can declare all. Each of them loses
 * a wish, and none sends twice, to somebody else, to all, or without a button to decline.
 */
export const unseenAtTop: readonly string[] = ['nothingLikeIt', 'declineLabel'];

/** The same value for several names, which are right nowhere. */
function all(value: unknown, names: string): Record<string, readonly [unknown]> {
	return Object.fromEntries(names.split(' ').map((name) => [name, [value] as const]));
}

/** What must happen: the field by whose name it is refused, by the node or by n8n, or a part of the request that leaves. */
type Ending = string | { readonly byN8n: string | RegExp } | { readonly sent: IDataObject };

const phone = { addressType: 'other', toType: 'PHONE', toEmail: '' };
const limit = (limitWaitTime: unknown) => ({ options: { limitWaitTime } });

/** Other forms. */
export const guessedForms: ReadonlyArray<readonly [OperationId, object, Ending]> = [
	['message.send', { options: 'onceKey' }, 'Options'],
	['message.send', { options: [{ name: 'onceKey', value: 'k' }] }, 'Options'],
	['message.send', { options: '={{ $json.missing }}' }, 'Options'],
	['message.send', { options: '={{ { onceKey: "zzz" } }}' }, { sent: { body: { content: { text: 'Hi' } } } }],
	['message.send', { options: '={{ { idempotencyKey: "zzz" } }}' }, 'Options > idempotencyKey'],
	['message.send', { additionalFields: [] }, { sent: { body: { content: { text: 'Hi' } } } }],
	[
		'message.send',
		{ additionalFields: '={{ { correlationId: "zzz" } }}' },
		{ sent: { body: { correlationId: 'zzz' } } },
	],
	['message.send', { additionalFields: '={{ [1] }}' }, 'Additional Fields'],
	[
		'message.send',
		{ additionalFields: { values: [{ name: 'correlationId', value: 'zzz' }] } },
		'Additional Fields > values',
	],
	[
		'message.send',
		{ additionalFields: { otherContent: { z: 1 } } },
		{ sent: { body: { content: { z: 1 } } } },
	],
	['message.send', { updateFields: { text: 'zzz' } }, 'updateFields'],
	['message.send', { addressType: 'PHONE', toEmail: '', toPhone: '+49301' }, 'Address Type'],
	['message.send', { toEmail: '', to: 'zzz@example.com' }, { byN8n: 'To Email' }],
	['message.send', { toEmail: '', email: 'zzz@example.com' }, { byN8n: 'To Email' }],
	['message.send', { toEmail: ['zzz@example.com'] }, 'To Email'],
	['message.send', { channelId: '', channel: byId(ids.channel) }, { byN8n: 'Channel' }],
	['message.send', { channelId: ids.channel }, { sent: { body: { channelId: ids.channel } } }],
	['message.send', { ...phone, toFields: { phone: '+49301' } }, 'To Fields'],
	[
		'message.send',
		{ ...phone, toRows: { fields: [{ name: 'phone', value: '+49301' }] } },
		'To Fields > fields',
	],
	[
		'message.send',
		{ ...phone, toRows: { values: [{ field: 'phone', value: '+49301' }] } },
		'To Fields > 1 > field',
	],
	['message.send', { ...phone, toRows: [{ name: 'phone', value: '+49301' }] }, 'To Fields'],
	[
		'message.send',
		{ ...phone, toEmail: 'left@example.com', toRows: { values: [{ name: 'phone', value: '+49301' }] } },
		{ sent: { body: { content: { to: { type: 'PHONE', phone: '+49301' } } } } },
	],
	['message.send', { inputMode: 'json' }, 'Package > content > to > email'],
	['message.send', { package: '{"content": {"text": "zzz", "to": {"email": "z@z.zz"}}}' }, 'Package'],
	['message.edit', { newText: '', text: 'zzz' }, { byN8n: 'New Text' }],
	['message.sendAndWait', limit(true), 'Limit Wait Time'],
	['message.sendAndWait', limit({ limit: { resumeAmount: 2 } }), 'Limit Wait Time > limit'],
	['message.sendAndWait', limit({ values: { amount: 2 } }), 'Limit Wait Time > amount'],
	['message.sendAndWait', limit({ values: [{ resumeAmount: 2 }] }), 'Limit Wait Time'],
	[
		'message.sendAndWait',
		limit({ resumeAmount: 2, resumeUnit: 'days' }),
		{ sent: { path: '/api/v1/message/SendMessage' } },
	],
	['message.sendAndWait', { approvalOptions: 'double' }, 'Approval Options'],
	['message.sendAndWait', { approvalOptions: { type: 'double' } }, 'Approval Options > type'],
	[
		'message.sendAndWait',
		{ approvalOptions: { values: { declineLabel: 'No' } } },
		'Approval Options > declineLabel',
	],
	[
		'message.sendAndWait',
		{ approvalOptions: { values: { approvalType: 'approveAndDecline' } } },
		'Type of Approval',
	],
	['message.sendAndWait', { responseType: 'approveDecline' }, 'Response Type'],
	[
		'message.sendAndWait',
		{ responseType: 'customForm', formFields: { values: [{ fieldLabel: 'Reason', type: 'text' }] } },
		'Form Elements > 1 > type',
	],
	['channel.getAll', { options: { queryParameters: { id: 'zzz' } } }, 'Query Parameters > id'],
	['channel.create', { parametersMode: 'form' }, 'Parameters'],
	['channel.create', { parameters: { host: 'zzz' } }, { sent: { body: { parameters: { host: 'zzz' } } } }],
	['channel.updateParameters', { parametersMode: 'form' }, 'Parameters'],
	['apiKey.update', { updateFields: { fields: [{ name: 'ZQ7' }] } }, 'Update Fields > fields'],
	['outbox.requeue', { entryIds: '', entryId: ids.entry }, { byN8n: 'Entry IDs' }],
	['outbox.requeue', { entryIds: [ids.entry] }, { sent: { body: { ids: [ids.entry] } } }],
	['service.request', { body: '{"z": 1}' }, 'Body'],
	['service.request', { path: '', endpoint: '/api/v1/x' }, { byN8n: 'Path' }],
	['service.request', { path: '/api/v1/x?id=zzz' }, 'Path'],
	['service.request', { method: 'delete' }, 'Method'],
	['service.request', { method: 'DELETE', queryParameters: { id: 'zzz' } }, 'Query Parameters > id'],
	['service.request', { method: 'DELETE', queryParameters: '{"id": "zzz"}' }, 'Query Parameters'],
	[
		'service.request',
		{ method: 'DELETE', queryParameters: [{ name: 'id', value: 'zzz' }] },
		'Query Parameters',
	],
	[
		'service.request',
		{ method: 'DELETE', queryParameters: { values: rows.parameters } },
		'Query Parameters > values',
	],
	[
		'service.request',
		{ method: 'DELETE', queryParameters: { parameters: [{ key: 'id', value: 'zzz' }] } },
		'Query Parameters > 1 > key',
	],
	// n8n itself fails on a single row without a list, before it starts the node.
	['service.request', { queryParameters: { parameters: rows.parameters[0] } }, { byN8n: /not iterable/ }],
];
