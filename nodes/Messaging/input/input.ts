import type { INodeProperties } from 'n8n-workflow';

import { InvalidParameter } from './invalid-parameter';
import type { ChoiceOf, GroupOf, MembersOf, NameOf, Properties } from './parameter-types';
import { DATA_IN_JSON, isQuotingData } from './quoted-data';
import * as uuids from './uuid';
import * as values from './values';
import { isPlainObject, type JsonObject } from '../shared/json';
import type { ToolInput } from '../shared/tool';

/** The source of an item's parameters, and its context. */
export interface ParameterSource {
	/** The value of a top-level parameter for this item, expressions resolved. It may be read several times. */
	read(name: string): unknown;
	/** A parameter as saved in the workflow, expressions not resolved; `options.onceKey` is a member of a collection. */
	unresolved?(path: string): unknown;
	/** Resolves a text with expressions for this item, as n8n does for a parameter. */
	resolve?(text: string): unknown;
	/** IANA name of the workflow's time zone. */
	readonly timezone: string;
	/** A UUID for this item, the same in every try of this execution. */
	readonly callId: string;
	/** The link where this item's question is answered, valid in this execution only; in operations that wait. */
	readonly answerLink?: string;
	/** The time in milliseconds since 1970, by default the machine's. */
	readonly now?: number;
	/** Whether an AI agent calls, so that a model may have filled in values. */
	readonly isTool?: boolean;
	/** What it calls with. */
	readonly toolInput?: ToolInput | undefined;
}

/** The fields in a row of a table. */
const ROW = [
	{ displayName: 'Name', name: 'name', type: 'string', default: '' },
	{ displayName: 'Value', name: 'value', type: 'string', default: '' },
] as const satisfies Properties;

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

	/** The value, unchecked. */
	raw(name: NameOf<P>): unknown {
		const value = this.members === undefined ? this.source.read(name) : this.members[name];
		return this.meant(this.isLocator(name) ? values.locatorValue(value) : value);
	}

	/** A value as a model means it: it writes "null" for what it does not have. */
	private meant<V>(value: V): V | '' {
		return value === 'null' && this.source.isTool === true ? '' : value;
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
		const entered = this.source.unresolved?.(`${this.path}${name}`) ?? this.raw(name);
		return !values.isEmpty(values.locatorValue(entered));
	}

	/** One of the parameter's choices, by default its default. */
	choice<N extends NameOf<P, 'options'>>(name: N): ChoiceOf<P, N> {
		const { property, label } = this.find(name);
		const value = this.raw(name) ?? property.default;
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
		return values.asRequiredText(this.raw(name), this.label(name), hint);
	}

	/** A UUID, `undefined` when empty. */
	uuid(name: NameOf<P, 'string' | 'resourceLocator'>): string | undefined {
		return uuids.asUuid(this.raw(name), this.label(name), ...this.uuidAdvice(name));
	}

	/** A UUID that may not be empty. */
	requiredUuid(name: NameOf<P, 'string' | 'resourceLocator'>): string {
		const uuid = this.uuid(name);
		if (uuid !== undefined) return uuid;
		const hint = 'Choose or enter an ID. If it is an expression, check that it finds one for this item.';
		throw new InvalidParameter(this.label(name), 'is empty', hint);
	}

	/** One or more UUIDs. */
	uuidList(name: NameOf<P, 'string'>): string[] {
		// A model reads nothing but the reason.
		const reason = this.source.isTool === true ? 'needs valid IDs, separated by commas' : undefined;
		return uuids.asUuidList(this.raw(name), this.label(name), reason);
	}

	/** A 32-bit whole number, `undefined` when empty. */
	int32(name: NameOf<P, 'resourceLocator'>): number | undefined {
		return values.asInt32(this.raw(name), this.label(name));
	}

	/** A whole number within the limits that its field has in the editor; the field's default when empty. */
	boundedInt(name: NameOf<P, 'number'>): number {
		const { property, label } = this.find(name);
		const { minValue: least = 0, maxValue: most = Infinity } = property.typeOptions ?? {};
		const standard = Number(property.default);
		const value = values.asInt32(this.raw(name), label) ?? standard;
		if (value >= least && value <= most) return value;
		const range = most === Infinity ? `${least} up` : `${least} to ${most}`;
		const hint = `Correct it. If you leave it empty, it is ${standard}.`;
		throw values.misfit(value, label, `a number from ${range}`, hint);
	}

	/** A number, decimals included; `undefined` when empty. */
	number(name: NameOf<P, 'number'>): number | undefined {
		return values.asNumber(this.raw(name), this.label(name));
	}

	/** True or false, the parameter's default when empty. */
	flag(name: NameOf<P, 'boolean'>): boolean {
		const { property, label } = this.find(name);
		return values.asBoolean(this.raw(name), label) ?? property.default === true;
	}

	/** A point in time as ISO 8601, `undefined` when empty. */
	timestamp(name: NameOf<P, 'dateTime'>): string | undefined {
		return values.asTimestamp(this.raw(name), this.label(name), this.source.timezone);
	}

	/** A JSON object, `undefined` when empty. The error shows the example, or says what to do. */
	jsonObject(name: NameOf<P, 'json'>, example?: string, hint?: string): JsonObject | undefined {
		const isQuoting = isQuotingData(this.source.unresolved?.(`${this.path}${name}`));
		if (isQuoting && this.source.isTool === true) {
			const advice = `With it, a model could change other fields, such as the recipient. ${DATA_IN_JSON}.`;
			throw new InvalidParameter(this.label(name), 'has an expression inside quotes', advice);
		}
		const ifBroken = isQuoting
			? `An expression stands inside quotes, so a quote or a line break in its data breaks the JSON. ${DATA_IN_JSON}.`
			: hint;
		return values.asJsonObject(this.raw(name), this.label(name), example, ifBroken);
	}

	/** A JSON object that may not be empty text. */
	requiredJsonObject(name: NameOf<P, 'json'>, example?: string, hint?: string): JsonObject {
		const object = this.jsonObject(name, example, hint);
		if (object !== undefined) return object;
		const enterIt = hint ?? 'Enter a JSON object. For one without fields, enter {}.';
		throw new InvalidParameter(this.label(name), 'is empty', enterIt);
	}

	/** The rows of a table with a name and a value each, without empty rows. Names are trimmed, values are not. */
	rows(name: NameOf<P, 'fixedCollection'>): Array<[name: string, value: string]> {
		return this.groups(name).flatMap((group): Array<[string, string]> => {
			const row = group.part(ROW);
			const key = row.text('name').trim();
			const value = row.text('value');
			if (key !== '') return [[key, value]];
			if (value === '') return [];
			throw new InvalidParameter(row.label('name'), 'is empty', 'Enter the name, or remove the row.');
		});
	}

	/** The members of a collection; those not added read as `undefined`. */
	collection<N extends NameOf<P, 'collection'>>(name: N): Input<MembersOf<P, N>> {
		const { property, label } = this.find(name);
		const members = property.options as unknown as MembersOf<P, N>;
		const added = this.raw(name) ?? {};
		if (isPlainObject(added)) return new Input(members, this.source, this.place, added, `${name}.`);
		throw values.misfit(added, label, 'fields', 'Add the fields one by one.');
	}

	/** The members of the one group of a fixed collection; those not added read as `undefined`. */
	group<N extends NameOf<P, 'fixedCollection'>>(name: N): Input<GroupOf<P, N>> {
		const { group, members } = this.groupOf(name);
		return new Input(members, this.source, this.place, isPlainObject(group) ? group : {});
	}

	/** The members of each group of a fixed collection that may have several, in order. */
	groups<N extends NameOf<P, 'fixedCollection'>>(name: N): Array<Input<GroupOf<P, N>>> {
		const { group, members } = this.groupOf(name);
		return (Array.isArray(group) ? group : []).map((each: unknown, index) => {
			const place = `${this.label(name)} > ${index + 1} > `;
			return new Input(members, this.source, place, isPlainObject(each) ? each : {});
		});
	}

	/** The same values, read with other properties: those of a part that several operations share. */
	part<Q extends Properties>(properties: Q): Input<Q> {
		return new Input(properties, this.source, this.place, this.members, this.path);
	}

	/** The label of a parameter, for errors. */
	label(name: NameOf<P>): string {
		return this.find(name).label;
	}

	private isLocator(name: string): boolean {
		return this.find(name).property.type === 'resourceLocator';
	}

	/** What to do about a value that is no UUID. A model reads nothing but the reason, and has no lists to choose from. */
	private uuidAdvice(name: string): [advice: string, reason?: string] {
		if (this.source.isTool !== true) return [this.isLocator(name) ? uuids.CHOOSE_IT : uuids.COPY_IT];
		const list = /^(account|channel|feedbackChannel)Id$/.exec(name)?.[1];
		const from = list && ` from ${list === 'account' ? 'Account' : 'Channel'}: Get Many`;
		return [uuids.COPY_IT, `has no valid ID. Enter an ID${from ?? ''}`];
	}

	private find(name: string): { property: INodeProperties; label: string } {
		const property = this.properties.find((candidate) => candidate.name === name);
		if (property === undefined) throw new TypeError(`No parameter is named ${name}`);
		return { property, label: `${this.place}${property.displayName}` };
	}

	/** The one group of a fixed collection, as saved, and the properties of its members. */
	private groupOf<N extends NameOf<P, 'fixedCollection'>>(
		name: N,
	): { group: unknown; members: GroupOf<P, N> } {
		const [only] = this.find(name).property.options as unknown as [{ name: string; values: GroupOf<P, N> }];
		const value = this.raw(name);
		return { group: isPlainObject(value) ? value[only.name] : undefined, members: only.values };
	}
}
