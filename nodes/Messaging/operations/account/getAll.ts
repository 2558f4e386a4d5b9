import { defineList } from '../list';
import { type RecordShape, topLevel } from '../records';

export const ACCOUNT: RecordShape = {
	...topLevel('accountId', 'name', 'description'),
	status: 'status.name',
	organizationId: 'organization.organizationId',
	organizationName: 'organization.name',
	...topLevel('channelCount', 'channelConnectedCount', 'apiKeyCount', 'createdAt'),
};

/** Lists the accounts that the key can access: GET /api/v1/Admin/Account. */
export const getAllAccounts = defineList('account', 'List the accounts that the API key reaches', ACCOUNT);
