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

/**
 * The way to the first value, or name of a field, of this kind; `undefined` when there is none.
 *
 * @param value plain JSON
 */
export function pathTo(value: unknown, isMeant: (value: unknown) => boolean): readonly string[] | undefined {
	if (isMeant(value)) return [];
	const members = Array.isArray(value) ? value.entries() : isPlainObject(value) ? Object.entries(value) : [];
	for (const [name, member] of members) {
		if (typeof name === 'string' && isMeant(name)) return [name];
		const rest = pathTo(member, isMeant);
		if (rest !== undefined) return [String(name), ...rest];
	}
	return undefined;
}
