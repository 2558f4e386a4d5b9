import type { INodeProperties, INodePropertyMode } from 'n8n-workflow';

const uuidMode = {
	displayName: 'By ID',
	name: 'id',
	type: 'string',
	placeholder: 'e.g. 3f2504e0-4f89-41d3-9a0c-0305e82c3301',
	validation: [
		{
			type: 'regex',
			properties: {
				regex: '^\\s*[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\\s*$',
				errorMessage: 'Not a UUID, such as 3f2504e0-4f89-41d3-9a0c-0305e82c3301',
			},
		},
	],
} as const satisfies INodePropertyMode;

/** The channel that an operation works on: picked from the key's channels, or by its UUID. */
export const channelLocator = {
	displayName: 'Channel',
	name: 'channelId',
	type: 'resourceLocator',
	required: true,
	default: { mode: 'list', value: '' },
	description: 'The channel to work with. Choose from the list, or use an ID from an earlier node.',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Select a channel...',
			typeOptions: { searchListMethod: 'searchChannels', searchable: true },
		},
		uuidMode,
	],
} as const satisfies INodeProperties;

/** The account that an operation works in: picked from those the key reaches, or by its UUID. */
export const accountLocator = {
	displayName: 'Account',
	name: 'accountId',
	type: 'resourceLocator',
	required: true,
	default: { mode: 'list', value: '' },
	description: 'The account to work in. Choose from the list, or use an ID from an earlier node.',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Select an account...',
			typeOptions: { searchListMethod: 'searchAccounts', searchable: true },
		},
		uuidMode,
	],
} as const satisfies INodeProperties;

/** The channel that gets a new channel's feedback: picked from those that can, or by its UUID. */
export const feedbackChannelLocator = {
	displayName: 'Feedback Channel',
	name: 'feedbackChannelId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	description: 'The channel that gets the feedback of the new one',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Select a channel...',
			typeOptions: { searchListMethod: 'searchFeedbackChannels', searchable: true },
		},
		uuidMode,
	],
} as const satisfies INodeProperties;
