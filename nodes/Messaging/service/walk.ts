import { Turns } from '../time/turns';
import { DEEPEST } from './long-json';
import { AT_ONCE, type Mask, masked } from './redact';

/** How many characters of a text take as long as a small step. */
const CHARACTERS_A_STEP = 4;

/** What is done to the fields of a parsed body. */
export interface Edit {
	/** What masks the names of fields and all texts. */
	readonly mask: Mask;
	/**
	 * What stands in place of a value that is masked as a whole; `undefined` for any other.
	 *
	 * @param value neither object nor list
	 * @param field the field that it stands in, in a list or not; '' at the top
	 * @param above the field that the object around it stands in
	 */
	whole(value: unknown, field: string, above: string): string | undefined;
	/** What is done below a field; the same unless given. */
	below?(field: string): Edit;
}

/** An object or a list on the way through a body. */
interface Place {
	readonly container: object;
	/** The names of its fields; none in a list. */
	readonly names: readonly string[] | undefined;
	/** How many members it has. */
	readonly count: number;
	readonly field: string;
	readonly above: string;
	readonly edit: Edit;
	/** How many of its members have been dealt with. */
	done: number;
	/** Whether one of its fields gets a new name. */
	renames: boolean;
}

/**
 * Changes a parsed body in place, without recursion and in linear time. The event loop turns while it is long; what is
 * short is done in one go.
 *
 * @returns the body; `undefined` when it is nested more deeply than anything can read
 */
export async function edited(body: unknown, edit: Edit, turns = new Turns()): Promise<unknown> {
	if (!isContainer(body)) {
		const whole = edit.whole(body, '', '');
		return whole ?? (typeof body === 'string' ? await masked(body, edit.mask, turns) : body);
	}
	/** The names of fields as they shall be: a list repeats them in all its records, and each is worked out once. */
	const newNames = new Map<string, string>();
	const way = [placeOf(body, '', '', edit)];
	for (let place = way.at(-1); place !== undefined; place = way.at(-1)) {
		const { names, edit: own } = place;
		const members = place.container as Members;
		for (const name of place.done === 0 && names !== undefined ? names : []) {
			let newName = newNames.get(name);
			if (newName === undefined) {
				if (turns.overAfter(effortOf(name))) await turns.next();
				newName = name.length > AT_ONCE ? await own.mask.inTurns(name, turns) : own.mask(name);
				newNames.set(name, newName);
			}
			place.renames ||= newName !== name;
		}
		if (place.done === place.count) {
			way.pop();
			continue;
		}
		const index = place.done++;
		const key = names === undefined ? index : (names[index] ?? '');
		const field = names === undefined ? place.field : String(key);
		const above = names === undefined ? place.above : place.field;
		const value = members[key];
		let now = value;
		if (turns.overAfter(effortOf(value))) await turns.next();
		if (isContainer(value)) {
			if (way.length === DEEPEST) return undefined;
			way.push(placeOf(value, field, above, own.below?.(field) ?? own));
		} else {
			const whole = own.whole(value, field, above);
			if (whole !== undefined || typeof value !== 'string') now = whole ?? value;
			else now = value.length > AT_ONCE ? await own.mask.inTurns(value, turns) : own.mask(value);
		}
		if (place.renames) rename(members, field, newNames.get(field) ?? field, now);
		else if (now !== value) members[key] = now;
	}
	return body;
}

/** How much work a value is, in small steps. */
function effortOf(value: unknown): number {
	return typeof value === 'string' ? 1 + value.length / CHARACTERS_A_STEP : 1;
}

/** The members of an object by their names, or of a list by their numbers. */
type Members = Record<string | number, unknown>;

/** Gives a field a new name and value. Where one has a new name, all are put in anew: they keep their order. */
function rename(fields: Members, name: string, newName: string, value: unknown): void {
	delete fields[name];
	// An assignment would take a field named __proto__ for the object's prototype.
	Object.defineProperty(fields, newName, { value, writable: true, enumerable: true, configurable: true });
}

function placeOf(container: object, field: string, above: string, edit: Edit): Place {
	const names = Array.isArray(container) ? undefined : Object.keys(container);
	const { length: count } = names ?? (container as unknown[]);
	return { container, names, count, field, above, edit, done: 0, renames: false };
}

function isContainer(value: unknown): value is object {
	return typeof value === 'object' && value !== null;
}
