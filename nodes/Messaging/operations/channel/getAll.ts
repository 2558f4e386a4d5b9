import { apiCall } from '../../service/api-call';
import { defineList } from '../list';
import { type RecordShape, topLevel } from '../presentation';

export const CHANNEL: RecordShape = {
	simple: {
		...topLevel('channelId', 'name'),
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
		...topLevel('createdAt', 'description', 'deviceRunningCount', 'feedbackChannelId'),
		feedbackChannelName: 'feedbackChannelSummary.name',
		...topLevel('organizationId', 'parameters'),
		providerId: 'provider.providerId',
		statusDescription: 'status.description',
	},
	hasCredentials: true,
};

/** Lists the channels that the key can access: GET /api/v1/Admin/Channel. */
export const getAllChannels = defineList(
	'channel',
	'List the channels that the API key reaches, with their state',
	CHANNEL,
	(query) => apiCall('get', '/api/v1/Admin/Channel', { query }),
);
