import type { IDataObject } from 'n8n-workflow';

import { isPlainObject, textAt, valueAt } from '../shared/json';

/**
 * The json of an output item: what the node knows, and what the service answered.
 *
 * The service's fields win over the node's unless they are null; `settled` always wins. A reply that is not an object
 * is put into `response`. The service's `error` becomes `serviceError`, because n8n treats a top-level `error` as a
 * failure.
 *
 * @param ownFields fields that every output of the operation has
 * @param settled fields that say how the call ended, such as `deleted`
 */
export function withReply(
	body: unknown,
	ownFields: IDataObject = {},
	settled: IDataObject = {},
): IDataObject {
	if (body === undefined || body === null) return { ...settled, ...ownFields };
	if (!isPlainObject(body)) return { ...settled, ...ownFields, response: body as IDataObject['response'] };
	const item: IDataObject = { ...settled, ...ownFields, ...(body as IDataObject) };
	for (const [name, value] of Object.entries(ownFields)) item[name] ??= value;
	Object.assign(item, settled);
	if (Object.hasOwn(body, 'error')) {
		delete item.error;
		if (body.error !== undefined) item.serviceError = body.error as IDataObject['error'];
	}
	return item;
}

/** The records of a list response. Anything but a list counts as one record, an empty body as none. */
export function recordsOf(body: unknown): unknown[] {
	if (body === undefined || body === null) return [];
	return Array.isArray(body) ? body : [body];
}

/** A channel in the list that the service sends; `undefined` if it is not there. */
export function channelWith(channelId: string, list: unknown): unknown {
	const id = channelId.toLowerCase();
	return recordsOf(list).find((record) => textAt(record, 'channelId').toLowerCase() === id);
}

/**
 * Some fields of a record, flat and in order; anything that has none of them is passed on as it came.
 *
 * @param paths the path of each field, such as `name` or `parent.child`
 */
export function pick(record: unknown, paths: Readonly<Record<string, string>>): IDataObject {
	if (!Object.values(paths).some((path) => valueAt(record, path) !== undefined)) return withReply(record);
	const picked: IDataObject = {};
	for (const [name, path] of Object.entries(paths)) {
		const value = valueAt(record, path) ?? null;
		picked[name] = isPlainObject(value) ? JSON.stringify(value) : (value as IDataObject['value']);
	}
	return picked;
}
