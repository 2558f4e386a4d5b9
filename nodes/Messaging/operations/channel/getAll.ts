import { apiCall } from '../../service/api-call';
import { compileList, listOperationFields } from '../list-output';
import { defineOperation } from '../operation';
import type { RecordShape } from '../presentation';

/** A channel, as the service returns it. */
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
	masked: ['parameters'],
} as const satisfies RecordShape;

/** Lists the channels that the key can access: GET /api/v1/Admin/Channel. */
export const getAllChannels = defineOperation({
	resource: 'channel',
	name: 'getAll',
	displayName: 'Get Many',
	action: 'Get many channels',
	description: 'List the channels that the API key reaches, with their state',
	effect: 'reads',
	fields: listOperationFields(CHANNEL),
	compile: (input) =>
		compileList(input, CHANNEL, (query) => apiCall('get', '/api/v1/Admin/Channel', { query })),
});
