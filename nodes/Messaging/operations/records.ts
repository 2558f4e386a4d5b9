import type { IDataObject } from 'n8n-workflow';

import { flagField } from '../fields/builders';
import { includeToken, optionsField } from '../fields/options';
import type { Input } from '../input/input';
import { isPlainObject, textAt, valueAt } from '../shared/json';
import type { CompiledCall } from './operation';

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

/** Whether to return a record as a few flat fields; by default, the whole record is returned. */
export const simplifyField = flagField({
	name: 'simplify',
	description: 'Whether to return a simplified version of the response instead of the raw data',
});

/** The paths of fields that have the same name at the top of a record. */
export function topLevel(...names: string[]): Record<string, string> {
	return Object.fromEntries(names.map((name) => [name, name]));
}

/** A simplified record: at most ten flat fields, by name their paths in the record as the service returns it; never a token. */
export type RecordShape = Readonly<Record<string, string>>;

/** The same for operations that return a few flat fields by default. */
export const simplifiedField = { ...simplifyField, default: true } as const;

const FORM_FIELDS = [simplifiedField, optionsField([includeToken])] as const;

/**
 * How to present a record in the chosen form: all of the service's fields, or the most useful ones, flat. An answer that is
 * not a record is returned by `withReply`. Credentials are masked, unless the option shows them.
 */
export function presenter(item: Pick<Input<[]>, 'part'>, shape: RecordShape) {
	const input = item.part(FORM_FIELDS);
	const showToken = input.collection('options').flag('includeToken');
	const isRaw = !input.flag('simplify');
	const present = (record: unknown, ownFields: IDataObject = {}): IDataObject =>
		withReply(isRaw ? record : pick(record, shape), ownFields);
	return { present, showToken };
}

/** The output of an operation that answers with one record, of which the node knows some fields itself. */
export function recordOutput(
	item: Pick<Input<[]>, 'part'>,
	shape: RecordShape,
	ownFields?: IDataObject,
): Pick<CompiledCall, 'output' | 'showToken'> {
	const { present, showToken } = presenter(item, shape);
	return { showToken, output: (body) => [present(body, ownFields)] };
}
