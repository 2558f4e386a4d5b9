import type { INodeListSearchItems } from 'n8n-workflow';

import { Turns } from '../time/turns';
import { labelText } from './form/literal';
import { headsOf, type Named, plainName } from './heads';
import { cut } from '../text/cut';
import { searchable } from '../text/fold';
import { closed, isolated } from '../text/readable';
import { sorted } from './sort';

/** How much of a name, or of anything else, is searched. */
const LONGEST_SEARCHED = 1_000;
/** The longest label. */
const LONGEST_LABEL = 200;

/** What a menu shows of a record; its ID becomes the parameter's value. */
export interface Choice extends Named {
	/** What follows the name, in its order; those that are empty or stand at the beginning already are left out. */
	details: readonly string[];
	/** Whether it comes after those that can be used at once. */
	last?: boolean;
}

/** An entry of a menu, ready to be searched. */
export interface MenuEntry<T> {
	record: T;
	shown: INodeListSearchItems;
	/** Everything that one may search for, as `searchable` gives it. */
	text: string;
}

/** Names in their order: as a dictionary has them, with numbers by their size. */
const byName = new Intl.Collator('en', { numeric: true });

/** Menus by the list that they are made of, which are there as long as the list is. */
const menus = new WeakMap<readonly object[], Map<string, Promise<Array<MenuEntry<object>>>>>();

/**
 * The menu of a list, made once for everything that is typed in it: what can be used comes first, then by name.
 *
 * @param list records as `keptList` gives them
 * @param name which of the menus of this list
 * @param choiceOf what to show of a record; `undefined` for one that can't be picked. Of several with one ID, the first
 * is shown
 */
export async function menuOf<T extends object>(
	list: readonly T[],
	name: string,
	choiceOf: (record: T) => Choice | undefined,
): Promise<ReadonlyArray<MenuEntry<T>>> {
	const known = menus.get(list) ?? new Map<string, Promise<Array<MenuEntry<object>>>>();
	menus.set(list, known);
	const made = known.get(name) ?? make(list, choiceOf);
	known.set(name, made);
	return (await made) as Array<MenuEntry<T>>;
}

async function make<T extends object>(
	list: readonly T[],
	choiceOf: (record: T) => Choice | undefined,
): Promise<Array<MenuEntry<T>>> {
	const turns = new Turns();
	const choices = new Map<string, { record: T; choice: Choice; fullName: string }>();
	for (const record of list) {
		const choice = choiceOf(record);
		if (choice !== undefined && !choices.has(choice.id)) {
			choices.set(choice.id, {
				record,
				choice: { ...choice, name: plainName(choice) },
				fullName: choice.name,
			});
		}
		if (turns.over) await turns.next();
	}
	const order = await sorted(
		[...choices.values()],
		(one, other) =>
			Number(one.choice.last ?? false) - Number(other.choice.last ?? false) ||
			byName.compare(one.choice.name, other.choice.name) ||
			(one.choice.id < other.choice.id ? -1 : 1),
		turns,
	);
	const heads = await headsOf(
		order.map(({ choice }) => choice),
		turns,
	);
	const entries: Array<MenuEntry<T>> = [];
	for (const { record, choice, fullName } of order) {
		const head = heads.get(choice);
		const details = choice.details.filter((detail) => detail !== '' && detail !== head?.mark);
		const shown = details.map((detail) => isolated(labelText(detail, LONGEST_LABEL)));
		const label = closed(cut([head?.text ?? '', ...shown].join(' · '), LONGEST_LABEL));
		entries.push({
			record,
			shown: { name: label, value: choice.id },
			text: searchable(
				[label, fullName, choice.tag ?? '', ...choice.details, choice.id]
					.map((part) => part.slice(0, LONGEST_SEARCHED))
					.join(' '),
			),
		});
		if (turns.over) await turns.next();
	}
	return entries;
}
