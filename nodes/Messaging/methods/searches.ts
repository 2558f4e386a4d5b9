import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import type { ChannelRecord } from '../service/channel';
import { isUuid } from '../shared/uuid';
import { accountList, channelList, chosenIn, menuError } from './lists';
import { type Choice, menuOf } from './menu';

/** What a menu offers. If that is nothing, it shows an error. */
interface Offer {
	choices: ReadonlyArray<Choice | undefined>;
	ifNone: { message: string; description: string };
}

/** A method of the node that fills a searchable list in the editor from what the key can access. */
const menuFrom = <T>(
	list: (context: ILoadOptionsFunctions) => Promise<readonly T[]>,
	offerFor: (entries: readonly T[], context: ILoadOptionsFunctions) => Offer,
) =>
	async function (this: ILoadOptionsFunctions, filter = ''): Promise<INodeListSearchResult> {
		const { choices, ifNone } = offerFor(await list(this), this);
		const menu = menuOf(choices, filter);
		if (menu !== undefined) return menu;
		throw menuError(this, ifNone);
	};

export const searchAccounts = menuFrom(accountList, (accounts) => ({
	choices: accounts.map(({ id, name, organization }) => ({ id, parts: [name, organization] })),
	ifNone: { message: 'No accounts yet', description: 'Create one with Account > Create.' },
}));

/** The channels that the key can access; for messages, only those that can send. */
export const searchChannels = menuFrom(channelList, (channels, context) => {
	const isToSend = context.getCurrentNodeParameters()?.resource === 'message';
	return channelOffer(channels, 'can send', ({ canSend }) => canSend || !isToSend);
});

export const searchFeedbackChannels = menuFrom(channelList, (channels) =>
	channelOffer(channels, 'can be a feedback channel', (channel) => channel.canBeFeedbackChannel),
);

/** The channel types of the channels that the key can access. */
export const searchChannelTypes = menuFrom(channelList, (channels) =>
	offerInUse(
		'channel types',
		channels.map(({ type: { key, name } }) => {
			// n8n would run a key that begins with "=" as an expression.
			if (key === '' || key.startsWith('=')) return undefined;
			// People know it by its key too.
			return { id: key, parts: [name === '' || name === key ? key : `${name} (${key})`] };
		}),
	),
);

/** The providers of the channels that the key can access; only those of the channel type, once one is chosen. */
export const searchProviders = menuFrom(channelList, (channels, context) => {
	const key = chosenIn(context, 'channelType');
	const choices = channels.map(({ type, provider: { id, name } }) =>
		isUuid(id) && (key === '' || type.key === key) ? { id, parts: [name, type.name] } : undefined,
	);
	return offerInUse('providers', choices);
});

/** The suitable channels. `ability` is what the others lack: "can send". */
function channelOffer(
	channels: readonly ChannelRecord[],
	ability: string,
	isSuitable: (channel: ChannelRecord) => boolean,
): Offer {
	const choices = channels.filter(isSuitable).map(({ id, name, isConnected, type, provider, account }) => {
		// Being connected is normal, so the label mentions only the exception.
		const state = isConnected === false ? 'not connected' : '';
		return { id, parts: [name, state, type.name || type.key, provider.name, account.name] };
	});
	const none = { message: 'No channels yet', description: 'Create one with Channel > Create.' };
	const unsuitable = {
		message: `None of your channels ${ability}`,
		description: 'Channel > Get Many shows the status of each channel. You can still enter the ID of any.',
	};
	return { choices, ifNone: channels.length === 0 ? none : unsuitable };
}

/** Values that the key's channels use. */
function offerInUse(what: string, choices: Offer['choices']): Offer {
	const description =
		'This list shows only what your channels use. Ask the operator of the service for the value. Then switch this field from the list to entering it yourself.';
	return { choices, ifNone: { message: `No ${what} in use yet`, description } };
}
