import { apiCall } from '../../service/api-call';
import { compileList, listOperationFields } from '../list-output';
import { defineOperation } from '../operation';
import { type RecordShape, topLevel } from '../presentation';

/** An account, as the service returns it. */
export const ACCOUNT: RecordShape = {
	simple: {
		...topLevel('accountId', 'name', 'description'),
		status: 'status.name',
		organizationId: 'organization.organizationId',
		organizationName: 'organization.name',
		...topLevel('channelCount', 'channelConnectedCount', 'apiKeyCount', 'createdAt'),
	},
	more: {
		canSendAndReceiveMessage: 'status.canSendAndReceiveMessage',
		canManageChildObjects: 'status.canManageChildObjects',
		...topLevel('deviceRunningCount', 'financialManagerCount'),
	},
};

/** Lists the accounts that the key can access: GET /api/v1/Admin/Account. */
export const getAllAccounts = defineOperation({
	resource: 'account',
	name: 'getAll',
	displayName: 'Get Many',
	action: 'Get many accounts',
	description: 'List the accounts that the API key reaches',
	effect: 'reads',
	fields: listOperationFields(ACCOUNT),
	compile: (input) =>
		compileList(input, ACCOUNT, (query) => apiCall('get', '/api/v1/Admin/Account', { query })),
});
