/*
 * What a deployment of the service would configure: statuses, channel types, providers. The interface shows the
 * fields of these records but no values, so all values here are made up.
 */

const holder = (
	id: number,
	name: string,
	icon: string,
	description: string,
	manages: boolean,
	sends: boolean,
) => ({
	...{ id, name, icon, description },
	canManageChildObjects: manages,
	canSendAndReceiveMessage: sends,
});

/** Status of an account or of an organization. */
export const holderStatuses = [
	holder(1, 'Active', 'check-circle', 'In normal use.', true, true),
	holder(2, 'Suspended', 'pause-circle', 'Nothing can be managed or sent.', false, false),
	holder(3, 'Read-only', 'lock', 'Messages flow, nothing can be managed.', false, true),
] as const;

/** What a channel can do in a status. */
type Ability = 'sends' | 'configures' | 'receives' | 'isDeleted' | 'ends';

const ofChannel = (id: number, name: string, icon: string, description: string, can: readonly Ability[]) => ({
	...{ channelStatusId: id, name, icon, description },
	canSendAndReceiveMessage: can.includes('sends'),
	canConfigure: can.includes('configures'),
	canReceiveInboundMessages: can.includes('receives'),
	isTerminalDeletionState: can.includes('isDeleted'),
	canBeDeprovisioned: can.includes('ends'),
});

/** Status of a channel. */
export const channelStatuses = [
	ofChannel(1, 'Active', 'check-circle', 'Sends and receives.', ['sends', 'configures', 'receives', 'ends']),
	ofChannel(2, 'Provisioning', 'clock', 'Being set up; it cannot send yet.', ['configures']),
	ofChannel(3, 'Paused', 'pause-circle', 'Receives, but does not send.', ['configures', 'receives', 'ends']),
	ofChannel(4, 'Suspended', 'ban', 'Neither sends nor receives, and cannot be configured.', ['ends']),
	ofChannel(5, 'Deleted', 'trash', 'Gone for good.', ['isDeleted']),
] as const;

/** Status of a device, cluster, message broker or database. */
export const allocatedResource = {
	resourceStatusId: 2,
	...{ name: 'Allocated', icon: 'server', description: 'In use.' },
	...{ canUse: true, isDefault: false, isAllocated: true, canDelete: false },
	...{ isTransitioning: false, canMoveOrUpgrade: true },
};

/** The names of the outbox statuses, by their numbers, and the numbers of those that the sandbox sets. */
export const outboxStatusNames = ['Unknown', 'Pending', 'Sent', 'Failed', 'Cancelled'] as const;
export const outboxStatus = { pending: 1, sent: 2, failed: 3, cancelled: 4 } as const;

const typeOf = (
	channelTypeId: number,
	key: string,
	names: readonly [name: string, icon: string, description: string],
	/** The file under `/_sandbox/schemas/` that its schema URL leads to. */
	schema: string | null,
	takes: ReadonlyArray<'feedback' | 'receiver'>,
) => ({
	...{ channelTypeId, key, schema },
	...{ name: names[0], icon: names[1], description: names[2] },
	requiredFeedbackChannel: key === 'SMS',
	canBeFeedbackChannel: takes.includes('feedback'),
	requireReceiverChannel: false,
	canBeReceiverChannel: takes.includes('receiver'),
	/** Whether messages go through the channel's outbound HTTP queue. */
	hasOutbox: key === 'HTTP',
});

/** The channel types. */
export const channelTypes = [
	typeOf(1, 'EMAIL', ['E-mail', 'mail', 'Sends and receives e-mail.'], 'email.json', [
		'feedback',
		'receiver',
	]),
	typeOf(2, 'WHATSAPP', ['WhatsApp', 'message-circle', 'A chat application.'], 'whatsapp.json', ['receiver']),
	typeOf(3, 'HTTP', ['HTTP', 'globe', 'Posts each message to an address of your own.'], 'http.json', [
		'feedback',
	]),
	// Its schema is a page for people: a schema URL need not lead to a schema.
	typeOf(4, 'SMS', ['SMS', 'smartphone', 'Text messages; replies go to the feedback channel.'], 'sms.html', [
		'receiver',
	]),
	typeOf(5, 'WEBCHAT', ['Web chat', 'layout', 'A chat window on a web page.'], null, [
		'feedback',
		'receiver',
	]),
] as const;
export type ChannelType = (typeof channelTypes)[number];

const provider = (
	key: string,
	channelTypeKey: string,
	priority: number,
	name: string,
	icon: string,
	description: string,
) => ({ key, name, description, icon, channelTypeKey, priority });

/** The providers; their ids come from the seed. */
export const providers = [
	provider('smtp-relay', 'EMAIL', 1, 'SMTP relay', 'mail', 'Any SMTP server.'),
	provider('cloud-mail', 'EMAIL', 2, 'Cloud mail', 'cloud', 'A hosted mail service.'),
	provider('whatsapp-cloud', 'WHATSAPP', 1, 'WhatsApp cloud', 'cloud', 'Hosted.'),
	provider('whatsapp-device', 'WHATSAPP', 2, 'WhatsApp device', 'smartphone', 'A device of your own.'),
	provider('http-sender', 'HTTP', 1, 'HTTP sender', 'send', 'The outbound HTTP queue.'),
	provider('sms-gateway', 'SMS', 1, 'SMS gateway', 'radio', 'A text message gateway.'),
	provider('webchat-embedded', 'WEBCHAT', 1, 'Embedded web chat', 'layout', 'Served by the service.'),
];

/** Capacities that channel types and providers report; their values are data of a deployment. */
export const capacities = {
	...{ maxConsumptionTimeSeconds: 30, maxMessages: 1000, maxConcurrentConsumers: 4 },
	...{ idleTimeoutInSeconds: 300, prefetchCount: 20 },
};

/** The status record of an account or organization. */
export const holderStatus = (id: number) => holderStatuses[id - 1] ?? holderStatuses[0];

/** The status record of a channel. */
export const channelStatus = (id: number) => channelStatuses[id - 1] ?? channelStatuses[0];

/** The channel type with this key. */
export const channelTypeByKey = (key: string): ChannelType | undefined =>
	channelTypes.find((type) => type.key === key);

/** The type of a channel. */
export const channelTypeOf = ({ channelTypeKey }: { channelTypeKey: string }): ChannelType =>
	channelTypeByKey(channelTypeKey) ?? channelTypes[0];
