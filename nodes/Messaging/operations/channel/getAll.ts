import { apiCall } from '../../service/api-call';
import { compileList, listOperationFields, listOutput } from '../list-output';
import { defineOperation } from '../../contract/any-operation';
import { CHANNEL } from '../simplified';

/** Lists the channels that the key reaches: GET /api/v1/Admin/Channel. */
export const getAllChannels = defineOperation({
	resource: 'channel',
	name: 'getAll',
	displayName: 'Get Many',
	action: 'Get many channels',
	description: 'List the channels that the API key reaches, with their state',
	fields: listOperationFields(CHANNEL),
	compile(input) {
		const { facts, query } = compileList(input, CHANNEL);
		return { call: apiCall('get', '/api/v1/Admin/Channel', { query }), facts };
	},
	output: listOutput,
});
