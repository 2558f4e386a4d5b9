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
	readonly [
		OperationId,
		Readonly<Record<string, readonly [value: unknown, right?: GuessedPlace | undefined]>>,
	]
> = [
	[
		'message.send',
		{
			...all(
				key,
				'sendOnlyOncePer idempotencyKey idempotency_key deduplicationKey dedupeKey dedupKey uniqueKey once',
			),
			onceKey: [key, 'options'],
			whenUnknown: ['hold', 'options'],
			...all(true, 'dryRun preview previewOnly test validateOnly'),
			...all('ZQ7', 'subject attachments html parse_mode templateId binaryPropertyName nothingLikeIt'),
			...all(
				'ZQ7',
				'fromName senderName title attachmentsUi file files media template messageType recipientType',
			),
			...all('ZQ7', 'quoteMessage reply_to_message_id to sendTo phoneNumber recipientPhoneNumber ttl'),
			...all('zq7@example.com', 'fromEmail ccEmail bccEmail ccList bccList'),
			...all('zq7@example.com', 'cc bcc replyTo'),
			...all(time, 'sendAt scheduledAt sendAfter scheduledTime expiresAt'),
			...all('https://example.com/a.png', 'mediaUrl mediaLink'),
			...all('ZQ7', 'correlationId toName contentType', 'additionalFields'),
			deliveryDeadline: [time, 'additionalFields'],
			priority: [7, 'additionalFields'],
			packageId: [ids.package, 'additionalFields'],
			quotedMessage: ['{"messageId": "ZQ7"}', 'additionalFields'],
			...all('{"ZQ7": 1}', 'otherContent providerMetadata', 'additionalFields'),
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
	[
		'apiKey.update',
		{ name: ['ZQ7'], description: ['ZQ7'], ...all({ name: 'ZQ7' }, 'fieldsToUpdate updates') },
	],
	[
		'service.request',
		{
			...all('{"z": 1}', 'bodyJson jsonBody requestBody payload json bodyParameters'),
			...all({ id: 'zzz' }, 'query queryParams qs filters'),
			...all('zzz', 'jsonQuery specifyQuery url jsonHeaders'),
			...all(true, 'sendQuery sendHeaders'),
			queryParameters: [rows, 'top'],
			queryParametersUi: [{ parameter: [{ name: 'id', value: 'zzz' }] }],
			...all({ 'X-T': 'zzz' }, 'headerParameters headers'),
			...all('DELETE', 'httpMethod requestMethod verb'),
			onceKey: [key],
		},
	],
];

/**
 * Names at the top that go out unseen: n8n hands over declared names alone, and nobody can declare all. Each of them loses
 * a wish, and none sends twice, to somebody else, to all, or without a button to decline.
 */
export const unseenAtTop: readonly string[] = ['nothingLikeIt', 'declineLabel'];

/** The same value for several names, which are right in the same place, or nowhere. */
function all(value: unknown, names: string, right?: GuessedPlace) {
	return Object.fromEntries(names.split(' ').map((name) => [name, [value, right] as const]));
}

/** What must happen: the field by whose name it is refused, by the node or by n8n, or a part of the request that leaves. */
type Ending = string | { readonly byN8n: string | RegExp } | { readonly sent: IDataObject };

const phone = { addressType: 'other', toType: 'PHONE', toEmail: '' };
const byPhone = { name: 'phone', value: '+49301' };
const remove = { method: 'DELETE' };
const [SEND, ASK, CALL] = ['message.send', 'message.sendAndWait', 'service.request'] as const;
/** It leaves with this. */
const goesOut = (sent: IDataObject) => ({ sent });
const limit = (limitWaitTime: unknown) => ({ options: { limitWaitTime } });

/** Other forms. */
export const guessedForms: ReadonlyArray<readonly [OperationId, object, Ending]> = [
	[SEND, { options: 'onceKey' }, 'Options'],
	[SEND, { options: [{ name: 'onceKey', value: 'k' }] }, 'Options'],
	[SEND, { options: '={{ $json.missing }}' }, 'Options'],
	[SEND, { options: '={{ { onceKey: "zzz" } }}' }, goesOut({ body: { content: { text: 'Hi' } } })],
	[SEND, { options: '={{ { idempotencyKey: "zzz" } }}' }, 'Options > idempotencyKey'],
	[SEND, { additionalFields: [] }, goesOut({ body: { content: { text: 'Hi' } } })],
	[
		SEND,
		{ additionalFields: '={{ { correlationId: "zzz" } }}' },
		goesOut({ body: { correlationId: 'zzz' } }),
	],
	[SEND, { additionalFields: '={{ [1] }}' }, 'Additional Fields'],
	[
		SEND,
		{ additionalFields: { values: [{ name: 'correlationId', value: 'zzz' }] } },
		'Additional Fields > values',
	],
	[SEND, { additionalFields: { otherContent: { z: 1 } } }, goesOut({ body: { content: { z: 1 } } })],
	[SEND, { updateFields: { text: 'zzz' } }, 'updateFields'],
	[SEND, { dryRun: false }, goesOut({ body: { content: { text: 'Hi' } } })],
	[SEND, { options: { dryRun: false } }, 'Options > dryRun'],
	[SEND, { addressType: 'PHONE', toEmail: '', toPhone: '+49301' }, 'Address Type'],
	[SEND, { toEmail: '', to: 'zzz@example.com' }, { byN8n: 'To Email' }],
	[SEND, { toEmail: '', email: 'zzz@example.com' }, { byN8n: 'To Email' }],
	[
		SEND,
		{ toEmail: ['zzz@example.com'] },
		goesOut({ body: { content: { to: { email: 'zzz@example.com' } } } }),
	],
	[SEND, { toEmail: ['zzz@example.com', 'ada@example.com'] }, 'To Email'],
	[SEND, { channelId: '', channel: byId(ids.channel) }, { byN8n: 'Channel' }],
	[SEND, { channelId: ids.channel }, goesOut({ body: { channelId: ids.channel } })],
	[SEND, { ...phone, toFields: { phone: '+49301' } }, 'To Fields'],
	[SEND, { ...phone, toRows: { fields: [byPhone] } }, 'To Fields'],
	[SEND, { ...phone, toRows: { values: [{ field: 'phone', value: '+49301' }] } }, 'To Fields > 1 > Name'],
	[SEND, { ...phone, toRows: [byPhone] }, 'To Fields'],
	[
		SEND,
		{ ...phone, toEmail: 'left@example.com', toRows: { values: [byPhone] } },
		goesOut({ body: { content: { to: { type: 'PHONE', phone: '+49301' } } } }),
	],
	[SEND, { inputMode: 'json' }, 'Package > content > to > email'],
	[SEND, { package: '{"content": {"text": "zzz", "to": {"email": "z@z.zz"}}}' }, 'Package'],
	['message.edit', { newText: '', text: 'zzz' }, { byN8n: 'New Text' }],
	[ASK, limit(true), 'Limit Wait Time'],
	[ASK, limit({ limit: { resumeAmount: 2 } }), 'Limit Wait Time > limit'],
	[ASK, limit({ values: { amount: 2 } }), 'Limit Wait Time > amount'],
	[ASK, limit({ values: [{ resumeAmount: 2 }] }), 'Limit Wait Time'],
	[ASK, limit({ resumeAmount: 2, resumeUnit: 'days' }), goesOut({ path: '/api/v1/message/SendMessage' })],
	[ASK, { approvalOptions: 'double' }, 'Approval Options'],
	[ASK, { approvalOptions: { type: 'double' } }, 'Approval Options > type'],
	[ASK, { approvalOptions: { values: { declineLabel: 'No' } } }, 'Approval Options > declineLabel'],
	[ASK, { approvalOptions: { values: { approvalType: 'approveAndDecline' } } }, 'Type of Approval'],
	[ASK, { responseType: 'approveDecline' }, 'Response Type'],
	[
		ASK,
		{ responseType: 'customForm', formFields: { values: [{ fieldLabel: 'Reason', type: 'text' }] } },
		'Form Elements > 1 > type',
	],
	['channel.getAll', { options: { queryParameters: { id: 'zzz' } } }, 'Query Parameters > id'],
	['channel.create', { parametersMode: 'form' }, 'Parameters'],
	['channel.create', { parameters: { host: 'zzz' } }, goesOut({ body: { parameters: { host: 'zzz' } } })],
	['channel.updateParameters', { parametersMode: 'form' }, 'Parameters'],
	['apiKey.update', { updateFields: { fields: [{ name: 'ZQ7' }] } }, 'Update Fields > fields'],
	['outbox.requeue', { entryIds: '', entryId: ids.entry }, { byN8n: 'Entry IDs' }],
	['outbox.requeue', { entryIds: [ids.entry] }, goesOut({ body: { ids: [ids.entry] } })],
	[CALL, { body: '{"z": 1}' }, 'Body'],
	[CALL, { path: '', endpoint: '/api/v1/x' }, { byN8n: 'Path' }],
	[CALL, { path: '/api/v1/x?id=zzz' }, 'Path'],
	[CALL, { method: 'delete' }, 'Method'],
	[CALL, { ...remove, queryParameters: { id: 'zzz' } }, 'Query Parameters > id'],
	[CALL, { ...remove, queryParameters: '{"id": "zzz"}' }, 'Query Parameters'],
	[CALL, { ...remove, queryParameters: [{ name: 'id', value: 'zzz' }] }, 'Query Parameters'],
	[CALL, { ...remove, queryParameters: { values: rows.parameters } }, 'Query Parameters > values'],
	[
		CALL,
		{ ...remove, queryParameters: { parameters: [{ key: 'id', value: 'zzz' }] } },
		'Query Parameters > 1 > key',
	],
	// n8n itself fails on a single row without a list, before it starts the node.
	[CALL, { queryParameters: { parameters: rows.parameters[0] } }, { byN8n: /not iterable/ }],
];
