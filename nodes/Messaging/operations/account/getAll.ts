import { apiCall } from '../../service/api-call';
import { compileList, listOperationFields } from '../list-output';
import { defineOperation } from '../operation';
import type { RecordShape } from '../presentation';

/** An account, as the service returns it. */
export const ACCOUNT = {
	id: 'accountId',
	simple: {
		accountId: 'accountId',
		name: 'name',
		description: 'description',
		status: 'status.name',
		organizationId: 'organization.organizationId',
		organizationName: 'organization.name',
		channelCount: 'channelCount',
		channelConnectedCount: 'channelConnectedCount',
		apiKeyCount: 'apiKeyCount',
		createdAt: 'createdAt',
	},
	more: {
		canSendAndReceiveMessage: 'status.canSendAndReceiveMessage',
		canManageChildObjects: 'status.canManageChildObjects',
		deviceRunningCount: 'deviceRunningCount',
		financialManagerCount: 'financialManagerCount',
	},
} as const satisfies RecordShape;

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
