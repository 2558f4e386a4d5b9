import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { accountsOf } from './accounts';
import { nothingToPick } from './notices';
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
	const entries = accounts.map(({ accountId, name, organization }) => ({
		name: [name || accountId, organization.name].filter(Boolean).join(' · '),
		value: accountId,
	}));
	return searchPage(entries, { filter, paginationToken });
}
