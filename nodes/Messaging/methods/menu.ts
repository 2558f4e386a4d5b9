import type { INodeListSearchResult } from 'n8n-workflow';

import { cut, fold } from '../shared/text';
import { mapInTurns } from '../shared/turns';

/** How many entries one page of a menu shows. */
const PAGE_SIZE = 50;
/** The longest part of a label, in characters. */
const LONGEST_PART = 100;

/** What a menu shows for a record. Its ID becomes the parameter's value. */
export interface Choice {
	id: string;
	/** The parts of the label in order. Empty ones are left out. Without any, the ID is the label. */
	parts: readonly string[];
	/** Whether it comes after the others because it can't be used at the moment. */
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

/** The order of labels: as in a dictionary, with numbers by their value. Much faster than `localeCompare`. */
const byLabel = new Intl.Collator('en', { numeric: true });

interface Labelled {
	readonly id: string;
	label: string;
	readonly last: boolean;
}

/**
 * One page of a menu: the choices whose label or ID contains every word typed, sorted by label.
 *
 * @param choices an `undefined` entry is left out; entries with the same ID count once
 * @returns `undefined` if there is nothing to choose, whatever was typed
 */
export async function menuOf(
	choices: ReadonlyArray<Choice | undefined>,
	{ filter, paginationToken }: Search,
): Promise<INodeListSearchResult | undefined> {
	const entries = await withLabels(choices.filter((choice) => choice !== undefined));
	if (entries.length === 0) return undefined;
	const words = [...new Set(fold(filter ?? '').split(/\s+/))];
	const texts = await mapInTurns(entries, ({ label, id }) => fold(`${label} ${id}`));
	const found = entries.filter((_, index) => words.every((word) => texts[index]?.includes(word)));
	found.sort(
		(one, other) =>
			Number(one.last) - Number(other.last) ||
			byLabel.compare(one.label, other.label) ||
			(one.id < other.id ? -1 : 1),
	);
	const start = Number(paginationToken ?? 0);
	const end = start + PAGE_SIZE;
	const results = found.slice(start, end).map(({ id, label }) => ({ name: label, value: id }));
	return end < found.length ? { results, paginationToken: String(end) } : { results };
}

/** The choices with their labels. Equal labels get the end of the ID added, or all of it if the ends are equal too. */
async function withLabels(choices: readonly Choice[]): Promise<Labelled[]> {
	const byId = new Map([...choices].reverse().map((choice) => [choice.id, choice]));
	const entries = await mapInTurns([...byId.values()], ({ id, parts, last = false }) => {
		const shown = parts.map((part) => labelText(part, LONGEST_PART)).filter((part) => part !== '');
		return { id, label: shown.join(' · ') || labelText(id, LONGEST_PART), last };
	});
	for (const addition of [(id: string) => `…${id.slice(-6)}`, (id: string) => id]) {
		const counts = new Map<string, number>();
		for (const { label } of entries) counts.set(label, (counts.get(label) ?? 0) + 1);
		for (const entry of entries) if (counts.get(entry.label) !== 1) entry.label += ` · ${addition(entry.id)}`;
	}
	return entries;
}

/** Characters that break a line, are invisible, or change the direction of the text beside them. */
const UNFIT = /[\s\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]+/gu;

/** The service's text as a label: on one line, of limited length, and never an expression. */
export function labelText(text: string, most: number): string {
	// Only the beginning is used, however long the text is.
	const line = text.slice(0, most * 20).replace(UNFIT, ' ');
	return cut(line.replace(/^[ =]+/, '').trim(), most);
}

/**
 * Text as the value of a parameter. n8n runs a text that begins with "=" as an expression, so such a text becomes an
 * expression that returns exactly this text.
 */
export function literal(text: string): string {
	if (!text.startsWith('=')) return text;
	const escaped = text.replace(/[^A-Za-z0-9 ]/g, (character) => {
		return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
	});
	return `={{ "${escaped}" }}`;
}
