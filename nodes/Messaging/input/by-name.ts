import { isPlainObject, textAt, valueAt } from '../shared/json';
import { fold, named, quoted } from '../shared/text';
import { isUuid } from '../shared/uuid';
import { InvalidParameter } from './invalid-parameter';
import { type Properties, knownIn } from './parameter-types';

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
	const needed = knownIn(fields).flatMap(({ field: { name }, path }) => {
		const listed = listedIn(name);
		const saved = listed && source.unresolved?.(path);
		return listed !== undefined && isByName(saved) && saved.value !== '' ? [listed] : [];
	});
	return new Set(needed);
}

/** How many names an error suggests. */
const MOST_NEAR = 3;

/** The longest name that is looked for, in characters. It may come from anybody. */
const LONGEST_NAME = 200;

/** Something in the list, by its name: as it is, without what is easily overlooked, and in letters and digits without case and accents. */
interface Entry {
	readonly id: string;
	readonly name: string;
	readonly bare: string;
	readonly folded: string;
}

/** The channels or accounts of a service, found by name. */
export class NamedList {
	private readonly entries: readonly Entry[];

	/** @param records as the service lists them */
	constructor(
		private readonly listed: Listed,
		records: Iterable<unknown>,
	) {
		this.entries = Array.from(records).flatMap((record) => {
			const [id, name] = [textAt(record, `${listed}Id`), plain(textAt(record, 'name'))];
			// A channel that was deleted for good stays in the list.
			const isDeleted = valueAt(record, 'status.isTerminalDeletionState') === true;
			if (!isUuid(id) || name === '' || name.length > LONGEST_NAME || isDeleted) return [];
			return [{ id, name, bare: bare(name), folded: fold(name).replace(/[\s\p{P}]/gu, '') }];
		});
	}

	/**
	 * The ID of what has this name, in any case of letters. Somebody could add one with nearly the same name, to which the
	 * messages would go. So it is refused if several have it without regard to case, spaces and Unicode form.
	 *
	 * @param label of the field, for errors
	 * @throws InvalidParameter if none or several have it
	 */
	idOf(given: string, label: string): string {
		if (given.length > LONGEST_NAME) {
			const reason = `has more than ${LONGEST_NAME} characters`;
			throw new InvalidParameter(label, reason, 'Enter the name as From List shows it.');
		}
		const wanted = bare(given);
		const found = this.entries.filter((entry) => entry.bare === wanted);
		// The service may list an ID twice.
		const all = [...new Map(found.map((entry) => [entry.id, entry])).values()];
		if (all.length > 1) {
			const names = all.slice(0, MOST_NEAR).map(({ name }) => quoted(name));
			const reason = `finds ${all.length} ${this.listed}s named ${quoted(given)}, without regard to case and spaces: ${names.join(', ')}`;
			const ids = named(all.map(({ id }) => id).join(', '), 200);
			throw new InvalidParameter(label, reason, `Choose one From List, or enter it By ID: ${ids}.`);
		}
		const [first] = all;
		if (first?.name.toLowerCase() === plain(given).toLowerCase()) return first.id;
		const near = this.near(given).map(quoted);
		const isThere = near.length === 0 ? '' : `. Near it: ${near.join(', ')}`;
		const hint = isUuid(given)
			? 'It is an ID: switch the field to By ID.'
			: `Check the name, and whether the API key reaches this ${this.listed}: From List shows all that it reaches.`;
		throw new InvalidParameter(label, `finds no ${this.listed} named ${quoted(given)}${isThere}`, hint);
	}

	/** The names that contain the first three letters of a word of this one; those with most such words come first. */
	private near(given: string): string[] {
		const words = fold(given).split(/[\s\p{P}]+/u);
		const starts = words.map((word) => word.slice(0, 3)).filter((start) => start.length > 1);
		const near = this.entries
			.map(({ name, folded }) => ({ name, alike: starts.filter((start) => folded.includes(start)).length }))
			.filter(({ alike }) => alike > 0)
			.sort((one, other) => other.alike - one.alike);
		return [...new Set(near.map(({ name }) => name))].slice(0, MOST_NEAR);
	}
}

/** A name without spaces around it, in one form: a Mac writes an accent as a separate character. */
function plain(name: string): string {
	return name.trim().normalize('NFC');
}

/** A name without case, spaces and invisible characters, in the form in which wide and narrow letters are the same. */
function bare(name: string): string {
	return name
		.normalize('NFKC')
		.replace(/[\s\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
		.toLowerCase();
}
