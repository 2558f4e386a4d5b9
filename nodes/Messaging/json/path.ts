import { isPlainObject } from './plain-object';

/**
 * The value at a path such as `channelType.name`; `undefined` when a part of it is missing.
 *
 * @param path with dots, or taken apart already
 */
export function valueAt(record: unknown, path: string | readonly string[]): unknown {
	let value = record;
	for (const key of typeof path === 'string' ? path.split('.') : path) {
		value = isPlainObject(value) ? value[key] : undefined;
	}
	return value;
}

/** Text at a path, without spaces around it; '' when there is none. */
export function textAt(record: unknown, path: string): string {
	const value = valueAt(record, path);
	return typeof value === 'string' ? value.trim() : '';
}
