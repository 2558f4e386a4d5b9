import { isPlainObject, textAt, valueAt } from '../shared/json';
import { fold, named, quoted } from '../shared/text';
import { isUuid } from '../shared/uuid';
import { InvalidParameter } from './invalid-parameter';
import { type Properties, withMembers } from './parameter-types';

/** What can be found by its name in a list of the service. */
export type Listed = 'account' | 'channel';

/** The lists that have been read for a run. */
export type NamedLists = Partial<Record<Listed, NamedList>>;

/** The fields whose mode By Name finds the ID in a list. In others, such as the channel type, the name is the value. */
const LISTED: Readonly<Record<string, Listed>> = {
	accountId: 'account',
	channelId: 'channel',
	feedbackChannelId: 'channel',
};

/** What a field chooses from a list; `undefined` for a field that has no such list. */
export function listedIn(field: string): Listed | undefined {
	return Object.hasOwn(LISTED, field) ? LISTED[field] : undefined;
}

/** Whether a locator, or what is saved of it, holds a name. */
export function isByName(locator: unknown): locator is { value: unknown } {
	return isPlainObject(locator) && locator.mode === 'name';
}

/** The lists that a node needs, because a field has a name in it. */
export function listsFor(fields: Properties, source: { unresolved?(path: string): unknown }): Set<Listed> {
	const needed = withMembers(fields).flatMap(({ field: { name }, path }) => {
		const listed = listedIn(name);
		const saved = listed && source.unresolved?.(path);
		return listed !== undefined && isByName(saved) && saved.value !== '' ? [listed] : [];
	});
	return new Set(needed);
}

/** How many names an error suggests. */
const MOST_NEAR = 3;
/** Names are near each other if this share of their pairs of letters is the same. */
const NEAR = 0.3;
/** How many names are compared: a list may be long, and many items may be wrong. */
const MOST_COMPARED = 2000;

/** The channels or accounts of a service, found by name. */
export class NamedList {
	/** The IDs by name, exactly and in lower case. An ID that is listed twice counts once. */
	private readonly exact = new Map<string, Set<string>>();
	private readonly anyCase = new Map<string, Set<string>>();

	/** @param records as the service lists them */
	constructor(
		private readonly listed: Listed,
		records: Iterable<unknown>,
	) {
		for (const record of records) {
			const [id, name] = [textAt(record, `${listed}Id`), plain(textAt(record, 'name'))];
			// A channel that was deleted for good stays in the list.
			const isDeleted = valueAt(record, 'status.isTerminalDeletionState') === true;
			if (!isUuid(id) || name === '' || isDeleted) continue;
			add(this.exact, name, id);
			add(this.anyCase, name.toLowerCase(), id);
		}
	}

	/**
	 * The ID of what has this name: exactly, or else in any case of letters.
	 *
	 * @param label of the field, for errors
	 * @throws InvalidParameter if none or several have it
	 */
	idOf(name: string, label: string): string {
		const found = this.exact.get(plain(name)) ?? this.anyCase.get(plain(name).toLowerCase()) ?? [];
		const [first, ...others] = found;
		if (first !== undefined && others.length === 0) return first;
		if (first !== undefined) {
			const reason = `finds ${others.length + 1} ${this.listed}s named ${quoted(name)}`;
			const ids = named([...found].join(', '), 200);
			throw new InvalidParameter(label, reason, `Choose one From List, or enter it By ID: ${ids}.`);
		}
		const near = this.near(name).map(quoted);
		const isThere = near.length === 0 ? '' : `. Near it: ${near.join(', ')}`;
		const hint = isUuid(name)
			? 'It is an ID: switch the field to By ID.'
			: `Check the name, and whether the API key reaches this ${this.listed}: From List shows all that it reaches.`;
		throw new InvalidParameter(label, `finds no ${this.listed} named ${quoted(name)}${isThere}`, hint);
	}

	/** The names that look most like this one. */
	private near(name: string): string[] {
		const wanted = pairsOf(name);
		return [...this.exact.keys()]
			.slice(0, MOST_COMPARED)
			.map((each) => ({ each, likeness: likeness(wanted, pairsOf(each)) }))
			.filter((found) => found.likeness >= NEAR)
			.sort((one, other) => other.likeness - one.likeness)
			.slice(0, MOST_NEAR)
			.map(({ each }) => each);
	}
}

function add(map: Map<string, Set<string>>, name: string, id: string): void {
	const ids = map.get(name) ?? new Set();
	map.set(name, ids.add(id));
}

/** A name without spaces around it, in one form: a Mac writes an accent as a separate character. */
function plain(name: string): string {
	return name.trim().normalize('NFC');
}

function pairsOf(name: string): Set<string> {
	return new Set(Array.from(fold(name).matchAll(/(?=(..))/gs), ([, pair = '']) => pair));
}

function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
	const shared = [...one].filter((pair) => other.has(pair)).length;
	return (2 * shared) / (one.size + other.size || 1);
}
