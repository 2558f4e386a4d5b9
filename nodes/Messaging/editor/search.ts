import type { INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

import { isPlainObject, type JsonObject } from '../fields/values';

/** How many entries one page of a list shows. */
const PAGE_SIZE = 50;

/** Text at a path such as `channelType.name`; '' when there is none. */
export function textAt(record: JsonObject, path: string): string {
	const value = path
		.split('.')
		.reduce<unknown>((parent, key) => (isPlainObject(parent) ? parent[key] : undefined), record);
	return typeof value === 'string' ? value : '';
}

/**
 * One page of the entries that hold every word typed.
 *
 * @param entries all entries of the list
 * @param filter what the user typed
 * @param paginationToken where the page begins, as the page before returned it
 */
export function searchPage(
	entries: INodeListSearchItems[],
	filter: string | undefined,
	paginationToken: string | undefined,
): INodeListSearchResult {
	const words = (filter ?? '').toLowerCase().split(/\s+/).filter(Boolean);
	const found = entries.filter(({ name, value }) => {
		const text = `${name} ${String(value)}`.toLowerCase();
		return words.every((word) => text.includes(word));
	});
	const start = Number(paginationToken ?? 0);
	const end = start + PAGE_SIZE;
	const page = { results: found.slice(start, end) };
	return end < found.length ? { ...page, paginationToken: String(end) } : page;
}
