import { isPlainObject, textAt, valueAt } from '../shared/json';
import { quoted } from '../shared/text';
import { isUuid } from '../shared/uuid';
import { InvalidParameter } from './invalid-parameter';
import { type Properties, knownIn } from './parameter-types';

/** What can be found by its name in a list of the service. */
export type Listed = 'account' | 'channel';

/** The lists that have been read for a run. */
export type NamedLists = Partial<Record<Listed, NamedList>>;

/** The fields whose mode By Name finds the ID in a list. In others, such as the channel type, the name is the value. */
export const LISTED: ReadonlyMap<string, Listed> = new Map([
	['accountId', 'account'],
	['channelId', 'channel'],
	['feedbackChannelId', 'channel'],
]);

/** Whether a locator, or what is saved of it, holds a name. */
export function isByName(locator: unknown): locator is { value: unknown } {
	return isPlainObject(locator) && locator.mode === 'name';
}

/** The lists that a node needs, because a field has a name in it. */
export function listsFor(fields: Properties, source: { unresolved?(path: string): unknown }): Set<Listed> {
	const needed = knownIn(fields).flatMap(({ field: { name }, path }) => {
		const listed = LISTED.get(name);
		const saved = listed && source.unresolved?.(path);
		return listed !== undefined && isByName(saved) && saved.value !== '' ? [listed] : [];
	});
	return new Set(needed);
}

/** The longest name that is looked for or found, in characters. It may come from anybody. */
const LONGEST_NAME = 256;

/** How many names an error shows, and how many characters of them: a longer error would be cut. */
const MOST_SHOWN = 10;
const MOST_LETTERS = 240;

/** The channels or accounts of a service, found by name. */
export class NamedList {
	/** The IDs of what has a name. */
	private readonly ids = new Map<string, Set<string>>();

	/** @param records as the service lists them */
	constructor(
		private readonly listed: Listed,
		records: Iterable<unknown>,
	) {
		for (const record of records) {
			const [id, name] = [textAt(record, `${listed}Id`), comparable(textAt(record, 'name'))];
			// A channel that was deleted for good stays in the list.
			const isDeleted = valueAt(record, 'status.isTerminalDeletionState') === true;
			if (!isUuid(id) || name === '' || isDeleted) continue;
			// The service may list an ID twice.
			this.ids.set(name, (this.ids.get(name) ?? new Set()).add(id));
		}
	}

	/**
	 * The ID of what has exactly this name. Names that only look alike are others: anybody might have added one.
	 *
	 * @param label of the field, for errors
	 * @throws InvalidParameter if none or several have it
	 */
	idOf(given: string, label: string): string {
		const [id, ...others] = this.ids.get(comparable(given)) ?? [];
		if (id !== undefined && others.length === 0) return id;
		const names = [...this.ids.keys()].map(quoted);
		const shown = names
			.slice(0, MOST_SHOWN)
			.filter((_, n) => names.slice(0, n + 1).join('').length <= MOST_LETTERS);
		const more = names.length > shown.length ? `, and ${names.length - shown.length} more` : '';
		const there = `${shown.join(', ')}${more}`;
		const reason = `finds ${id === undefined ? 'no' : 'more than one'} ${this.listed} named ${quoted(given)}`;
		const hint = `Choose one From List ("mode": "list"), or enter its ID By ID ("mode": "id"). There are: ${names.length === 0 ? 'none' : there}.`;
		throw new InvalidParameter(label, reason, hint);
	}
}

/** A name as names are compared; '' for one that is too long to be one. A Mac writes an accent as a separate character. */
function comparable(name: string): string {
	return name.length > LONGEST_NAME ? '' : name.trim().normalize('NFC');
}
