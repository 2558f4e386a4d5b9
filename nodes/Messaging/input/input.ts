import type { INodeProperties } from 'n8n-workflow';

import { isByName, LISTED } from './by-name';
import { codesIn, nothingFound } from './expressions';
import { InvalidParameter } from './invalid-parameter';
import type { ChoiceOf, GroupOf, MembersOf, NameOf, Properties } from './parameter-types';
import { adviceOnQuotes } from './quoted-data';
import { type Field, checked, savedIn } from './refuse';
import * as values from './values';
import { isEmpty, isPlainObject, type JsonObject, valueAt } from '../shared/json';
import type { ParameterSource } from './parameter-source';

/** The fields in a row of a table. */
const ROW = [
	{ displayName: 'Name', name: 'name', type: 'string', default: '' },
	{ displayName: 'Value', name: 'value', type: 'string', default: '' },
] as const satisfies Properties;

/** What a model writes for what it does not have. */
const NOTHING = /^\s*(?:null|undefined|none|n\/a)\s*$/i;

/**
 * The parameters of one item. Each is read on first use and checked.
 * Names are inferred from the properties. An invalid value throws InvalidParameter with the field's label.
 */
export class Input<P extends Properties> {
	/**
	 * @param source where the values come from, and the item's context
	 * @param place what precedes the labels in errors: "Form Elements > 2 > "
	 * @param members the members of a collection, by name; without them the source has the values
	 * @param path what precedes their names in the saved node: "additionalFields."
	 */
	constructor(
		readonly properties: P,
		readonly source: ParameterSource,
		private readonly place = '',
		private readonly members?: Readonly<JsonObject>,
		private readonly path = '',
	) {}

	/**
	 * The value, whose type is unchecked.
	 *
	 * @throws InvalidParameter for a value that can only be a mistake: see `rules.ts`
	 */
	raw(name: NameOf<P>): unknown {
		const given = this.given(name);
		// The most common values, for which there is nothing to check.
		const isPlain =
			given === undefined || given === '' || typeof given === 'boolean' || Number.isFinite(given);
		return isPlain ? given : checked(given, this.field(name), this.source);
	}

	private given(name: NameOf<P>): unknown {
		const value = this.read(name);
		const given = this.isLocator(name) ? values.locatorValue(value) : value;
		// n8n shows NaN as an empty text.
		if (Number.isNaN(given)) return undefined;
		const isFromModel = this.source.caller.isTool === true && typeof given === 'string';
		return isFromModel && this.field(name).type !== 'options' && NOTHING.test(given) ? '' : given;
	}

	private read(name: NameOf<P>): unknown {
		return this.members === undefined ? this.source.read(name) : this.members[name];
	}

	/** The value as saved in the workflow, expressions not resolved; `undefined` if that is not known. */
	saved(name: NameOf<P>): unknown {
		return savedIn(this.field(name), this.source);
	}

	/** What was read from a field that may not be empty. */
	private filled<T>(value: T | undefined, name: NameOf<P>, hint = values.ENTER_IT): T {
		if (value !== undefined) return value;
		throw emptyField(this.label(name), hint, this.saved(name), this.source);
	}

	/** Whether the user added this member of a collection, and its expression (if any) is not undefined. */
	has(name: NameOf<P>): boolean {
		return this.raw(name) !== undefined;
	}

	/** Whether the user added this member of a collection, even if its expression is undefined. */
	isAdded(name: NameOf<P>): boolean {
		return this.members === undefined ? this.has(name) : Object.hasOwn(this.members, name);
	}

	/** Whether the user has entered something for a parameter, even an expression that gives nothing. */
	isEntered(name: NameOf<P>): boolean {
		return !isEmpty(this.saved(name) ?? this.raw(name));
	}

	/** One of the parameter's choices, by default its default. */
	choice<N extends NameOf<P, 'options'>>(name: N): ChoiceOf<P, N> {
		const { property, label } = this.field(name);
		const given = this.raw(name);
		// An expression that finds nothing must not mean the default.
		const value = codesIn(this.saved(name)).length === 0 ? (given ?? property.default) : given;
		const offered: unknown[] = (property.options ?? []).flatMap((option) =>
			'value' in option ? [option.value] : [],
		);
		const chosen = offered.find((candidate): candidate is ChoiceOf<P, N> => candidate === value);
		if (chosen !== undefined) return chosen;
		throw values.misfit(value, label, 'one of its choices', `Use one of: ${offered.join(', ')}.`);
	}

	/** Text, '' when empty. */
	text(name: NameOf<P, 'string' | 'options' | 'resourceLocator'>): string {
		return values.asText(this.raw(name), this.label(name));
	}

	/** Text that may not be empty. The error says what to enter. */
	requiredText(name: NameOf<P, 'string' | 'resourceLocator'>, hint?: string): string {
		const text = this.text(name);
		return this.filled(isEmpty(text) ? undefined : text, name, hint);
	}

	/**
	 * What identifies the item among all others, without spaces around it. It is in Unicode's NFC form: a Mac writes an
	 * accent as a separate character, and the key must be the same.
	 */
	key(name: NameOf<P, 'string'>): string {
		const value = checked(this.given(name), this.field(name), this.source);
		return values.asText(value, this.label(name)).trim().normalize('NFC');
	}

	/** A UUID, `undefined` when empty. In the mode By Name, a list gives it. Any field may have been saved as a locator. */
	uuid(name: NameOf<P, 'string' | 'resourceLocator'>): string | undefined {
		const value = values.locatorValue(this.raw(name));
		const listed = isByName(this.read(name)) ? LISTED.get(name) : undefined;
		const list = listed && this.source.named?.[listed];
		if (list !== undefined && !isEmpty(value)) {
			return list.idOf(values.asText(value, this.label(name)), this.label(name));
		}
		return values.asUuid(value, this.label(name), this.isLocator(name) ? values.CHOOSE_IT : values.COPY_IT);
	}

	/** A UUID that may not be empty. */
	requiredUuid(name: NameOf<P, 'string' | 'resourceLocator'>): string {
		return this.filled(this.uuid(name), name);
	}

	/** One or more UUIDs. */
	uuidList(name: NameOf<P, 'string'>): string[] {
		const list = values.asUuidList(this.raw(name), this.label(name));
		return this.filled(list.length > 0 ? list : undefined, name, values.ENTER_THEM);
	}

	/** A number within the limits that its field has in the editor, whole if that has no decimals; `undefined` when empty. */
	number(name: NameOf<P, 'number'>, hint?: string): number | undefined {
		const { property, label } = this.field(name);
		return values.asNumber(this.raw(name), label, property.typeOptions, hint);
	}

	/** The same; the field's default when empty. */
	numberOrDefault(name: NameOf<P, 'number'>, hint?: string): number {
		return this.number(name, hint) ?? Number(this.field(name).property.default);
	}

	/** True or false, the parameter's default when empty. */
	flag(name: NameOf<P, 'boolean'>): boolean {
		const { property, label } = this.field(name);
		return values.asBoolean(this.raw(name), label) ?? property.default === true;
	}

	/** A point in time as ISO 8601, `undefined` when empty. */
	timestamp(name: NameOf<P, 'dateTime'>): string | undefined {
		return values.asTimestamp(this.raw(name), this.label(name), this.source.timezone);
	}

	/** A JSON object, `undefined` when empty. The error shows the example, or says what to do. */
	jsonObject(name: NameOf<P, 'json'>, example?: string, hint?: string): JsonObject | undefined {
		const ifBroken = adviceOnQuotes(this.saved(name), this.label(name), this.source.caller.isTool === true);
		return values.asJsonObject(this.raw(name), this.label(name), example, ifBroken ?? hint);
	}

	/** A JSON object that may not be empty text. */
	requiredJsonObject(name: NameOf<P, 'json'>, example?: string, hint?: string): JsonObject {
		const advice = hint ?? 'Enter a JSON object. For one without fields, enter {}.';
		return this.filled(this.jsonObject(name, example, hint), name, advice);
	}

	/**
	 * The rows of a table with a name and a value each, without empty rows. Names are trimmed, values are not.
	 *
	 * @param need which names need a value: all, or those with an expression for it
	 */
	rows(
		name: NameOf<P, 'fixedCollection'>,
		need?: 'all' | 'expressions',
	): Array<[name: string, value: string]> {
		return this.groups(name).flatMap((group): Array<[string, string]> => {
			const row = group.part(ROW);
			const key = row.text('name').trim();
			const value = row.text('value');
			if (key === '') {
				if (value === '') return [];
				throw new InvalidParameter(row.label('name'), 'is empty', 'Enter the name, or remove the row.');
			}
			const saved = row.saved('value');
			const isNeeded = need === 'all' || (need === 'expressions' && codesIn(saved).length > 0);
			if (value !== '' || !isNeeded) return [[key, value]];
			throw emptyField(`${this.label(name)} > ${key}`, values.ENTER_IT, saved, this.source);
		});
	}

	/** The members of a collection; those not added read as `undefined`. */
	collection<N extends NameOf<P, 'collection'>>(name: N): Input<MembersOf<P, N>> {
		const { property, label } = this.field(name);
		const members = property.options as unknown as MembersOf<P, N>;
		const raw = this.raw(name);
		// Some write an empty collection as a list.
		const added = isEmpty(raw) || (Array.isArray(raw) && raw.length === 0) ? {} : raw;
		if (isPlainObject(added)) return new Input(members, this.source, this.place, added, `${name}.`);
		throw values.misfit(added, label, 'fields', 'Add the fields one by one.');
	}

	/**
	 * The members of the one group of a fixed collection, with or without the name of the group around them; those not
	 * added read as `undefined`.
	 */
	group<N extends NameOf<P, 'fixedCollection'>>(name: N): Input<GroupOf<P, N>> {
		const { key, members } = this.groupOf(name);
		// An expression that finds nothing must not mean the defaults.
		const value = this.raw(name) ?? (this.isAdded(name) || this.isEntered(name) ? null : {});
		const isGroup = isPlainObject(value) && Object.hasOwn(value, key);
		const inside = isGroup ? value[key] : value;
		const path = `${this.path}${name}.${isGroup ? `${key}.` : ''}`;
		if (isPlainObject(inside)) return new Input(members, this.source, this.place, inside, path);
		throw values.misfit(inside, this.label(name), 'its settings', 'Add them in the editor.');
	}

	/** The members of each group of a fixed collection that may have several, in order. */
	groups<N extends NameOf<P, 'fixedCollection'>>(name: N): Array<Input<GroupOf<P, N>>> {
		const { key, members } = this.groupOf(name);
		const rows = valueAt(this.raw(name), [key]);
		return (Array.isArray(rows) ? rows : []).map((each: unknown, index) => {
			const place = `${this.label(name)} > ${index + 1} > `;
			const path = `${this.path}${name}.${key}.${index}.`;
			return new Input(members, this.source, place, isPlainObject(each) ? each : {}, path);
		});
	}

	/** The same values, read with other properties: those of a part that several operations share. */
	part<Q extends Properties>(properties: Q): Input<Q> {
		return new Input(properties, this.source, this.place, this.members, this.path);
	}

	/** The label of a parameter, for errors. */
	label(name: NameOf<P>): string {
		return this.field(name).label;
	}

	private isLocator(name: string): boolean {
		return this.field(name).type === 'resourceLocator';
	}

	private field(name: string): Field & { readonly property: INodeProperties } {
		const property = this.properties.find((candidate) => candidate.name === name);
		if (property === undefined) throw new TypeError(`No parameter is named ${name}`);
		const label = `${this.place}${property.displayName}`;
		return { property, label, path: `${this.path}${name}`, type: property.type };
	}

	/** The name of the one group of a fixed collection, and the properties of its members. */
	private groupOf<N extends NameOf<P, 'fixedCollection'>>(name: N): { key: string; members: GroupOf<P, N> } {
		const [only] = this.field(name).property.options as unknown as [{ name: string; values: GroupOf<P, N> }];
		return { key: only.name, members: only.values };
	}
}

/** The error for a field that may not be empty. It never advises what the field already holds. */
function emptyField(label: string, hint: string, saved: unknown, source: ParameterSource): InvalidParameter {
	const codes = codesIn(saved);
	if (codes.length === 0) return new InvalidParameter(label, 'is empty', hint);
	const isAdvised = codes.some((code) => hint.includes(`{{ ${code.trim()} }}`));
	const advice = isAdvised ? 'Correct the expression.' : hint;
	return new InvalidParameter(label, `is empty: ${nothingFound(codes, source)}`, advice);
}
