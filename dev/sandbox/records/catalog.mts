/*
 * What a deployment of the service would configure: statuses, channel types, providers. The interface shows the
 * fields of these records but no values, so all values here are made up.
 */

/** The status of each account and organization: no call of the interface changes it. */
export const holderStatus = {
	name: 'Active',
	description: 'In normal use.',
	canManageChildObjects: true,
	canSendAndReceiveMessage: true,
};

/** What a channel can do in a status. */
type Ability = 'sends' | 'configures' | 'receives' | 'isDeleted';

const ofChannel = (channelStatusId: number, name: string, description: string, can: readonly Ability[]) => ({
	...{ channelStatusId, name, description },
	canSendAndReceiveMessage: can.includes('sends'),
	canConfigure: can.includes('configures'),
	canReceiveInboundMessages: can.includes('receives'),
	isTerminalDeletionState: can.includes('isDeleted'),
});

/** Status of a channel. */
export const channelStatuses = [
	ofChannel(1, 'Active', 'Sends and receives.', ['sends', 'configures', 'receives']),
	ofChannel(2, 'Provisioning', 'Being set up; it cannot send yet.', ['configures']),
	ofChannel(3, 'Paused', 'Receives, but does not send.', ['configures', 'receives']),
	ofChannel(4, 'Suspended', 'Neither sends nor receives, and cannot be configured.', []),
	ofChannel(5, 'Deleted', 'Gone for good.', ['isDeleted']),
] as const;

/** The names of the outbox statuses, by their numbers, and the numbers of those that the sandbox sets. */
export const outboxStatusNames = ['Unknown', 'Pending', 'Sent', 'Failed', 'Cancelled'] as const;
export const outboxStatus = { pending: 1, sent: 2, failed: 3, cancelled: 4 } as const;

const typeOf = (
	channelTypeId: number,
	key: string,
	name: string,
	/** The file under `/_sandbox/schemas/` that its schema URL leads to. */
	schema: string | null,
	canBeFeedbackChannel: boolean,
) => ({
	...{ channelTypeId, key, name, schema, canBeFeedbackChannel },
	requiredFeedbackChannel: key === 'SMS',
	/** Whether messages go through the channel's outbound HTTP queue. */
	hasOutbox: key === 'HTTP',
});

/** The channel types. */
export const channelTypes = [
	typeOf(1, 'EMAIL', 'E-mail', 'email.json', true),
	typeOf(2, 'WHATSAPP', 'WhatsApp', 'whatsapp.json', false),
	typeOf(3, 'HTTP', 'HTTP', 'http.json', true),
	// Its schema is a page for people: a schema URL need not lead to a schema.
	typeOf(4, 'SMS', 'SMS', 'sms.html', false),
	typeOf(5, 'WEBCHAT', 'Web chat', null, true),
] as const;
export type ChannelType = (typeof channelTypes)[number];

/** The providers; their ids come from the seed. */
export const providers = [
	{ key: 'smtp-relay', channelTypeKey: 'EMAIL', name: 'SMTP relay' },
	{ key: 'cloud-mail', channelTypeKey: 'EMAIL', name: 'Cloud mail' },
	{ key: 'whatsapp-cloud', channelTypeKey: 'WHATSAPP', name: 'WhatsApp cloud' },
	{ key: 'whatsapp-device', channelTypeKey: 'WHATSAPP', name: 'WhatsApp device' },
	{ key: 'http-sender', channelTypeKey: 'HTTP', name: 'HTTP sender' },
	{ key: 'sms-gateway', channelTypeKey: 'SMS', name: 'SMS gateway' },
	{ key: 'webchat-embedded', channelTypeKey: 'WEBCHAT', name: 'Embedded web chat' },
];

/** The status record of a channel. */
export const channelStatus = (id: number) => channelStatuses[id - 1] ?? channelStatuses[0];

/** The channel type with this key. */
export const channelTypeByKey = (key: string): ChannelType | undefined =>
	channelTypes.find((type) => type.key === key);

/** The type of a channel. */
export const channelTypeOf = ({ channelTypeKey }: { channelTypeKey: string }): ChannelType =>
	channelTypeByKey(channelTypeKey) ?? channelTypes[0];
