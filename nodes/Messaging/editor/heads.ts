import type { Turns } from '../time/turns';
import { labelText } from './form/literal';
import { lengthOf, shortened } from '../text/cut';
import { isolated } from '../text/readable';

/** How many characters a closed menu shows of what was picked. */
const WIDTH = 30;
/** How many of them are left to a name that is not the only one of its kind, and to what tells it apart. */
const NAME_WIDTH = 17;
const MARK_WIDTH = 10;
const TAG_WIDTH = 14;
/** The longest name that is looked at. */
const LONGEST_NAME = 200;

/** Something with a name that others may have too. */
export interface Named {
	id: string;
	/** As `plainName` gives it. */
	name: string;
	/** What may tell it from others of the same name, the best first. */
	marks: readonly string[];
	/** What always follows the name, in brackets. */
	tag?: string;
}

/** How a label begins: with the name, and with what tells it apart where the name alone does not. */
export interface Head {
	text: string;
	/** Which of the marks stands in it, if any. */
	mark: string | undefined;
}

/** A name on one line, which is never an expression; the ID where there is none. */
export function plainName({ name, id }: Pick<Named, 'name' | 'id'>): string {
	return labelText(name, LONGEST_NAME) || labelText(id, LONGEST_NAME);
}

/** The heads of the labels of things whose IDs differ: no two are the same, and each fits into a closed menu. */
export async function headsOf<T extends Named>(things: readonly T[], turns: Turns): Promise<Map<T, Head>> {
	const heads = new Map<T, Head>();
	const unclear: T[] = [];
	for (const [short, alike] of await grouped(things, WIDTH, turns)) {
		const [only] = alike;
		if (alike.length === 1 && only !== undefined) heads.set(only, { text: short, mark: undefined });
		else for (const thing of alike) unclear.push(thing);
		if (turns.over) await turns.next();
	}
	for (const [short, alike] of await grouped(unclear, NAME_WIDTH, turns)) {
		const apartOf = await whatTellsApart(alike, turns);
		for (const thing of alike) {
			const { text, mark } = apartOf(thing);
			heads.set(thing, { text: `${short} · ${isolated(text)}`, mark });
			if (turns.over) await turns.next();
		}
	}
	return heads;
}

function shortName(thing: Named, width: number): string {
	const tag = shortened(labelText(thing.tag ?? '', LONGEST_NAME), TAG_WIDTH);
	if (tag === '') return isolated(shortened(thing.name, width));
	const name = shortened(thing.name, Math.max(MARK_WIDTH, width - lengthOf(tag) - 3));
	return `${isolated(name)} (${isolated(tag)})`;
}

/** What differs between all things of a name: one of their marks, or the end of their IDs. */
async function whatTellsApart<T extends Named>(
	alike: readonly T[],
	turns: Turns,
): Promise<(thing: T) => Head> {
	const most = alike[0]?.marks.length ?? 0;
	for (let kind = 0; kind < most; kind++) {
		const markOf = ({ marks }: T): string =>
			shortened(labelText(marks[kind] ?? '', LONGEST_NAME), MARK_WIDTH);
		if (await differ(alike, markOf, turns)) {
			return (thing) => ({ text: markOf(thing), mark: thing.marks[kind] });
		}
	}
	let last = 6;
	while (last < 36 && !(await differ(alike, ({ id }) => id.slice(-last), turns))) last += 6;
	return ({ id }) => ({ text: `…${id.slice(-last)}`, mark: undefined });
}

async function differ<T>(things: readonly T[], textOf: (thing: T) => string, turns: Turns): Promise<boolean> {
	const texts = new Set<string>();
	for (const thing of things) {
		const text = textOf(thing);
		if (text === '' || texts.has(text)) return false;
		texts.add(text);
		if (turns.over) await turns.next();
	}
	return true;
}

async function grouped<T extends Named>(
	things: readonly T[],
	width: number,
	turns: Turns,
): Promise<Map<string, T[]>> {
	const groups = new Map<string, T[]>();
	for (const thing of things) {
		const key = shortName(thing, width);
		const group = groups.get(key);
		if (group === undefined) groups.set(key, [thing]);
		else group.push(thing);
		if (turns.over) await turns.next();
	}
	return groups;
}
