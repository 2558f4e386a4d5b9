import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { isUuid } from '../fields/uuid';
import { sameCase } from '../text/fold';
import { type ChannelEntry, channelsOf } from './channels';
import { type Choice, menuOf } from './menu';
import { noUsableId, nothingToPick } from './notices';
import { isOpening, searchPage } from './search';

/** Which channels a menu offers, and what it says when the key reaches channels but none of these. */
interface Offer {
	offers(channel: ChannelEntry): boolean;
	none: string;
	advice: string;
}

const ANY: Offer = { offers: () => true, none: '', advice: '' };

const SENDING: Offer = {
	offers: ({ canSend }) => canSend,
	none: 'None of your channels can send',
	advice: 'Look at their status with Channel > Get Many, or use an ID to name one all the same.',
};

const CONFIGURABLE: Offer = {
	offers: ({ canConfigure }) => canConfigure,
	none: 'None of your channels can be configured',
	advice: 'Look at their status with Channel > Get Many, or use an ID to name one all the same.',
};

const FEEDBACK: Offer = {
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
	return await search(this, offerFor(this), filter, paginationToken);
}

/** The channels that can take another one's feedback. */
export async function searchFeedbackChannels(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	return await search(this, FEEDBACK, filter, paginationToken);
}

function offerFor(context: ILoadOptionsFunctions): Offer {
	const { resource, operation } = context.getCurrentNodeParameters() ?? {};
	if (resource === 'message') return SENDING;
	return resource === 'channel' && operation === 'updateParameters' ? CONFIGURABLE : ANY;
}

async function search(
	context: ILoadOptionsFunctions,
	{ offers, none, advice }: Offer,
	filter: string | undefined,
	paginationToken: string | undefined,
): Promise<INodeListSearchResult> {
	const channels = await channelsOf(context, isOpening({ filter, paginationToken }));
	if (channels.length === 0) {
		throw nothingToPick(context, 'No channels yet', 'Create one with Channel > Create.');
	}
	if (!channels.some(offers)) throw nothingToPick(context, none, advice);
	const menu = await menuOf(channels, 'channels', choiceOf);
	if (menu.length === 0) throw noUsableId(context, 'channels');
	return await searchPage(menu, { filter, paginationToken }, offers);
}

/** How much of a name is compared. */
const LONGEST_COMPARED = 1_000;

/** Whether the name of a provider says the type as well. */
function saysSame(provider: string, type: string): boolean {
	return sameCase(provider.slice(0, LONGEST_COMPARED)).includes(sameCase(type.slice(0, LONGEST_COMPARED)));
}

function choiceOf(channel: ChannelEntry): Choice | undefined {
	if (!isUuid(channel.channelId)) return undefined;
	const provider = channel.provider.name;
	const type = channel.type.name || channel.type.key;
	const disconnected = channel.connected === false;
	// Menus are narrow, and the label stays in the field once it is picked: nothing is said twice, and of the
	// connection only the exception.
	return {
		id: channel.channelId,
		name: channel.name,
		marks: [provider, type, channel.accountName],
		details: [
			disconnected ? 'not connected' : '',
			saysSame(provider, type) ? '' : type,
			provider,
			channel.accountName,
		],
		last: disconnected,
	};
}
