/** The fields of each simplified record, the most useful first: at most ten, flat, never a token. */

/** Where the fields of a simplified account stand in the raw one. */
export const SIMPLE_ACCOUNT = {
	accountId: 'accountId',
	name: 'name',
	description: 'description',
	status: 'status.name',
	organizationId: 'organization.organizationId',
	organizationName: 'organization.name',
	channelCount: 'channelCount',
	channelConnectedCount: 'channelConnectedCount',
	apiKeyCount: 'apiKeyCount',
	createdAt: 'createdAt',
} as const;

/** Where the fields of a simplified channel stand in the raw one. */
export const SIMPLE_CHANNEL = {
	channelId: 'channelId',
	name: 'name',
	channelType: 'channelType.name',
	provider: 'provider.name',
	isConnected: 'isConnected',
	status: 'status.name',
	canSendAndReceiveMessage: 'status.canSendAndReceiveMessage',
	accountId: 'accountId',
	accountName: 'account.name',
	stateUpdatedAt: 'stateUpdatedAt',
} as const;

/** Where the fields of a simplified outbox entry stand in the raw one. */
export const SIMPLE_OUTBOX_ENTRY = {
	httpSenderOutboxEntryId: 'httpSenderOutboxEntryId',
	statusName: 'statusName',
	channelId: 'channelId',
	retryCount: 'retryCount',
	responseStatusCode: 'responseStatusCode',
	responseBody: 'responseBody',
	correlationId: 'correlationId',
	createdAt: 'createdAt',
	sentAt: 'sentAt',
	failedAt: 'failedAt',
} as const;
