import { textAt, valueAt } from '../shared/json';

/** A channel as its record in the service's list shows it. Text that the record lacks is '', all else null. */
export type ChannelRecord = NonNullable<ReturnType<typeof channelIn>>;

/** Reads the record of a channel; `undefined` without a channel ID. Any other field may be missing or null. */
export function channelIn(record: unknown) {
	const id = textAt(record, 'channelId');
	if (id === '') return undefined;
	const flagAt = (path: string): boolean | null => {
		const flag = valueAt(record, path);
		return typeof flag === 'boolean' ? flag : null;
	};
	const statusId = valueAt(record, 'status.channelStatusId');
	const hasNoFeedback = valueAt(record, 'feedbackChannelId') === null;
	return {
		/** As the service spells it. */
		id,
		name: textAt(record, 'name'),
		type: {
			key: textAt(record, 'channelType.key') || textAt(record, 'provider.channelTypeKey'),
			name: textAt(record, 'channelType.name') || textAt(record, 'provider.channelTypeName'),
			schemaUrl: textAt(record, 'channelType.configurationSchemaUrl'),
		},
		provider: { id: textAt(record, 'provider.providerId'), name: textAt(record, 'provider.name') },
		account: {
			id: textAt(record, 'accountId') || textAt(record, 'account.accountId'),
			name: textAt(record, 'account.name'),
		},
		status: { id: typeof statusId === 'number' ? statusId : null, name: textAt(record, 'status.name') },
		isConnected: flagAt('isConnected'),
		/** Whether it is permanently deleted. */
		isDeleted: flagAt('status.isTerminalDeletionState') === true,
		/** What the record does not show is allowed. */
		canSend: ![
			flagAt('status.canSendAndReceiveMessage'),
			flagAt('account.status.canSendAndReceiveMessage'),
		].includes(false),
		canBeFeedbackChannel: flagAt('channelType.canBeFeedbackChannel') !== false,
		/** '' without a feedback channel. */
		feedbackChannelId: hasNoFeedback ? '' : textAt(record, 'feedbackChannelId') || null,
		createdAt: textAt(record, 'createdAt'),
		stateUpdatedAt: textAt(record, 'stateUpdatedAt'),
	};
}
