import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { accountsOf } from './accounts';
import { isUuid } from '../fields/uuid';
import { menuOf } from './menu';
import { noUsableId, nothingToPick } from './notices';
import { isOpening, searchPage } from './search';

/** The accounts that the key reaches. */
export async function searchAccounts(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const accounts = await accountsOf(this, isOpening({ filter, paginationToken }));
	if (accounts.length === 0) {
		throw nothingToPick(this, 'No accounts yet', 'Create one with Account > Create.');
	}
	const menu = await menuOf(accounts, 'accounts', ({ accountId, name, organization }) =>
		isUuid(accountId)
			? { id: accountId, name, marks: [organization.name], details: [organization.name] }
			: undefined,
	);
	if (menu.length === 0) throw noUsableId(this, 'accounts');
	return await searchPage(menu, { filter, paginationToken });
}
