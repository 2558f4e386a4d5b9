import type { INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

/** How many entries one page of a menu shows. */
const PAGE_SIZE = 50;

/** What the editor asks a menu for. */
export interface Search {
	/** What the user typed. */
	filter?: string | undefined;
	/** Where the page begins, as the page before returned it. */
	paginationToken?: string | undefined;
}

/** Whether a menu is being opened: nothing typed yet, and the first page. */
export function isOpening({ filter, paginationToken }: Search): boolean {
	return (filter ?? '') === '' && paginationToken === undefined;
}

/**
 * One page of the entries that hold every word typed.
 *
 * @param entries all entries of the menu
 */
export function searchPage(
	entries: readonly INodeListSearchItems[],
	{ filter, paginationToken }: Search,
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

/** Menu entries without repetition, by label. */
export function choices(entries: readonly INodeListSearchItems[]): INodeListSearchItems[] {
	const byValue = new Map(entries.map((entry) => [entry.value, entry]));
	return [...byValue.values()].sort((one, other) => one.name.localeCompare(other.name));
}
