import type { INodeListSearchResult } from 'n8n-workflow';

import { fold, named } from '../shared/text';

/** How many entries a menu shows. Typing finds the others. */
const MOST_ENTRIES = 500;

/** What a menu shows for a record. Its ID becomes the parameter's value. */
export interface Choice {
	id: string;
	/** The parts of the label in order. Empty ones are left out. Without any, the ID is the label. */
	parts: readonly string[];
}

/** The order of labels: as in a dictionary, with numbers by their value. Much faster than `localeCompare`. */
const byLabel = new Intl.Collator('en', { numeric: true });

/**
 * A menu: the choices whose label or ID contains every word typed, sorted by label. Equal labels get the end of the ID
 * added.
 *
 * @param choices an `undefined` entry is left out; entries with the same ID count once
 * @returns `undefined` if there is nothing to choose, whatever was typed
 */
export function menuOf(
	choices: ReadonlyArray<Choice | undefined>,
	filter: string,
): INodeListSearchResult | undefined {
	const byId = new Map(choices.flatMap((choice) => (choice === undefined ? [] : [[choice.id, choice]])));
	if (byId.size === 0) return undefined;
	const labels = new Map<string, number>();
	const entries = [...byId.values()].map(({ id, parts }) => {
		const shown = parts.map((part) => labelText(part, 100)).filter((part) => part !== '');
		const label = shown.join(' · ') || labelText(id, 100);
		labels.set(label, (labels.get(label) ?? 0) + 1);
		return { id, label, text: fold(`${label} ${id}`) };
	});
	const words = [...new Set(fold(filter).split(/\s+/))];
	const found = entries.filter(({ text }) => words.every((word) => text.includes(word)));
	found.sort((one, other) => byLabel.compare(one.label, other.label) || (one.id < other.id ? -1 : 1));
	const results = found.slice(0, MOST_ENTRIES).map(({ id, label }) => {
		return { name: labels.get(label) === 1 ? label : `${label} · …${id.slice(-6)}`, value: id };
	});
	return { results };
}

/** Text of the service as a label: on one line, of limited length, and never an expression. '' for anything else. */
export function labelText(text: unknown, most: number): string {
	return typeof text === 'string' ? named(text.replace(/^[=\s]+/, '').trimEnd(), most) : '';
}
