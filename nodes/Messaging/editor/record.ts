import { isPlainObject } from '../fields/values';

/** The value at a path such as `channelType.name`; undefined when a part of it is missing. */
export function valueAt(record: unknown, path: string): unknown {
	return path
		.split('.')
		.reduce<unknown>((parent, key) => (isPlainObject(parent) ? parent[key] : undefined), record);
}

/** Text at a path, without spaces around it; '' when there is none. */
export function textAt(record: unknown, path: string): string {
	const value = valueAt(record, path);
	return typeof value === 'string' ? value.trim() : '';
}
