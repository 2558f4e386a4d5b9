import type { INodeProperties, INodePropertyMode } from 'n8n-workflow';

import { UUID_EXAMPLE, UUID_PATTERN } from '../input/uuid';

/** The channel that an operation works on: picked from the key's channels, or by its UUID. */
export const channelLocator = {
	displayName: 'Channel',
	name: 'channelId',
	type: 'resourceLocator',
	required: true,
	default: { mode: 'list', value: '' },
	description: 'The channel to work with. Choose from the list, or use an ID from an earlier node.',
	modes: listOrId('Channel', 'searchChannels', 'Select a channel...'),
} as const satisfies INodeProperties;

/** The account that an operation works in: picked from those the key reaches, or by its UUID. */
export const accountLocator = {
	displayName: 'Account',
	name: 'accountId',
	type: 'resourceLocator',
	required: true,
	default: { mode: 'list', value: '' },
	description: 'The account to work in. Choose from the list, or use an ID from an earlier node.',
	modes: listOrId('Account', 'searchAccounts', 'Select an account...'),
} as const satisfies INodeProperties;

/** The channel that gets a new channel's feedback: picked from those that can, or by its UUID. */
export const feedbackChannelLocator = {
	displayName: 'Feedback Channel',
	name: 'feedbackChannelId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	description: 'The channel that gets the feedback of the new one',
	modes: listOrId('Feedback Channel', 'searchFeedbackChannels', 'Select a channel...'),
} as const satisfies INodeProperties;

/** The type of a new channel: picked from the types in use, or by its key. */
export const channelTypeLocator = {
	displayName: 'Channel Type',
	name: 'channelType',
	type: 'resourceLocator',
	required: true,
	default: { mode: 'list', value: '' },
	description:
		'What kind of channel to create. The list shows the types that your channels have; any other can be typed in.',
	modes: typeModes('Select a channel type...'),
} as const satisfies INodeProperties;

/** The provider of a new channel: picked from those in use for the chosen type, or by its UUID. */
export const providerLocator = {
	displayName: 'Provider',
	name: 'providerId',
	type: 'resourceLocator',
	required: true,
	default: { mode: 'list', value: '' },
	description:
		'Who runs the channel. The list shows the providers that your channels of this type have; any other can be named by its ID.',
	typeOptions: { loadOptionsDependsOn: ['channelType.value'] },
	modes: listOrId('Provider', 'searchProviders', 'Select a provider...'),
} as const satisfies INodeProperties;

/** The status that a new channel starts with: picked from those in use, or by its number. */
export const channelStatusLocator = {
	displayName: 'Channel Status',
	name: 'channelStatusId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	description:
		'The status that the channel starts with. The list shows those that your channels have; any other can be named by its number.',
	modes: [
		...fromList('searchChannelStatuses', 'Select a status...'),
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. 1',
			validation: [
				{
					type: 'regex',
					properties: { regex: '^\\s*-?\\d+\\s*$', errorMessage: 'Channel Status: not a whole number' },
				},
			],
		},
	],
} as const satisfies INodeProperties;

/** The organization that something belongs to: picked from those of the key's accounts, or by its UUID. */
export const organizationLocator = {
	displayName: 'Organization',
	name: 'organizationId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	description: 'The organization. Choose from the list, or use an ID from an earlier node.',
	modes: listOrId('Organization', 'searchOrganizations', 'Select an organization...'),
} as const satisfies INodeProperties;

/** The one channel that is watched; all when left empty. */
export const channelFilter = {
	displayName: 'Channel',
	name: 'channelId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	description: 'The only channel to watch. Leave it empty to watch all that the API key reaches.',
	modes: listOrId('Channel', 'searchChannels', 'All channels'),
} as const satisfies INodeProperties;

/** The account whose channels are watched; all when left empty. */
export const accountFilter = {
	displayName: 'Account',
	name: 'accountId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	description: 'The only account whose channels to watch. Leave it empty to watch those of all accounts.',
	modes: listOrId('Account', 'searchAccounts', 'All accounts'),
} as const satisfies INodeProperties;

/** The type of channels that are watched; all when left empty. */
export const channelTypeFilter = {
	displayName: 'Channel Type',
	name: 'channelType',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	description: 'The only type of channels to watch. Leave it empty to watch channels of all types.',
	modes: typeModes('All channel types'),
} as const satisfies INodeProperties;

/**
 * The two ways to name an entry that has a UUID.
 *
 * @param label the field's label, for the error that n8n shows before the node runs
 * @param searchListMethod the node's method that fills the list
 * @param placeholder what the closed list says
 */
function listOrId(label: string, searchListMethod: string, placeholder: string): INodePropertyMode[] {
	const byId: Pick<INodeProperties, 'modes'> = {
		modes: [
			{
				displayName: 'By ID',
				name: 'id',
				type: 'string',
				placeholder: `e.g. ${UUID_EXAMPLE}`,
				validation: [
					{
						type: 'regex',
						properties: {
							// Whether it may stay empty is not for this check to say.
							regex: `${UUID_PATTERN}|^\\s*$`,
							errorMessage: `${label}: not a UUID, such as ${UUID_EXAMPLE}`,
						},
					},
				],
			},
		],
	};
	return [...fromList(searchListMethod, placeholder), ...(byId.modes ?? [])];
}

/** The two ways to name a channel type, for which there is no ID. */
function typeModes(placeholder: string): INodePropertyMode[] {
	const byName: Pick<INodeProperties, 'modes'> = {
		modes: [{ displayName: 'By Name', name: 'name', type: 'string', placeholder: 'e.g. EMAIL' }],
	};
	return [...fromList('searchChannelTypes', placeholder), ...(byName.modes ?? [])];
}

function fromList(searchListMethod: string, placeholder: string): INodePropertyMode[] {
	const locator: Pick<INodeProperties, 'modes'> = {
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder,
				typeOptions: { searchListMethod, searchable: true },
			},
		],
	};
	return locator.modes ?? [];
}
