import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { Turns } from '../time/turns';
import { isPlainObject, type JsonObject } from '../json/plain-object';
import type { ApiCall } from '../service/api-call';
import { isFailure } from '../service/endings';
import { ask, connect, type Service } from '../service/connect';
import { cachedList } from './list-cache';
import { nothingToPick, readingError } from './notices';

/** How long the editor waits for a list, in milliseconds. */
const TIMEOUT_MS = 15_000;

/**
 * The records of a list operation, for a menu in the editor.
 *
 * @throws NodeApiError or NodeOperationError with the reason and the way out when the list can't be read
 */
export async function listRecords(context: ILoadOptionsFunctions, call: ApiCall): Promise<JsonObject[]> {
	return await recordsFrom(context, await serviceOf(context), call);
}

async function serviceOf(context: ILoadOptionsFunctions): Promise<Service> {
	const service = await connect(context);
	if (isFailure(service)) throw readingError(context, service);
	return service;
}

async function recordsFrom(
	context: ILoadOptionsFunctions,
	service: Service,
	call: ApiCall,
): Promise<JsonObject[]> {
	const result = await ask(service, call, { timeoutMs: TIMEOUT_MS });
	if (isFailure(result)) throw readingError(context, result);
	// Nothing at all is an empty list; anything else is not what was asked for.
	const body: unknown = result.body ?? [];
	if (!Array.isArray(body)) {
		throw nothingToPick(
			context,
			'The service answered with something other than a list',
			'Check the Base URL in the credential: another program may answer there. An entry can also be named by its ID.',
		);
	}
	const turns = new Turns();
	const records: JsonObject[] = [];
	for (const record of body as unknown[]) {
		if (isPlainObject(record)) records.push(record);
		if (turns.overAfter(1)) await turns.next();
	}
	return records;
}

/**
 * A list reduced to what menus show, kept for a short time for each address and key. The event loop turns while a long
 * one is reduced.
 *
 * @param opening whether a menu is being opened (and not typed or paged in)
 * @param entryOf makes the entry of a record; `undefined` for one that is left out
 */
export async function keptList<T extends object>(
	context: ILoadOptionsFunctions,
	call: ApiCall,
	opening: boolean,
	entryOf: (record: JsonObject) => T | undefined,
): Promise<readonly T[]> {
	const service = await serviceOf(context);
	const read = async (): Promise<T[]> => {
		const entries: T[] = [];
		const records = await recordsFrom(context, service, call);
		const turns = new Turns();
		for (const record of records) {
			const entry = entryOf(record);
			if (entry !== undefined) entries.push(entry);
			if (turns.over) await turns.next();
		}
		return entries;
	};
	return await cachedList(`${call.path} ${service.id}`, opening, read);
}
