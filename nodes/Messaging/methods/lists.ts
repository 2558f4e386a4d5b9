import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { locatorValue } from '../input/values';
import { listIn } from '../service/answer';
import { type ApiCall, LIST_OF } from '../service/api-call';
import { channelIn, type ChannelRecord } from '../service/channel';
import { ask, connect } from '../service/connect';
import { apiError, type FailureWords, isFailure } from '../service/endings';
import { isPlainObject, type JsonObject, textAt } from '../shared/json';
import { isUuid } from '../shared/uuid';

/** How long the editor waits for a list, in milliseconds. */
const LIST_TIMEOUT_MS = 15_000;

/** The channels that the key can access, without those that are permanently deleted. Throws as `recordsFrom`. */
export async function channelList(context: ILoadOptionsFunctions): Promise<ChannelRecord[]> {
	const records = await recordsFrom(context, LIST_OF.channel, 'channelId');
	return records.flatMap((record) => {
		const channel = channelIn(record);
		return channel?.isDeleted === false ? [channel] : [];
	});
}

/** The accounts that the key can access. Text that a record lacks is ''. Throws as `recordsFrom`. */
export async function accountList(context: ILoadOptionsFunctions) {
	const records = await recordsFrom(context, LIST_OF.account, 'accountId');
	return records.map((record) => ({
		id: textAt(record, 'accountId'),
		name: textAt(record, 'name'),
		organization: textAt(record, 'organization.name'),
	}));
}

/** What is chosen in a field; '' if that is nothing, or an expression, which has no value before the workflow runs. */
export function chosenIn(context: ILoadOptionsFunctions, field: string): string {
	const chosen = locatorValue(context.getCurrentNodeParameter(field));
	return typeof chosen === 'string' && !chosen.startsWith('=') ? chosen.trim() : '';
}

/**
 * The error that a menu shows in place of its entries. It is used for an empty list too, for which n8n would show only
 * "No results": n8n shows a node's own text only as an error, and a description only of a NodeApiError.
 */
export function menuError(context: ILoadOptionsFunctions, words: FailureWords): Error {
	// n8n's menus split a message at its hyphens and drop them. Non-breaking hyphens look the same and stay.
	const message = words.message.replace(/-/g, '\u2011');
	return apiError(context.getNode(), { ...words, message });
}

/**
 * The records of a list that have a UUID as their ID. Throws a NodeApiError with the reason and what to do if the list
 * can't be read, or has no such records.
 */
async function recordsFrom(context: ILoadOptionsFunctions, call: ApiCall, id: string): Promise<JsonObject[]> {
	const service = await connect(context);
	if (isFailure(service)) throw menuError(context, service);
	const list = listIn(await ask(service, call, { timeoutMs: LIST_TIMEOUT_MS }));
	if (isFailure(list)) throw menuError(context, list);
	const records = list.filter(isPlainObject).filter((record) => isUuid(textAt(record, id)));
	if (list.length === 0 || records.length > 0) return records;
	throw menuError(context, {
		message: `The list has no ${id.replace('Id', '')} with a UUID`,
		description: `The service sent ${list.length}, but none has a UUID as its "${id}". Tell its operator. If you know the ID, you can enter it yourself.`,
	});
}
