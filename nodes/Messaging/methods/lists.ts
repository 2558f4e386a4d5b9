import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { isUuid } from '../input/uuid';
import { type ApiCall, apiCall } from '../service/api-call';
import { ask, connect, type Service } from '../service/connect';
import { isFailure } from '../service/endings';
import { systemClock } from '../shared/clock';
import { isPlainObject, type JsonObject, textAt, valueAt } from '../shared/json';
import { nothingToPick, readingError } from './notices';

/** What menus show of an account. */
export interface AccountEntry {
	accountId: string;
	name: string;
	organization: { id: string; name: string };
}

/** What menus and the form need to know of a channel. Any part of a response may be missing. */
export interface ChannelEntry {
	channelId: string;
	name: string;
	/** False only where the service says so; so are the next two. */
	connected: boolean;
	canSend: boolean;
	canConfigure: boolean;
	type: ChannelTypeEntry;
	provider: { id: string; name: string };
	status: { id: number | undefined; name: string };
	accountName: string;
	organization: { id: string; name: string };
}

/** What menus and the form need to know of a channel type. */
export interface ChannelTypeEntry {
	/** As channels are created with; '' when the service does not say. */
	key: string;
	name: string;
	canBeFeedbackChannel: boolean;
	configurationSchemaUrl: string;
}

/** How long the editor waits for a list, in milliseconds. */
const TIMEOUT_MS = 15_000;
/** How long a list serves typing and paging, in milliseconds. */
const KEEP_MS = 60_000;
/** How old a list may be when a menu is opened, in milliseconds: what was just created must be in it. */
const OPENING_MS = 3_000;
/** How many lists are kept at most, over all keys. */
const MOST_KEPT = 20;
/** How many entries are dealt with in one turn of the event loop. */
const PORTION = 1_000;

/** A list as menus need it. One request serves a menu from opening it to closing it; what is read is kept by key. */
class EditorList<T> {
	/** The oldest first. */
	private readonly kept = new Map<string, { at: number; entries: Promise<T[]> }>();

	/** @param entryOf what to keep of a record; `undefined` for one that is left out */
	constructor(
		private readonly call: ApiCall,
		private readonly entryOf: (record: JsonObject) => T | undefined,
	) {}

	/**
	 * The entries in the service's order.
	 *
	 * @param opening whether a menu is being opened, which calls for a fresh list
	 * @throws NodeApiError with the reason and the way out when the list can't be read
	 */
	async entries(context: ILoadOptionsFunctions, opening: boolean): Promise<readonly T[]> {
		const service = await serviceFor(context);
		const now = systemClock.now();
		for (const [id, { at }] of this.kept) if (now - at >= KEEP_MS) this.kept.delete(id);
		const known = this.kept.get(service.id);
		if (known !== undefined && (!opening || now - known.at < OPENING_MS)) return await known.entries;
		const fresh = { at: now, entries: this.read(context, service) };
		this.kept.delete(service.id);
		this.kept.set(service.id, fresh);
		for (const id of this.kept.keys()) if (this.kept.size > MOST_KEPT) this.kept.delete(id);
		fresh.entries.catch(() => this.kept.get(service.id) === fresh && this.kept.delete(service.id));
		return await fresh.entries;
	}

	private async read(context: ILoadOptionsFunctions, service: Service): Promise<T[]> {
		const entries = await inPortions(await recordsFrom(context, service, this.call), this.entryOf);
		return entries.filter((entry) => entry !== undefined);
	}
}

const listChannels = apiCall('get', '/api/v1/Admin/Channel', {});

/** The channels that the key reaches, without those that have no UUID to name them by or are deleted for good. */
export const channelList = new EditorList(listChannels, channelEntry);

/** The accounts that the key reaches, without those that have no UUID. */
export const accountList = new EditorList(apiCall('get', '/api/v1/Admin/Account', {}), accountEntry);

/** One channel with its parameters, API keys masked. Read anew each time: parameters may hold secrets. */
export async function channelWithParameters(
	context: ILoadOptionsFunctions,
	channelId: string,
): Promise<{ type: ChannelTypeEntry; parameters: unknown } | undefined> {
	const wanted = channelId.trim().toLowerCase();
	const records = await recordsFrom(context, await serviceFor(context), listChannels);
	const found = records.find((record) => textAt(record, 'channelId').toLowerCase() === wanted);
	if (found === undefined) return undefined;
	return { type: typeEntry(found), parameters: found.parameters };
}

/** What becomes of each entry of a list. The event loop turns in between: the list may be long. */
export async function inPortions<T, R>(list: readonly T[], each: (entry: T) => R): Promise<R[]> {
	const results: R[] = [];
	for (const entry of list) {
		if (results.length % PORTION === PORTION - 1) await systemClock.sleep(0);
		results.push(each(entry));
	}
	return results;
}

async function serviceFor(context: ILoadOptionsFunctions): Promise<Service> {
	const service = await connect(context);
	if (isFailure(service)) throw readingError(context, service);
	return service;
}

async function recordsFrom(
	context: ILoadOptionsFunctions,
	service: Service,
	call: ApiCall,
): Promise<JsonObject[]> {
	const reply = await ask(service, call, { timeoutMs: TIMEOUT_MS });
	if (isFailure(reply)) throw readingError(context, reply);
	// No body is an empty list; anything else is not what was asked for.
	const body: unknown = reply.body ?? [];
	if (Array.isArray(body)) return body.filter(isPlainObject);
	throw nothingToPick(
		context,
		'The service answered with something other than a list',
		'Check the Base URL in the credential: another program may answer there. An entry can also be named by its ID.',
	);
}

function accountEntry(record: JsonObject): AccountEntry | undefined {
	const accountId = textAt(record, 'accountId');
	if (!isUuid(accountId)) return undefined;
	return {
		accountId,
		name: textAt(record, 'name'),
		organization: {
			id: textAt(record, 'organization.organizationId'),
			name: textAt(record, 'organization.name'),
		},
	};
}

function channelEntry(record: JsonObject): ChannelEntry | undefined {
	const channelId = textAt(record, 'channelId');
	if (!isUuid(channelId) || valueAt(record, 'status.isTerminalDeletionState') === true) return undefined;
	const statusId = valueAt(record, 'status.channelStatusId');
	return {
		channelId,
		name: textAt(record, 'name'),
		connected: record.isConnected !== false,
		canSend:
			valueAt(record, 'status.canSendAndReceiveMessage') !== false &&
			valueAt(record, 'account.status.canSendAndReceiveMessage') !== false,
		canConfigure: valueAt(record, 'status.canConfigure') !== false,
		type: typeEntry(record),
		provider: { id: textAt(record, 'provider.providerId'), name: textAt(record, 'provider.name') },
		status: {
			id: typeof statusId === 'number' ? statusId : undefined,
			name: textAt(record, 'status.name'),
		},
		accountName: textAt(record, 'account.name'),
		organization: {
			id: textAt(record, 'organizationId') || textAt(record, 'account.organization.organizationId'),
			name: textAt(record, 'account.organization.name'),
		},
	};
}

function typeEntry(record: JsonObject): ChannelTypeEntry {
	return {
		key: textAt(record, 'channelType.key') || textAt(record, 'provider.channelTypeKey'),
		name: textAt(record, 'channelType.name') || textAt(record, 'provider.channelTypeName'),
		canBeFeedbackChannel: valueAt(record, 'channelType.canBeFeedbackChannel') !== false,
		configurationSchemaUrl: textAt(record, 'channelType.configurationSchemaUrl'),
	};
}
