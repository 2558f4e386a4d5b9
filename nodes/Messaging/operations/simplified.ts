/** What of a record is worth showing, and where it stands in the record as the service returns it. */
export interface RecordShape {
	/** The field that is always shown. */
	readonly id: string;
	/** The simplified record: at most ten flat fields, the most useful first, never a token. */
	readonly simple: Readonly<Record<string, string>>;
	/** Further fields that may be selected one by one. */
	readonly more: Readonly<Record<string, string>>;
}

export const ACCOUNT = {
	id: 'accountId',
	simple: {
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
	},
	more: {
		canSendAndReceiveMessage: 'status.canSendAndReceiveMessage',
		canManageChildObjects: 'status.canManageChildObjects',
		deviceRunningCount: 'deviceRunningCount',
		financialManagerCount: 'financialManagerCount',
	},
} as const satisfies RecordShape;

export const CHANNEL = {
	id: 'channelId',
	simple: {
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
	},
	more: {
		channelTypeKey: 'channelType.key',
		createdAt: 'createdAt',
		description: 'description',
		deviceRunningCount: 'deviceRunningCount',
		feedbackChannelId: 'feedbackChannelId',
		feedbackChannelName: 'feedbackChannelSummary.name',
		organizationId: 'organizationId',
		parameters: 'parameters',
		providerId: 'provider.providerId',
		statusDescription: 'status.description',
	},
} as const satisfies RecordShape;

export const OUTBOX_ENTRY = {
	id: 'httpSenderOutboxEntryId',
	simple: {
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
	},
	more: {
		accountId: 'accountId',
		channelType: 'channelType',
		contentType: 'contentType',
		lastRetryAt: 'lastRetryAt',
		organizationId: 'organizationId',
		priority: 'priority',
		provider: 'provider',
		requestMetamodel: 'requestMetamodel',
		traceParent: 'traceParent',
		url: 'url',
	},
} as const satisfies RecordShape;

/** Where the fields of a simplified API key stand in the raw one. */
export const SIMPLE_API_KEY = {
	apiKeyId: 'id',
	name: 'name',
	type: 'type',
	accountId: 'accountId',
	accountName: 'account.name',
	organizationId: 'organizationId',
	planLimit: 'resourcePlan.limit',
	planSeconds: 'resourcePlan.seconds',
	description: 'description',
	createdAt: 'createdAt',
} as const;
