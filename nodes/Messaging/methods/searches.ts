import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { isUuid } from '../input/uuid';
import { locatorValue } from '../input/values';
import { type AccountEntry, accountList, type ChannelEntry, channelList } from './lists';
import { type Choice, isOpening, menuOf, type Search } from './menu';
import { nothingToPick } from './notices';

const STATUS_ADVICE = 'Look at their status with Channel > Get Many, or use an ID to name one all the same.';

/** A method of the node that fills a searchable list in the editor. */
function searchMethod(
	menuFor: (context: ILoadOptionsFunctions, search: Search) => Promise<INodeListSearchResult>,
) {
	return async function (
		this: ILoadOptionsFunctions,
		filter?: string,
		paginationToken?: string,
	): Promise<INodeListSearchResult> {
		return await menuFor(this, { filter, paginationToken });
	};
}

/** The accounts that the key reaches. */
export const searchAccounts = searchMethod(async (context, search) => {
	const accounts = await accountList.entries(context, isOpening(search));
	const menu = await menuOf(accounts, accountChoice, search);
	if (menu !== undefined) return menu;
	throw nothingToPick(context, 'No accounts yet', 'Create one with Account > Create.');
});

/** The channels that the operation chosen in the node can work with. */
export const searchChannels = searchMethod(async (context, search) => {
	const { resource, operation } = context.getCurrentNodeParameters() ?? {};
	if (resource === 'message') {
		const none = nothingToPick(context, 'None of your channels can send', STATUS_ADVICE);
		return await channelMenu(context, search, none, ({ canSend }) => canSend);
	}
	const configures = resource === 'channel' && operation === 'updateParameters';
	const none = nothingToPick(context, 'None of your channels can be configured', STATUS_ADVICE);
	return await channelMenu(context, search, none, ({ canConfigure }) => canConfigure || !configures);
});

/** The channels that can take another one's feedback. */
export const searchFeedbackChannels = searchMethod(async (context, search) => {
	const none = nothingToPick(
		context,
		'None of your channels can be a feedback channel',
		'Create a channel of a type that can be one with Channel > Create, or leave this field out.',
	);
	return await channelMenu(context, search, none, ({ type }) => type.canBeFeedbackChannel);
});

/** The channel types that the key's channels have. */
export const searchChannelTypes = searchMethod(
	async (context, search) =>
		await menuInUse(context, search, 'channel types', ({ type: { key, name } }) =>
			// n8n would run a key that begins with "=" as an expression.
			key === '' || key.startsWith('=') ? undefined : taggedChoice(key, name),
		),
);

/** The providers that run the key's channels; only those of the channel type, once one is chosen. */
export const searchProviders = searchMethod(async (context, search) => {
	const chosen = locatorValue(context.getCurrentNodeParameter('channelType'));
	const key = typeof chosen === 'string' && !chosen.startsWith('=') ? chosen.trim() : '';
	const what = key === '' ? 'providers' : `providers for ${key}`;
	return await menuInUse(context, search, what, ({ type, provider: { id, name } }) => {
		if (!isUuid(id) || (key !== '' && type.key !== key)) return undefined;
		return { id, parts: key === '' ? [name, type.name] : [name] };
	});
});

/** The statuses that the key's channels have. */
export const searchChannelStatuses = searchMethod(
	async (context, search) =>
		await menuInUse(context, search, 'channel statuses', ({ status: { id, name } }) =>
			id === undefined ? undefined : taggedChoice(String(id), name),
		),
);

/** The organizations that the key's accounts and channels belong to. */
export const searchOrganizations = searchMethod(async (context, search) => {
	const accounts = await accountList.entries(context, isOpening(search));
	// Accounts may come without their organization; channels name it by its ID at least.
	return (
		(await menuOf(accounts, organizationChoice, search)) ??
		(await menuInUse(context, search, 'organizations', organizationChoice))
	);
});

/** A menu of those channels that fit; `none` is the error where the key reaches channels and none of them does. */
async function channelMenu(
	context: ILoadOptionsFunctions,
	search: Search,
	none: Error,
	isOffered: (channel: ChannelEntry) => boolean,
): Promise<INodeListSearchResult> {
	const channels = await channelList.entries(context, isOpening(search));
	const menu = await menuOf(channels.filter(isOffered), channelChoice, search);
	if (menu !== undefined) return menu;
	if (channels.length > 0) throw none;
	throw nothingToPick(context, 'No channels yet', 'Create one with Channel > Create.');
}

/** A menu of what the key's channels use. */
async function menuInUse(
	context: ILoadOptionsFunctions,
	search: Search,
	what: string,
	choiceOf: (channel: ChannelEntry) => Choice | undefined,
): Promise<INodeListSearchResult> {
	const channels = await channelList.entries(context, isOpening(search));
	const menu = await menuOf(channels, choiceOf, search);
	if (menu !== undefined) return menu;
	throw nothingToPick(
		context,
		`No ${what} in use yet`,
		'This list shows what your channels and accounts use. Ask the operator of the service for the value, then switch this field from the list to typing it in.',
	);
}

function accountChoice({ accountId: id, name, organization }: AccountEntry): Choice {
	return { id, parts: [name, organization.name] };
}

function channelChoice(channel: ChannelEntry): Choice {
	const { channelId: id, name, connected, type, provider, accountName } = channel;
	// Being connected is the normal case: only the exception is said.
	const state = connected ? '' : 'not connected';
	return { id, parts: [name, state, type.name || type.key, provider.name, accountName], last: !connected };
}

function organizationChoice({
	organization: { id, name },
}: Pick<AccountEntry, 'organization'>): Choice | undefined {
	return isUuid(id) ? { id, parts: [name] } : undefined;
}

/** A choice that is named together with its value, by which people know it. */
function taggedChoice(id: string, name: string): Choice {
	return { id, parts: [name === '' || name === id ? id : `${name} (${id})`] };
}
