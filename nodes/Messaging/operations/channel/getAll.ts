import { includeToken } from '../../fields/options';
import { defineList } from '../list';
import { type RecordShape, topLevel } from '../records';

export const CHANNEL: RecordShape = {
	...topLevel('channelId', 'name'),
	channelType: 'channelType.name',
	provider: 'provider.name',
	isConnected: 'isConnected',
	status: 'status.name',
	canSendAndReceiveMessage: 'status.canSendAndReceiveMessage',
	accountId: 'accountId',
	accountName: 'account.name',
	stateUpdatedAt: 'stateUpdatedAt',
};

/** Lists the channels that the key can access: GET /api/v1/Admin/Channel. */
export const getAllChannels = defineList(
	'channel',
	'List the channels that the API key reaches, with their state',
	CHANNEL,
	[includeToken],
);
