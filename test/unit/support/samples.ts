/** UUIDs that are told apart at a glance. */
export const ids = {
	channel: 'c0c0c0c0-0000-4000-8000-000000000001',
	account: 'aaaaaaaa-0000-4000-8000-000000000002',
	organization: '0a0a0a0a-0000-4000-8000-000000000003',
	provider: 'b0b0b0b0-0000-4000-8000-000000000004',
	entry: 'e0e0e0e0-0000-4000-8000-000000000005',
	otherEntry: 'e0e0e0e0-0000-4000-8000-000000000006',
	key: 'f0f0f0f0-0000-4000-8000-000000000007',
	package: 'dadadada-0000-4000-8000-000000000008',
	feedback: 'fbfbfbfb-0000-4000-8000-000000000009',
	/** The id that a run gives to an item. */
	call: 'ca11ca11-0000-5000-8000-00000000000a',
} as const;

/** An id as a locator holds it when it was typed in or comes from an expression. */
export function byId(value: unknown) {
	return { __rl: true, mode: 'id', value };
}

/** An id as a locator holds it when it was picked from the list. */
export function fromList(value: unknown) {
	return { __rl: true, mode: 'list', value, cachedResultName: 'Support Inbox' };
}

/** Parameters by name, as one item has them. */
export type Parameters = Record<string, unknown>;

/** The least that each operation needs, by `<resource>.<operation>`. */
export const leastParameters: Record<string, Parameters> = {
	'account.create': { name: 'Support' },
	'account.getAll': {},
	'apiKey.delete': { apiKeyId: ids.key },
	'apiKey.getCurrent': {},
	'apiKey.update': { apiKeyId: ids.key, updateFields: { name: 'Orders' } },
	'channel.create': {
		name: 'Inbox',
		channelType: 'EMAIL',
		providerId: ids.provider,
		accountId: fromList(ids.account),
		parametersMode: 'json',
	},
	'channel.getAll': {},
	'channel.updateParameters': { channelId: fromList(ids.channel), parametersMode: 'json' },
	'message.delete': { channelId: fromList(ids.channel), chatId: 'chat-1', messageId: 'message-1' },
	'message.edit': {
		channelId: fromList(ids.channel),
		chatId: 'chat-1',
		messageId: 'message-1',
		newText: 'Hello again',
	},
	'message.send': { channelId: fromList(ids.channel), toEmail: 'ada@example.com', text: 'Hello' },
	'outbox.cancel': { channelId: fromList(ids.channel), entryId: ids.entry },
	'outbox.get': { channelId: fromList(ids.channel), entryId: ids.entry },
	'outbox.requeue': {
		channelId: fromList(ids.channel),
		entryIds: ids.entry,
		organizationId: ids.organization,
		accountId: fromList(ids.account),
	},
};

/** Additional fields of `send` with a value, and what each must become in the package or its content. */
export const sendExtras: ReadonlyArray<
	[name: string, given: unknown, where: 'package' | 'content', wireName: string, onWire: unknown]
> = [
	['accountId', ids.account, 'package', 'accountId', ids.account],
	['accountName', 'Acme Support', 'package', 'accountName', 'Acme Support'],
	['contentMessageId', '3EB0', 'content', 'messageId', '3EB0'],
	['contentTimestamp', '2030-07-01T12:00:00', 'content', 'timestamp', '2030-07-01T12:00:00.000+02:00'],
	['correlationId', 'order-1042', 'package', 'correlationId', 'order-1042'],
	['deliveryDeadline', '2030-01-31T09:00:00Z', 'content', 'deliveryDeadline', '2030-01-31T09:00:00.000Z'],
	['deliveryStrategy', 2, 'content', 'deliveryStrategy', 2],
	['echoMessage', true, 'package', 'echoMessage', true],
	[
		'from',
		'{"type":"EMAIL","email":"shop@example.com"}',
		'content',
		'from',
		{ type: 'EMAIL', email: 'shop@example.com' },
	],
	['isAnnounceGroup', true, 'content', 'isAnnounceGroup', true],
	['isBroadcast', false, 'content', 'isBroadcast', false],
	['isCommunityNotices', true, 'content', 'isCommunityNotices', true],
	['isForwarded', false, 'content', 'isForwarded', false],
	['isFromMe', true, 'content', 'isFromMe', true],
	['isGroupMessage', false, 'content', 'isGroupMessage', false],
	['isHistoryMessage', true, 'content', 'isHistoryMessage', true],
	['isNewsletter', false, 'content', 'isNewsletter', false],
	['isStatusMessage', true, 'content', 'isStatusMessage', true],
	['organizationID', ids.organization, 'package', 'organizationID', ids.organization],
	['organizationName', 'Acme', 'package', 'organizationName', 'Acme'],
	['originPackageId', ids.entry, 'package', 'originPackageId', ids.entry],
	['packageId', ids.package, 'package', 'packageId', ids.package],
	['priority', '-5', 'content', 'priority', -5],
	['providerMetadata', { tag: ['a', null] }, 'package', 'providerMetadata', { tag: ['a', null] }],
	[
		'quotedMessage',
		{ messageId: 'q', isStatusReply: 'false' },
		'content',
		'quotedMessage',
		{ messageId: 'q', isStatusReply: false },
	],
	[
		'referralAds',
		'{"headline":"Ad","sourceId":7}',
		'content',
		'referralAds',
		{ headline: 'Ad', sourceId: '7' },
	],
	['timestamp', '2030-01-31T09:00:00', 'package', 'timestamp', '2030-01-31T09:00:00.000+01:00'],
];

/** Everything that each operation with a body can be given. */
export const allParameters: Record<string, Parameters> = {
	'account.create': {
		...leastParameters['account.create'],
		additionalFields: { description: 'Answers customers', organizationId: ids.organization },
	},
	'apiKey.update': { apiKeyId: ids.key, updateFields: { name: 'Orders', description: 'For orders' } },
	'channel.create': {
		...leastParameters['channel.create'],
		parameters: '{"host":"mail.example.com"}',
		additionalFields: {
			description: 'Mail',
			feedbackChannelId: fromList(ids.feedback),
			channelStatusId: 3,
		},
	},
	'channel.updateParameters': {
		channelId: byId(ids.channel),
		parametersMode: 'json',
		parameters: { host: 'mail.example.com' },
	},
	'message.delete': { ...leastParameters['message.delete'], additionalFields: { correlationId: 'c-1' } },
	'message.edit': { ...leastParameters['message.edit'], additionalFields: { correlationId: 'c-1' } },
	'message.send': {
		...leastParameters['message.send'],
		additionalFields: {
			...Object.fromEntries(sendExtras.map(([name, given]) => [name, given])),
			contentType: 'TEXT',
			toName: 'Ada',
		},
	},
	'outbox.requeue': leastParameters['outbox.requeue'] ?? {},
};
