import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { isUuid } from '../fields/uuid';
import { locatorValue } from '../fields/values';
import { accountsOf } from './accounts';
import { type ChannelEntry, channelsOf } from './channels';
import { type Choice, menuOf } from './menu';
import { nothingToPick } from './notices';
import { isOpening, type Search, searchPage } from './search';

/** The channel types that the key's channels have. */
export async function searchChannelTypes(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	return await searchSeen(this, 'channel types', { filter, paginationToken }, ({ type }) =>
		// n8n would run a key that begins with "=" as an expression.
		type.key === '' || type.key.startsWith('=') ? undefined : tagged(type.key, type.name),
	);
}

/** The providers that run the key's channels, those of the chosen channel type only once one is chosen. */
export async function searchProviders(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const chosen = locatorValue(this.getCurrentNodeParameter('channelType'));
	const typeKey = typeof chosen === 'string' && !chosen.startsWith('=') ? chosen.trim() : '';
	const what = typeKey === '' ? 'providers' : `providers for ${typeKey}`;
	return await searchSeen(this, what, { filter, paginationToken }, ({ type, provider: { id, name } }) => {
		if (!isUuid(id) || (typeKey !== '' && type.key !== typeKey)) return undefined;
		const details = typeKey === '' ? [type.name] : [];
		return { id, name, marks: details, details };
	});
}

/** The statuses that the key's channels have. */
export async function searchChannelStatuses(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	return await searchSeen(this, 'channel statuses', { filter, paginationToken }, ({ status }) =>
		status.id === undefined ? undefined : tagged(String(status.id), status.name),
	);
}

/** The organizations that the key's accounts and channels belong to. */
export async function searchOrganizations(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const search = { filter, paginationToken };
	let menu = await menuOf<Member>(await accountsOf(this, isOpening(search)), 'organizations', organizationOf);
	// Accounts may come without their organization; channels name it by its ID at least.
	if (menu.length === 0) {
		menu = await menuOf<Member>(await channelsOf(this, isOpening(search)), 'organizations', organizationOf);
	}
	if (menu.length === 0) throw nothingSeen(this, 'organizations');
	return await searchPage(menu, search);
}

/** What belongs to an organization. */
interface Member {
	organization: { id: string; name: string };
}

function organizationOf({ organization: { id, name } }: Member): Choice | undefined {
	return isUuid(id) ? { id, name, marks: [], details: [] } : undefined;
}

async function searchSeen(
	context: ILoadOptionsFunctions,
	what: string,
	search: Search,
	choiceOf: (channel: ChannelEntry) => Choice | undefined,
): Promise<INodeListSearchResult> {
	const menu = await menuOf(await channelsOf(context, isOpening(search)), what, choiceOf);
	if (menu.length === 0) throw nothingSeen(context, what);
	return await searchPage(menu, search);
}

function nothingSeen(context: ILoadOptionsFunctions, what: string): Error {
	return nothingToPick(
		context,
		`No ${what} in use yet`,
		'This list shows what your channels and accounts use. Ask the operator of the service for the value, then switch this field from the list to typing it in.',
	);
}

/** A choice that is always named together with its value, which people know it by. */
function tagged(id: string, name: string): Choice {
	return {
		id,
		name: name === '' ? id : name,
		marks: [],
		details: [],
		tag: name === '' || name === id ? '' : id,
	};
}
