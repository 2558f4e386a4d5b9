import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

import { locatorValue } from '../fields/values';
import { accountsOf } from './accounts';
import { type ChannelEntry, channelsOf } from './channels';
import { nothingToPick } from './notices';
import { choices, isOpening, searchPage } from './search';

/** The channel types that the key's channels have. */
export async function searchChannelTypes(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	return await searchSeen(this, 'channel types', filter, paginationToken, ({ type }) =>
		type.key === '' ? [] : [{ name: labelled(type.name, type.key), value: type.key }],
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
	return await searchSeen(this, what, filter, paginationToken, ({ type, provider }) =>
		provider.id === '' || (typeKey !== '' && type.key !== typeKey)
			? []
			: [
					{
						name: [provider.name || provider.id, typeKey === '' ? type.name : ''].filter(Boolean).join(' · '),
						value: provider.id,
					},
				],
	);
}

/** The statuses that the key's channels have. */
export async function searchChannelStatuses(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	return await searchSeen(this, 'channel statuses', filter, paginationToken, ({ status }) =>
		status.id === undefined
			? []
			: [{ name: labelled(status.name, String(status.id)), value: String(status.id) }],
	);
}

/** The organizations that the key's accounts and channels belong to. */
export async function searchOrganizations(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const opening = isOpening({ filter, paginationToken });
	const named = (holders: ReadonlyArray<{ organization: { id: string; name: string } }>) =>
		choices(
			holders.flatMap(({ organization: { id, name } }) =>
				id === '' ? [] : [{ name: name || id, value: id }],
			),
		);
	let entries = named(await accountsOf(this, opening));
	// Accounts may come without their organization; channels name it by its ID at least.
	if (entries.length === 0) entries = named(await channelsOf(this, opening));
	if (entries.length === 0) throw nothingSeen(this, 'organizations');
	return searchPage(entries, { filter, paginationToken });
}

async function searchSeen(
	context: ILoadOptionsFunctions,
	what: string,
	filter: string | undefined,
	paginationToken: string | undefined,
	entriesOf: (channel: ChannelEntry) => INodeListSearchItems[],
): Promise<INodeListSearchResult> {
	const channels = await channelsOf(context, isOpening({ filter, paginationToken }));
	const entries = choices(channels.flatMap(entriesOf));
	if (entries.length === 0) throw nothingSeen(context, what);
	return searchPage(entries, { filter, paginationToken });
}

function nothingSeen(context: ILoadOptionsFunctions, what: string): Error {
	return nothingToPick(
		context,
		`No ${what} in use yet`,
		'This list shows what your channels and accounts use. Ask the operator of the service for the value, then switch this field from the list to typing it in.',
	);
}

function labelled(name: string, id: string): string {
	return name === '' || name === id ? id : `${name} (${id})`;
}
