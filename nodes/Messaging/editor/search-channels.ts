import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

import { type ChannelEntry, channelsOf } from './channels';
import { nothingToPick } from './notices';
import { isOpening, searchPage } from './search';

/** Which channels a menu offers, and what it says when the key reaches channels but none of these. */
interface Choice {
	offers(channel: ChannelEntry): boolean;
	none: string;
	advice: string;
}

const ANY: Choice = { offers: () => true, none: '', advice: '' };

const SENDING: Choice = {
	offers: ({ canSend }) => canSend,
	none: 'None of your channels can send',
	advice: 'Look at their status with Channel > Get Many, or use an ID to name one all the same.',
};

const CONFIGURABLE: Choice = {
	offers: ({ canConfigure }) => canConfigure,
	none: 'None of your channels can be configured',
	advice: 'Look at their status with Channel > Get Many, or use an ID to name one all the same.',
};

const FEEDBACK: Choice = {
	offers: ({ type }) => type.canBeFeedbackChannel,
	none: 'None of your channels can be a feedback channel',
	advice: 'Create a channel of a type that can be one with Channel > Create, or leave this field out.',
};

/** The channels that the operation chosen in the node can work with. */
export async function searchChannels(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	return await search(this, choiceFor(this), filter, paginationToken);
}

/** The channels that can take another one's feedback. */
export async function searchFeedbackChannels(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	return await search(this, FEEDBACK, filter, paginationToken);
}

function choiceFor(context: ILoadOptionsFunctions): Choice {
	const { resource, operation } = context.getCurrentNodeParameters() ?? {};
	if (resource === 'message') return SENDING;
	return resource === 'channel' && operation === 'updateParameters' ? CONFIGURABLE : ANY;
}

async function search(
	context: ILoadOptionsFunctions,
	{ offers, none, advice }: Choice,
	filter: string | undefined,
	paginationToken: string | undefined,
): Promise<INodeListSearchResult> {
	const channels = await channelsOf(context, isOpening({ filter, paginationToken }));
	if (channels.length === 0) {
		throw nothingToPick(context, 'No channels yet', 'Create one with Channel > Create.');
	}
	const offered = channels.filter(offers);
	if (offered.length === 0) throw nothingToPick(context, none, advice);
	return searchPage(offered.map(entryOf), { filter, paginationToken });
}

function entryOf(channel: ChannelEntry): INodeListSearchItems {
	const provider = channel.provider.name;
	const type = channel.type.name || channel.type.key;
	// Menus are narrow, and the label stays in the field once it is picked: nothing is said twice, and of the
	// connection only the exception.
	const parts = [
		channel.name || channel.channelId,
		channel.connected === false ? 'not connected' : '',
		provider.toLowerCase().includes(type.toLowerCase()) ? '' : type,
		provider,
		channel.accountName,
	];
	return { name: parts.filter(Boolean).join(' · '), value: channel.channelId };
}
