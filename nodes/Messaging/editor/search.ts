import type { INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

import { searchable } from '../text/fold';
import { Turns } from '../time/turns';
import type { MenuEntry } from './menu';

/** How many entries one page of a menu shows. */
const PAGE_SIZE = 50;
/** How many words are searched for. */
const MOST_WORDS = 20;

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
 * @param menu all entries of the menu
 * @param offers whether the menu has this one in it
 */
export async function searchPage<T extends object>(
	menu: ReadonlyArray<MenuEntry<T>>,
	{ filter, paginationToken }: Search,
	offers: (record: T) => boolean = () => true,
): Promise<INodeListSearchResult> {
	const typed = searchable(filter ?? '')
		.split(/\s+/)
		.filter(Boolean);
	const words = [...new Set(typed)].slice(0, MOST_WORDS);
	const start = Number(paginationToken ?? 0);
	const turns = new Turns();
	const results: INodeListSearchItems[] = [];
	let found = 0;
	for (const { record, shown, text } of menu) {
		if (turns.over) await turns.next();
		if (!offers(record) || !words.every((word) => text.includes(word))) continue;
		found += 1;
		if (found <= start) continue;
		if (results.length === PAGE_SIZE) return { results, paginationToken: String(start + PAGE_SIZE) };
		results.push(shown);
	}
	return { results };
}
