import type { INodeListSearchResult } from 'n8n-workflow';

import { fold } from '../shared/text';
import { labelText } from './label';
import { inPortions } from './lists';

/** How many entries one page of a menu shows. */
const PAGE_SIZE = 50;
/** The longest part of a label, in characters. */
const LONGEST_PART = 100;

/** What a menu shows of a record; its ID becomes the parameter's value. */
export interface Choice {
	id: string;
	/** What the label is made of, in order; empty parts are left out. The ID stands in for all of them. */
	parts: readonly string[];
	/** Whether it comes after those that can be used at once. */
	last?: boolean;
}

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

/** Names in the order of a dictionary, with numbers by their size. */
const byLabel = new Intl.Collator('en', { numeric: true });

interface Entry {
	id: string;
	label: string;
	last: boolean;
}

/**
 * One page of a menu: of the choices whose label or ID holds every word typed, what can be used first, then by label.
 *
 * @param records what the menu is made of
 * @param choiceOf what to show of a record; `undefined` for one that can't be picked. Of several choices with one ID,
 * the first is shown
 * @returns `undefined` when there is nothing to pick, whatever was typed
 */
export async function menuOf<T>(
	records: readonly T[],
	choiceOf: (record: T) => Choice | undefined,
	{ filter, paginationToken }: Search,
): Promise<INodeListSearchResult | undefined> {
	const choices = new Map<string, Choice>();
	for (const choice of await inPortions(records, choiceOf)) {
		if (choice !== undefined && !choices.has(choice.id)) choices.set(choice.id, choice);
	}
	if (choices.size === 0) return undefined;
	const entries = await inPortions([...choices.values()], entryOf);
	tellApart(entries, ({ id }) => `…${id.slice(-6)}`);
	tellApart(entries, ({ id }) => id);
	const words = [...new Set(fold(filter ?? '').split(/\s+/))];
	const found = await inPortions(entries, (entry) => {
		const text = fold(`${entry.label} ${entry.id}`);
		return words.every((word) => text.includes(word)) ? [entry] : [];
	});
	const sorted = found
		.flat()
		.sort(
			(one, other) =>
				Number(one.last) - Number(other.last) ||
				byLabel.compare(one.label, other.label) ||
				(one.id < other.id ? -1 : 1),
		);
	const start = Number(paginationToken ?? 0);
	const end = start + PAGE_SIZE;
	const results = sorted.slice(start, end).map(({ id, label }) => ({ name: label, value: id }));
	return end < sorted.length ? { results, paginationToken: String(end) } : { results };
}

function entryOf({ id, parts, last = false }: Choice): Entry {
	const shown = parts.map((part) => labelText(part, LONGEST_PART)).filter((part) => part !== '');
	return { id, label: shown.join(' · ') || labelText(id, LONGEST_PART), last };
}

/** Adds to labels that several entries have what differs between these. */
function tellApart(entries: readonly Entry[], difference: (entry: Entry) => string): void {
	const counts = new Map<string, number>();
	for (const { label } of entries) counts.set(label, (counts.get(label) ?? 0) + 1);
	for (const entry of entries) {
		if (counts.get(entry.label) !== 1) entry.label += ` · ${difference(entry)}`;
	}
}
