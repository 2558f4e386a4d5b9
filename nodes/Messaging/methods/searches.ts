import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { isUuid } from '../input/uuid';
import { locatorValue } from '../input/values';
import { type AccountEntry, accountList, type ChannelEntry, channelList, nothingToPick } from './lists';
import { type Choice, isOpening, menuOf, type Search } from './menu';

const STATUS_ADVICE =
	'Channel > Get Many shows the status of each channel. You can still enter the ID of any channel.';

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

/** The accounts that the key can access. */
export const searchAccounts = searchMethod(async (context, search) => {
	const accounts = await accountList(context, isOpening(search));
	const choices = accounts.map(({ id, name, organization }) => ({ id, parts: [name, organization.name] }));
	const menu = await menuOf(choices, search);
	if (menu !== undefined) return menu;
	throw nothingToPick(context, 'No accounts yet', 'Create one with Account > Create.');
});

/** The channels that suit the operation chosen in the node. */
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

/** The channels that can be another channel's feedback channel. */
export const searchFeedbackChannels = searchMethod(async (context, search) => {
	const none = nothingToPick(
		context,
		'None of your channels can be a feedback channel',
		'Create a channel of a suitable type with Channel > Create, or leave this field out.',
	);
	return await channelMenu(context, search, none, ({ canBeFeedbackChannel }) => canBeFeedbackChannel);
});

/** The channel types of the channels that the key can access. */
export const searchChannelTypes = searchMethod(
	async (context, search) =>
		await menuInUse(context, search, 'channel types', ({ type: { key, name } }) =>
			// n8n would run a key that begins with "=" as an expression.
			key.startsWith('=') ? undefined : taggedChoice(key, name),
		),
);

/** The providers of the channels that the key can access; only those of the channel type, once one is chosen. */
export const searchProviders = searchMethod(async (context, search) => {
	const chosen = locatorValue(context.getCurrentNodeParameter('channelType'));
	const key = typeof chosen === 'string' && !chosen.startsWith('=') ? chosen.trim() : '';
	const what = key === '' ? 'providers' : `providers for ${key}`;
	return await menuInUse(context, search, what, ({ type, provider: { id, name } }) => {
		if (!isUuid(id) || (key !== '' && type.key !== key)) return undefined;
		return { id, parts: key === '' ? [name, type.name] : [name] };
	});
});

/** The statuses of the channels that the key can access. */
export const searchChannelStatuses = searchMethod(
	async (context, search) =>
		await menuInUse(context, search, 'channel statuses', ({ status: { id, name } }) =>
			taggedChoice(id, name),
		),
);

/** The organizations of the accounts and channels that the key can access. */
export const searchOrganizations = searchMethod(async (context, search) => {
	const accounts = await accountList(context, isOpening(search));
	// Accounts may come without their organization. Channels have at least its ID.
	return (
		(await menuOf(accounts.map(organizationChoice), search)) ??
		(await menuInUse(context, search, 'organizations', organizationChoice))
	);
});

/** A menu of the suitable channels. `none` is the error if there are channels, but no suitable ones. */
async function channelMenu(
	context: ILoadOptionsFunctions,
	search: Search,
	none: Error,
	isOffered: (channel: ChannelEntry) => boolean,
): Promise<INodeListSearchResult> {
	const channels = await channelList(context, isOpening(search));
	const menu = await menuOf(channels.filter(isOffered).map(channelChoice), search);
	if (menu !== undefined) return menu;
	if (channels.length > 0) throw none;
	throw nothingToPick(context, 'No channels yet', 'Create one with Channel > Create.');
}

/** A menu of values that the key's channels use. */
async function menuInUse(
	context: ILoadOptionsFunctions,
	search: Search,
	what: string,
	choiceOf: (channel: ChannelEntry) => Choice | undefined,
): Promise<INodeListSearchResult> {
	const channels = await channelList(context, isOpening(search));
	const menu = await menuOf(channels.map(choiceOf), search);
	if (menu !== undefined) return menu;
	throw nothingToPick(
		context,
		`No ${what} in use yet`,
		'This list shows only what your channels and accounts use. Ask the operator of the service for the value. Then switch this field from the list to entering it yourself.',
	);
}

function channelChoice({ id, name, connected, type, provider, accountName }: ChannelEntry): Choice {
	// Being connected is normal, so the label mentions only the exception.
	const state = connected ? '' : 'not connected';
	return { id, parts: [name, state, type.name || type.key, provider.name, accountName], last: !connected };
}

function organizationChoice({
	organization: { id, name },
}: Pick<AccountEntry, 'organization'>): Choice | undefined {
	return isUuid(id) ? { id, parts: [name] } : undefined;
}

/** A choice that shows its value too, because people know it by that value. */
function taggedChoice(id: string, name: string): Choice | undefined {
	return id === '' ? undefined : { id, parts: [name === '' || name === id ? id : `${name} (${id})`] };
}
