import type { INodeProperties, INodePropertyMode } from 'n8n-workflow';

import { LISTED } from '../input/by-name';
import { UUID_EXAMPLE } from '../shared/uuid';
import { titleCase } from '../shared/text';

/**
 * A way to enter a value without the list. It has no `validation`: n8n runs that at each start of an execution with a
 * limit of 250 ms, and ends the execution on a busy machine. The node checks the values itself.
 */
type TypedIn = Omit<INodePropertyMode, 'type' | 'validation'>;

const BY_UUID: TypedIn = { displayName: 'By ID', name: 'id', placeholder: `e.g. ${UUID_EXAMPLE}` };
const BY_NAME: TypedIn = { displayName: 'By Name', name: 'name', placeholder: 'e.g. EMAIL' };
/** Found in the list, which is read once for a run: see `by-name.ts`. */
const FOUND_BY_NAME: TypedIn = { ...BY_NAME, placeholder: 'e.g. Support WhatsApp' };

export const channelLocator = locator({
	name: 'channelId',
	placeholder: 'Select a channel...',
	required: true,
	description: 'The channel to use. Choose from the list, or use its name or ID from an earlier node.',
});

export const replyChannelLocator = locator({
	name: 'channelId',
	placeholder: "The message's own channel",
	description:
		'The channel to answer through. Leave it empty for the one that the message came through (its channelId).',
});

export const accountLocator = locator({
	name: 'accountId',
	placeholder: 'Select an account...',
	required: true,
	description: 'The account to use. Choose from the list, or use its name or ID from an earlier node.',
});

export const requeueAccountLocator = locator({
	name: 'accountId',
	placeholder: 'Found by itself',
	description:
		'The account that the channel belongs to. Leave it empty: the node finds it in the list of channels. Choose it only if an error asks for it.',
});

export const feedbackChannelLocator = locator({
	name: 'feedbackChannelId',
	placeholder: 'Select a channel...',
	description:
		'The channel that receives the feedback of the new one, such as delivery reports if your service sends them',
});

export const channelTypeLocator = locator({
	name: 'channelType',
	placeholder: 'Select a channel type...',
	entry: BY_NAME,
	required: true,
	description:
		'The kind of channel to create. The list shows the types of your existing channels. You can type in any other.',
});

export const providerLocator = {
	...locator({
		name: 'providerId',
		placeholder: 'Select a provider...',
		required: true,
		description:
			'The company or program that runs the channel. The list shows the providers of your existing channels of this type. You can enter the ID of any other.',
	}),
	typeOptions: { loadOptionsDependsOn: ['channelType.value'] },
};

export const channelFilter = locator({
	name: 'channelId',
	placeholder: 'All channels',
	description: 'The only channel to watch. Leave it empty to watch all channels that the API key reaches.',
});

export const accountFilter = locator({
	name: 'accountId',
	placeholder: 'All accounts',
	description:
		'The only account whose channels to watch. Leave it empty to watch the channels of all accounts.',
});

export const channelTypeFilter = locator({
	name: 'channelType',
	placeholder: 'All channel types',
	entry: BY_NAME,
	description: 'The only type of channels to watch. Leave it empty to watch channels of all types.',
});

/** What a locator says of itself. */
interface Locator<Name extends string> {
	readonly name: Name;
	/** What the closed list says. */
	readonly placeholder: string;
	/** How to enter a value without the list. */
	readonly entry?: TypedIn;
	readonly required?: true;
	readonly description: string;
}

/**
 * A field whose value is picked from a list or entered. Its label is its name in words, without "ID". The list is filled by
 * the method of that name: "Feedback Channel" by `searchFeedbackChannels`.
 */
function locator<const Name extends string>({ placeholder, entry, ...field }: Locator<Name>) {
	const displayName = titleCase(field.name.replace(/Id$/, ''));
	const searchListMethod = `search${displayName.replace(' ', '')}s`;
	return {
		...field,
		displayName,
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
			...(!LISTED.has(field.name) ? [] : [{ ...FOUND_BY_NAME, type: 'string' as const }]),
			{ ...(entry ?? BY_UUID), type: 'string' },
		],
	} as const satisfies INodeProperties;
}
