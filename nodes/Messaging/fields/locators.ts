import type { INodeProperties, INodePropertyMode } from 'n8n-workflow';

import { UUID_EXAMPLE, UUID_PATTERN } from './uuid';

/** The channel that an operation works on: picked from the key's channels, or by its UUID. */
export const channelLocator = {
	displayName: 'Channel',
	name: 'channelId',
	type: 'resourceLocator',
	required: true,
	default: { mode: 'list', value: '' },
	description: 'The channel to work with. Choose from the list, or use an ID from an earlier node.',
	modes: listOrId('searchChannels', 'Select a channel...'),
} as const satisfies INodeProperties;

/** The account that an operation works in: picked from those the key reaches, or by its UUID. */
export const accountLocator = {
	displayName: 'Account',
	name: 'accountId',
	type: 'resourceLocator',
	required: true,
	default: { mode: 'list', value: '' },
	description: 'The account to work in. Choose from the list, or use an ID from an earlier node.',
	modes: listOrId('searchAccounts', 'Select an account...'),
} as const satisfies INodeProperties;

/** The channel that gets a new channel's feedback: picked from those that can, or by its UUID. */
export const feedbackChannelLocator = {
	displayName: 'Feedback Channel',
	name: 'feedbackChannelId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	description: 'The channel that gets the feedback of the new one',
	modes: listOrId('searchFeedbackChannels', 'Select a channel...'),
} as const satisfies INodeProperties;

/**
 * The two ways to name an entry.
 *
 * @param searchListMethod the node's method that fills the list
 * @param placeholder what the closed list says
 */
function listOrId(searchListMethod: string, placeholder: string): INodePropertyMode[] {
	const locator: Pick<INodeProperties, 'modes'> = {
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder,
				typeOptions: { searchListMethod, searchable: true },
			},
			{
				displayName: 'By ID',
				name: 'id',
				type: 'string',
				placeholder: `e.g. ${UUID_EXAMPLE}`,
				validation: [
					{
						type: 'regex',
						properties: { regex: UUID_PATTERN, errorMessage: `Not a UUID, such as ${UUID_EXAMPLE}` },
					},
				],
			},
		],
	};
	return locator.modes ?? [];
}
