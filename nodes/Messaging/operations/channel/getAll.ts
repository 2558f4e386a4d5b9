import { apiCall } from '../../service/api-call';
import { compileList, listOperationFields } from '../list-output';
import { defineOperation } from '../operation';
import { CHANNEL } from '../simplified';

/** Lists the channels that the key reaches: GET /api/v1/Admin/Channel. */
export const getAllChannels = defineOperation({
	resource: 'channel',
	name: 'getAll',
	displayName: 'Get Many',
	action: 'Get many channels',
	description: 'List the channels that the API key reaches, with their state',
	fields: listOperationFields(CHANNEL),
	compile: (input) =>
		compileList(input, CHANNEL, (query) => apiCall('get', '/api/v1/Admin/Channel', { query })),
});
