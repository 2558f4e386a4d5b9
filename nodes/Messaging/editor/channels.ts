import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { Turns } from '../time/turns';
import type { JsonObject } from '../json/plain-object';
import { apiCall } from '../service/api-call';
import { maskTokens } from '../service/tokens';
import { keptList, listRecords } from './list';
import { textAt, valueAt } from '../json/path';

/** What menus and forms need to know of a channel. Every part of a response may be missing. */
export interface ChannelEntry {
	channelId: string;
	name: string;
	connected: boolean | undefined;
	/** False only where the service says so. */
	canSend: boolean;
	canConfigure: boolean;
	type: ChannelTypeEntry;
	provider: { id: string; name: string };
	status: { id: number | undefined; name: string };
	accountName: string;
	organization: { id: string; name: string };
}

/** What menus and forms need to know of a channel type. */
export interface ChannelTypeEntry {
	/** As channels are created with; '' when the service does not say. */
	key: string;
	name: string;
	canBeFeedbackChannel: boolean;
	configurationSchemaUrl: string;
}

const listChannels = () => apiCall('get', '/api/v1/Admin/Channel', {});

/**
 * The channels that the key reaches, in the service's order, those deleted for good aside.
 *
 * @param opening whether a menu is being opened
 */
export async function channelsOf(
	context: ILoadOptionsFunctions,
	opening: boolean,
): Promise<readonly ChannelEntry[]> {
	return await keptList(context, listChannels(), opening, reducer());
}

/** One channel with its parameters, API keys masked, read anew: they may hold secrets and are not kept. */
export async function channelWithParameters(
	context: ILoadOptionsFunctions,
	channelId: string,
): Promise<{ type: ChannelTypeEntry; parameters: unknown } | undefined> {
	const wanted = channelId.trim().toLowerCase();
	const records = await listRecords(context, listChannels());
	const turns = new Turns();
	let found: JsonObject | undefined;
	for (const record of records) {
		if (textAt(record, 'channelId').toLowerCase() === wanted) found ??= record;
		if (turns.over) await turns.next();
	}
	if (found === undefined) return undefined;
	// As in results: keys of this service do not get into the workflow.
	await maskTokens(found);
	return { type: typeOf(found), parameters: found.parameters };
}

/** Makes the entries of one list. */
function reducer(): (record: JsonObject) => ChannelEntry | undefined {
	const shared = new Map<string, object>();
	// Thousands of channels share a few types, providers and statuses: each is kept once.
	const share = <T extends object>(value: T): T => {
		const text = JSON.stringify(value);
		const known = shared.get(text) as T | undefined;
		if (known === undefined) shared.set(text, value);
		return known ?? value;
	};
	return (record) => {
		const channelId = textAt(record, 'channelId');
		if (channelId === '' || valueAt(record, 'status.isTerminalDeletionState') === true) return undefined;
		const statusId = valueAt(record, 'status.channelStatusId');
		return {
			channelId,
			name: textAt(record, 'name'),
			connected: typeof record.isConnected === 'boolean' ? record.isConnected : undefined,
			canSend:
				valueAt(record, 'status.canSendAndReceiveMessage') !== false &&
				valueAt(record, 'account.status.canSendAndReceiveMessage') !== false,
			canConfigure: valueAt(record, 'status.canConfigure') !== false,
			type: share(typeOf(record)),
			provider: share({ id: textAt(record, 'provider.providerId'), name: textAt(record, 'provider.name') }),
			status: share({
				id: typeof statusId === 'number' ? statusId : undefined,
				name: textAt(record, 'status.name'),
			}),
			accountName: textAt(record, 'account.name'),
			organization: share({
				id: textAt(record, 'organizationId') || textAt(record, 'account.organization.organizationId'),
				name: textAt(record, 'account.organization.name'),
			}),
		};
	};
}

function typeOf(record: JsonObject): ChannelTypeEntry {
	return {
		key: textAt(record, 'channelType.key') || textAt(record, 'provider.channelTypeKey'),
		name: textAt(record, 'channelType.name') || textAt(record, 'provider.channelTypeName'),
		canBeFeedbackChannel: valueAt(record, 'channelType.canBeFeedbackChannel') !== false,
		configurationSchemaUrl: textAt(record, 'channelType.configurationSchemaUrl'),
	};
}
