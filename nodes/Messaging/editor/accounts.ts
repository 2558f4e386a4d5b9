import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { apiCall } from '../service/api-call';
import { keptList } from './list';
import { textAt } from '../json/path';

/** What menus show of an account. */
export interface AccountEntry {
	accountId: string;
	name: string;
	organization: { id: string; name: string };
}

/**
 * The accounts that the key reaches, in the service's order.
 *
 * @param opening whether a menu is being opened
 */
export async function accountsOf(
	context: ILoadOptionsFunctions,
	opening: boolean,
): Promise<readonly AccountEntry[]> {
	return await keptList(context, apiCall('get', '/api/v1/Admin/Account', {}), opening, (record) => {
		const accountId = textAt(record, 'accountId');
		const organization = {
			id: textAt(record, 'organization.organizationId'),
			name: textAt(record, 'organization.name'),
		};
		return accountId === '' ? undefined : { accountId, name: textAt(record, 'name'), organization };
	});
}
