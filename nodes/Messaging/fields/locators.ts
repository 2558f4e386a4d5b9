import type { IExecuteFunctions, INodeProperties, INodePropertyMode } from 'n8n-workflow';

import { UUID_EXAMPLE } from '../input/uuid';
import { textAt } from '../shared/json';

/**
 * A way to enter a value without the list. It has no `validation`: n8n runs that at each start of an execution with a
 * limit of 250 ms, and ends the execution on a busy machine. The node checks the values itself.
 */
type TypedIn = Omit<INodePropertyMode, 'type' | 'validation'>;

const BY_UUID: TypedIn = { displayName: 'By ID', name: 'id', placeholder: `e.g. ${UUID_EXAMPLE}` };
const BY_NUMBER: TypedIn = { displayName: 'By ID', name: 'id', placeholder: 'e.g. 1' };
const BY_NAME: TypedIn = { displayName: 'By Name', name: 'name', placeholder: 'e.g. EMAIL' };

/** The channel that an operation works on: picked from the key's channels, or by its UUID. */
export const channelLocator = {
	...locator('Channel', 'channelId', 'searchChannels', 'Select a channel...'),
	required: true,
	description: 'The channel to use. Choose from the list, or use an ID from an earlier node.',
} as const satisfies INodeProperties;

/** The channel of a reply: the one that the message came through, unless another one is picked. */
export const replyChannelLocator = {
	...locator('Channel', 'channelId', 'searchChannels', "The message's own channel"),
	description:
		'The channel to answer through. Leave it empty for the one that the message came through (its channelId).',
} as const satisfies INodeProperties;

/** The account that an operation works in: picked from those the key can access, or by its UUID. */
export const accountLocator = {
	...locator('Account', 'accountId', 'searchAccounts', 'Select an account...'),
	required: true,
	description: 'The account to use. Choose from the list, or use an ID from an earlier node.',
} as const satisfies INodeProperties;

/** The channel that gets a new channel's feedback: picked from the suitable ones, or by its UUID. */
export const feedbackChannelLocator = {
	...locator('Feedback Channel', 'feedbackChannelId', 'searchFeedbackChannels', 'Select a channel...'),
	description: 'The channel that receives the feedback of the new one',
} as const satisfies INodeProperties;

/** The type of a new channel: picked from the types in use, or by its key. */
export const channelTypeLocator = {
	...locator('Channel Type', 'channelType', 'searchChannelTypes', 'Select a channel type...', BY_NAME),
	required: true,
	description:
		'The kind of channel to create. The list shows the types of your existing channels. You can type in any other.',
} as const satisfies INodeProperties;

/** The provider of a new channel: picked from those in use for the chosen type, or by its UUID. */
export const providerLocator = {
	...locator('Provider', 'providerId', 'searchProviders', 'Select a provider...'),
	required: true,
	description:
		'The company or program that runs the channel. The list shows the providers of your existing channels of this type. You can enter the ID of any other.',
	typeOptions: { loadOptionsDependsOn: ['channelType.value'] },
} as const satisfies INodeProperties;

/** The status that a new channel starts with: picked from those in use, or by its number. */
export const channelStatusLocator = {
	...locator('Channel Status', 'channelStatusId', 'searchChannelStatuses', 'Select a status...', BY_NUMBER),
	description:
		'The status that the channel starts with. The list shows the statuses of your existing channels. You can enter the number of any other.',
} as const satisfies INodeProperties;

/** The organization that something belongs to: picked from those of the key's accounts, or by its UUID. */
export const organizationLocator = {
	...locator('Organization', 'organizationId', 'searchOrganizations', 'Select an organization...'),
	description: 'The organization. Choose from the list, or use an ID from an earlier node.',
} as const satisfies INodeProperties;

/** The one channel to watch; empty for all. */
export const channelFilter = {
	...locator('Channel', 'channelId', 'searchChannels', 'All channels'),
	description: 'The only channel to watch. Leave it empty to watch all channels that the API key reaches.',
} as const satisfies INodeProperties;

/** The account whose channels are watched; empty for all. */
export const accountFilter = {
	...locator('Account', 'accountId', 'searchAccounts', 'All accounts'),
	description:
		'The only account whose channels to watch. Leave it empty to watch the channels of all accounts.',
} as const satisfies INodeProperties;

/** The type of channels that are watched; empty for all. */
export const channelTypeFilter = {
	...locator('Channel Type', 'channelType', 'searchChannelTypes', 'All channel types', BY_NAME),
	description: 'The only type of channels to watch. Leave it empty to watch channels of all types.',
} as const satisfies INodeProperties;

/**
 * A field whose value is picked from a list or entered.
 *
 * @param searchListMethod the node's method that fills the list
 * @param placeholder what the closed list says
 */
function locator<const Name extends string>(
	displayName: string,
	name: Name,
	searchListMethod: string,
	placeholder: string,
	entry = BY_UUID,
) {
	return {
		displayName,
		name,
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder,
				typeOptions: { searchListMethod, searchable: true },
			},
			{ ...entry, type: 'string' },
		],
	} as const satisfies INodeProperties;
}

/** What the editor shows for the channel that was picked there, else the channel's id. */
export function channelName(context: IExecuteFunctions, id: string): string {
	const picked = context.getNodeParameter(channelLocator.name, 0, '', { rawExpressions: true });
	return (textAt(picked, 'value').toLowerCase() === id && textAt(picked, 'cachedResultName')) || id;
}
