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

/** The channels or accounts of a service, found by name. */
export class NamedList {
	private readonly entries: ReadonlyArray<{ readonly id: string; readonly name: string }>;

	/** @param records as the service lists them */
	constructor(
		private readonly listed: Listed,
		records: Iterable<unknown>,
	) {
		this.entries = Array.from(records).flatMap((record) => {
			const [id, name] = [textAt(record, `${listed}Id`), plain(textAt(record, 'name'))];
			// A channel that was deleted for good stays in the list.
			const isDeleted = valueAt(record, 'status.isTerminalDeletionState') === true;
			return isUuid(id) && name !== '' && !isDeleted ? [{ id, name }] : [];
		});
	}

	/**
	 * The ID of what has this name, in any case of letters.
	 *
	 * @param label of the field, for errors
	 * @throws InvalidParameter if none or several have it
	 */
	idOf(given: string, label: string): string {
		const found = this.entries.filter(({ name }) => name === plain(given)).map(({ id }) => id);
		const [id, ...others] = new Set(found);
		if (id !== undefined && others.length === 0) return id;
		const many = others.length === 0 ? `finds no ${this.listed}` : `finds several ${this.listed}s`;
		throw new InvalidParameter(
			label,
			`${many} named ${quoted(given)}`,
			'Choose it From List, or enter it By ID.',
		);
	}
}

/** A name for comparing. A Mac writes an accent as a separate character. */
function plain(name: string): string {
	return name.trim().normalize('NFC').toLowerCase();
}
