import { apiCall } from '../../service/api-call';
import { compileList, listOperationFields } from '../list-output';
import { defineOperation } from '../operation';
import { ACCOUNT } from '../simplified';

/** Lists the accounts that the key reaches: GET /api/v1/Admin/Account. */
export const getAllAccounts = defineOperation({
	resource: 'account',
	name: 'getAll',
	displayName: 'Get Many',
	action: 'Get many accounts',
	description: 'List the accounts that the API key reaches',
	fields: listOperationFields(ACCOUNT),
	compile: (input) =>
		compileList(input, ACCOUNT, (query) => apiCall('get', '/api/v1/Admin/Account', { query })),
});
