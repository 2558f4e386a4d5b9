import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

import { isPlainObject, type JsonObject } from '../fields/values';
import { apiCall } from '../service/api-call';
import { listRecords } from './list';
import { searchPage, textAt } from './search';

/** The channels that the key reaches, for the editor's list. */
export async function searchChannels(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const channels = await listRecords(this, apiCall('get', '/api/v1/Admin/Channel', {}));
	return searchPage(channels.flatMap(entryOf), filter, paginationToken);
}

/** The channels that can take another one's feedback, for the editor's list. */
export async function searchFeedbackChannels(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const channels = await listRecords(this, apiCall('get', '/api/v1/Admin/Channel', {}));
	return searchPage(channels.filter(canBeFeedbackChannel).flatMap(entryOf), filter, paginationToken);
}

function canBeFeedbackChannel({ channelType }: JsonObject): boolean {
	// A type that does not say so is not left out: every field of a response may be missing.
	return !isPlainObject(channelType) || channelType.canBeFeedbackChannel !== false;
}

function entryOf(channel: JsonObject): INodeListSearchItems[] {
	const value = textAt(channel, 'channelId');
	if (value === '') return [];
	const connected =
		typeof channel.isConnected === 'boolean' ? (channel.isConnected ? 'connected' : 'not connected') : '';
	const parts = [
		textAt(channel, 'name') || value,
		textAt(channel, 'channelType.name'),
		textAt(channel, 'provider.name'),
		connected,
		textAt(channel, 'account.name'),
	];
	return [{ name: parts.filter(Boolean).join(' · '), value }];
}
