/*
 * What a deployment of the service would configure: statuses, channel types, providers. The interface shows the
 * fields of these records but no values, so all values here are made up.
 */

/** Status of an account or of an organization. */
export const holderStatuses = [
	{
		id: 1,
		name: 'Active',
		icon: 'check-circle',
		description: 'In normal use.',
		canManageChildObjects: true,
		canSendAndReceiveMessage: true,
	},
	{
		id: 2,
		name: 'Suspended',
		icon: 'pause-circle',
		description: 'Nothing can be managed or sent.',
		canManageChildObjects: false,
		canSendAndReceiveMessage: false,
	},
	{
		id: 3,
		name: 'Read-only',
		icon: 'lock',
		description: 'Messages flow, nothing can be managed.',
		canManageChildObjects: false,
		canSendAndReceiveMessage: true,
	},
] as const;

/** Status of a channel. */
export const channelStatuses = [
	{
		channelStatusId: 1,
		name: 'Active',
		icon: 'check-circle',
		description: 'Sends and receives.',
		canSendAndReceiveMessage: true,
		canConfigure: true,
		canReceiveInboundMessages: true,
		isTerminalDeletionState: false,
		canBeDeprovisioned: true,
	},
	{
		channelStatusId: 2,
		name: 'Provisioning',
		icon: 'clock',
		description: 'Being set up; it cannot send yet.',
		canSendAndReceiveMessage: false,
		canConfigure: true,
		canReceiveInboundMessages: false,
		isTerminalDeletionState: false,
		canBeDeprovisioned: false,
	},
	{
		channelStatusId: 3,
		name: 'Paused',
		icon: 'pause-circle',
		description: 'Receives, but does not send.',
		canSendAndReceiveMessage: false,
		canConfigure: true,
		canReceiveInboundMessages: true,
		isTerminalDeletionState: false,
		canBeDeprovisioned: true,
	},
	{
		channelStatusId: 4,
		name: 'Suspended',
		icon: 'ban',
		description: 'Neither sends nor receives, and cannot be configured.',
		canSendAndReceiveMessage: false,
		canConfigure: false,
		canReceiveInboundMessages: false,
		isTerminalDeletionState: false,
		canBeDeprovisioned: true,
	},
	{
		channelStatusId: 5,
		name: 'Deleted',
		icon: 'trash',
		description: 'Gone for good.',
		canSendAndReceiveMessage: false,
		canConfigure: false,
		canReceiveInboundMessages: false,
		isTerminalDeletionState: true,
		canBeDeprovisioned: false,
	},
] as const;

/** Status of a device, cluster, message broker or database. */
export const allocatedResource = {
	resourceStatusId: 2,
	name: 'Allocated',
	icon: 'server',
	description: 'In use.',
	canUse: true,
	isDefault: false,
	isAllocated: true,
	canDelete: false,
	isTransitioning: false,
	canMoveOrUpgrade: true,
};

/** Status of an outbox entry: the numbers and names that entries carry. */
export const outboxStatus = { pending: 1, sent: 2, failed: 3, cancelled: 4 } as const;

/** The name of an outbox status. */
export const outboxStatusNames: Readonly<Record<number, string>> = {
	[outboxStatus.pending]: 'Pending',
	[outboxStatus.sent]: 'Sent',
	[outboxStatus.failed]: 'Failed',
	[outboxStatus.cancelled]: 'Cancelled',
};

/** A channel type; `schema` is the file name under `/_sandbox/schemas/` that its schema URL leads to. */
export interface CatalogChannelType {
	channelTypeId: number;
	key: string;
	name: string;
	description: string;
	icon: string;
	schema: string | null;
	requiredFeedbackChannel: boolean;
	canBeFeedbackChannel: boolean;
	requireReceiverChannel: boolean;
	canBeReceiverChannel: boolean;
	/** Whether messages go through the channel's outbound HTTP queue. */
	hasOutbox: boolean;
}

/** The channel types. */
export const channelTypes: readonly [CatalogChannelType, ...CatalogChannelType[]] = [
	{
		channelTypeId: 1,
		key: 'EMAIL',
		name: 'E-mail',
		description: 'Sends and receives e-mail.',
		icon: 'mail',
		schema: 'email.json',
		requiredFeedbackChannel: false,
		canBeFeedbackChannel: true,
		requireReceiverChannel: false,
		canBeReceiverChannel: true,
		hasOutbox: false,
	},
	{
		channelTypeId: 2,
		key: 'WHATSAPP',
		name: 'WhatsApp',
		description: 'A chat application.',
		icon: 'message-circle',
		schema: 'whatsapp.json',
		requiredFeedbackChannel: false,
		canBeFeedbackChannel: false,
		requireReceiverChannel: false,
		canBeReceiverChannel: true,
		hasOutbox: false,
	},
	{
		channelTypeId: 3,
		key: 'HTTP',
		name: 'HTTP',
		description: 'Posts each message to an address of your own.',
		icon: 'globe',
		schema: 'http.json',
		requiredFeedbackChannel: false,
		canBeFeedbackChannel: true,
		requireReceiverChannel: false,
		canBeReceiverChannel: false,
		hasOutbox: true,
	},
	{
		channelTypeId: 4,
		key: 'SMS',
		name: 'SMS',
		description: 'Text messages; replies go to the feedback channel.',
		icon: 'smartphone',
		// A page for people: a schema URL need not lead to a schema.
		schema: 'sms.html',
		requiredFeedbackChannel: true,
		canBeFeedbackChannel: false,
		requireReceiverChannel: false,
		canBeReceiverChannel: true,
		hasOutbox: false,
	},
	{
		channelTypeId: 5,
		key: 'WEBCHAT',
		name: 'Web chat',
		description: 'A chat window on a web page.',
		icon: 'layout',
		schema: null,
		requiredFeedbackChannel: false,
		canBeFeedbackChannel: true,
		requireReceiverChannel: false,
		canBeReceiverChannel: true,
		hasOutbox: false,
	},
];

/** A provider; its id comes from the seed. */
export interface CatalogProvider {
	key: string;
	name: string;
	description: string;
	icon: string;
	channelTypeKey: string;
	priority: number;
}

/** The providers. */
export const providers: readonly CatalogProvider[] = [
	{
		key: 'smtp-relay',
		name: 'SMTP relay',
		description: 'Any SMTP server.',
		icon: 'mail',
		channelTypeKey: 'EMAIL',
		priority: 1,
	},
	{
		key: 'cloud-mail',
		name: 'Cloud mail',
		description: 'A hosted mail service.',
		icon: 'cloud',
		channelTypeKey: 'EMAIL',
		priority: 2,
	},
	{
		key: 'whatsapp-cloud',
		name: 'WhatsApp cloud',
		description: 'Hosted.',
		icon: 'cloud',
		channelTypeKey: 'WHATSAPP',
		priority: 1,
	},
	{
		key: 'whatsapp-device',
		name: 'WhatsApp device',
		description: 'A device of your own.',
		icon: 'smartphone',
		channelTypeKey: 'WHATSAPP',
		priority: 2,
	},
	{
		key: 'http-sender',
		name: 'HTTP sender',
		description: 'The outbound HTTP queue.',
		icon: 'send',
		channelTypeKey: 'HTTP',
		priority: 1,
	},
	{
		key: 'sms-gateway',
		name: 'SMS gateway',
		description: 'A text message gateway.',
		icon: 'radio',
		channelTypeKey: 'SMS',
		priority: 1,
	},
	{
		key: 'webchat-embedded',
		name: 'Embedded web chat',
		description: 'Served by the service.',
		icon: 'layout',
		channelTypeKey: 'WEBCHAT',
		priority: 1,
	},
];

/** Capacities that channel types and providers report; their values are data of a deployment. */
export const capacities = {
	maxConsumptionTimeSeconds: 30,
	maxMessages: 1000,
	maxConcurrentConsumers: 4,
	idleTimeoutInSeconds: 300,
	prefetchCount: 20,
};
