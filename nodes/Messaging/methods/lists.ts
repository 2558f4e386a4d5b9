import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { locatorValue } from '../input/values';
import { listIn } from '../service/answer';
import { type ApiCall, LIST_OF } from '../service/api-call';
import { channelIn } from '../service/channel';
import { ask, connect, type Service } from '../service/connect';
import { apiError, type FailureWords, isFailure } from '../service/endings';
import { systemClock } from '../shared/clock';
import { isPlainObject, type JsonObject, textAt } from '../shared/json';
import { isUuid } from '../shared/uuid';

/** How long the editor waits for a list, in milliseconds. */
const LIST_TIMEOUT_MS = 15_000;
/** How long a list is used for typing and paging, in milliseconds. */
const KEEP_MS = 60_000;

/**
 * A list for menus, cached by credential: one request is enough from opening a menu to closing it. Throws a NodeApiError
 * with the reason and what to do if the list can't be read.
 *
 * @param entryOf what to keep of a record; `undefined` leaves it out
 */
function editorList<T>(call: ApiCall, id: string, entryOf: (record: JsonObject) => T | undefined) {
	const kept = new Map<string, { at: number; entries: Promise<T[]> }>();
	return async (context: ILoadOptionsFunctions, opening: boolean): Promise<readonly T[]> => {
		const service = await serviceFor(context);
		const now = systemClock.now();
		for (const [id, { at }] of kept) if (now - at >= KEEP_MS) kept.delete(id);
		const cached = opening ? undefined : kept.get(service.id);
		if (cached !== undefined) return await cached.entries;
		const entries = recordsFrom(context, service, call, id).then((records) =>
			records.flatMap((record) => entryOf(record) ?? []),
		);
		kept.set(service.id, { at: now, entries });
		entries.catch(() => kept.delete(service.id));
		return await entries;
	};
}

/** The channels that the key can access, without those that are permanently deleted. */
export const channelList = editorList(LIST_OF.channel, 'channelId', (record) => {
	const channel = channelIn(record);
	return channel?.isDeleted === false ? channel : undefined;
});

/** The accounts that the key can access. */
export const accountList = editorList(LIST_OF.account, 'accountId', (record) => ({
	id: textAt(record, 'accountId'),
	name: textAt(record, 'name'),
	organization: {
		id: textAt(record, 'organization.organizationId'),
		name: textAt(record, 'organization.name'),
	},
}));

/** What is chosen in a field; '' if that is nothing, or an expression, which has no value before the workflow runs. */
export function chosenIn(context: ILoadOptionsFunctions, field: string): string {
	const chosen = locatorValue(context.getCurrentNodeParameter(field));
	return typeof chosen === 'string' && !chosen.startsWith('=') ? chosen.trim() : '';
}

/**
 * The error that a menu shows in place of its entries. It is used for an empty list too, for which n8n would show only
 * "No results": n8n shows a node's own text only as an error, and a description only of a NodeApiError.
 */
export function menuError(
	context: ILoadOptionsFunctions,
	words: Partial<FailureWords> & { message: string; description: string },
): Error {
	// n8n's menus split a message at its hyphens and drop them. Non-breaking hyphens look the same and stay.
	const message = words.message.replace(/-/g, '\u2011');
	return apiError(context.getNode(), { statusCode: null, problem: null, ...words, message });
}

async function serviceFor(context: ILoadOptionsFunctions): Promise<Service> {
	const service = await connect(context);
	if (isFailure(service)) throw menuError(context, service);
	return service;
}

/** The records of a list that have a UUID as their ID. */
async function recordsFrom(
	context: ILoadOptionsFunctions,
	service: Service,
	call: ApiCall,
	id: string,
): Promise<JsonObject[]> {
	const reply = await ask(service, call, { timeoutMs: LIST_TIMEOUT_MS });
	const list = isFailure(reply) ? reply : listIn(reply);
	if (isFailure(list)) throw menuError(context, list);
	const records = list.filter(isPlainObject).filter((record) => isUuid(textAt(record, id)));
	if (list.length === 0 || records.length > 0) return records;
	throw menuError(context, {
		message: `The list has no ${id.replace('Id', '')} with a UUID`,
		description: `The service sent ${list.length}, but none has a UUID as its "${id}". Tell its operator. If you know the ID, you can enter it yourself.`,
	});
}
