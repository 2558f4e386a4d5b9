import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { apiCall } from '../service/api-call';
import { listRecords } from './list';
import { searchPage, textAt } from './search';

/** The accounts that the key reaches, for the editor's list. */
export async function searchAccounts(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const accounts = await listRecords(this, apiCall('get', '/api/v1/Admin/Account', {}));
	const entries = accounts.flatMap((account) => {
		const value = textAt(account, 'accountId');
		const name = [textAt(account, 'name') || value, textAt(account, 'organization.name')].filter(Boolean);
		return value === '' ? [] : [{ name: name.join(' · '), value }];
	});
	return searchPage(entries, filter, paginationToken);
}
