import { type INodeParameters, type INodeProperties, isExpression, NodeHelpers } from 'n8n-workflow';

import { isEmpty, isPlainObject, valueAt } from '../shared/json';
import { asSentence, named } from '../shared/text';
import { InvalidParameter } from './invalid-parameter';
import type { ParameterSource } from './parameter-source';
import { knownIn, type Known, membersIn, placeOf, type Properties } from './parameter-types';
import { locatorValue, misfit } from './values';

/** What a name of other nodes means in this one. */
export interface Meaning {
	/** The names of the fields that it may mean, or that it would belong to. */
	readonly fields: readonly string[];
	/** What to do instead, if no field means the same. */
	readonly advice: string | undefined;
}

/** The names that a node refuses because n8n would drop them. */
export interface DroppedNames {
	/** Hidden fields with these names, which show the node what is saved under them. */
	readonly fields: Properties;
	/** What those mean that no field has. */
	readonly meanings: ReadonlyMap<string, Meaning>;
}

/** The name of this check among those that hold for all items of a run. */
const CHECK = 'dropped names';

/**
 * Refuses what n8n would drop without a word: a name that the operation does not have, at the top or in a collection; a
 * collection that is no object; JSON that another field switches off. Otherwise a misspelt once key would send twice, and a
 * misspelt filter would reach everything.
 *
 * @throws InvalidParameter which says what the name means here, or which names there are
 */
export function refuseDroppedNames(fields: Properties, source: ParameterSource, dropped: DroppedNames): void {
	if (source.checked?.has(CHECK) === true) return;
	let isForAllItems = true;
	const resolved = (value: unknown): unknown => {
		if (!isExpression(value)) return value;
		isForAllItems = false;
		return source.resolve?.(value.slice(1));
	};
	const saved = (name: string): unknown => (source.unresolved ?? source.read)(name);
	const meaning = (name: string): string | undefined => meaningOf(name, fields, dropped);
	for (const { default: standard, name } of dropped.fields) {
		const value = saved(name);
		if (value === standard || value === false || isEmptyThroughout(value)) continue;
		if (fields.some((field) => field.name === name)) continue;
		// An execution is saved with the defaults of all fields.
		if (JSON.stringify(value) === JSON.stringify(standard)) continue;
		throw refusedName(name, name, meaning(name) ?? `Remove it. There are: ${namesIn(fields)}.`);
	}
	for (const field of fields) {
		const value = saved(field.name);
		refuseIn({ field, path: field.name }, value, field.displayName, resolved, meaning);
		if (field.type !== 'json' || source.unresolved === undefined || value === field.default) continue;
		const forms = fields.filter(({ name }) => name === field.name);
		if (isEmptyThroughout(value) || forms.some((form) => isShown(form, fields, saved))) continue;
		const { show = {}, hide = {} } = forms.at(-1)?.displayOptions ?? {};
		const needed = (rules: typeof show, is: string): string[] =>
			Object.entries(rules).map(([name, values]) => `"${name}"${is} ${JSON.stringify(values?.[0])}`);
		const needs = [...needed(show, ':'), ...needed(hide, ' to anything but')];
		const hint = `Set ${needs.join(' and ')}, or empty this field.`;
		throw new InvalidParameter(field.displayName, 'is switched off by another field', hint);
	}
	if (isForAllItems) source.checked?.add(CHECK);
}

/** Refuses what a collection may not hold, at any depth. One that is saved as an expression has to give it. */
function refuseIn(
	{ field, path }: Known,
	saved: unknown,
	label: string,
	resolved: (value: unknown) => unknown,
	meaning: (name: string) => string | undefined,
): void {
	const { group, members } = membersIn(field);
	if (members.length === 0 || isEmptyThroughout(saved)) return;
	const whole = resolved(saved);
	const names = members.map(({ name }) => name);
	const [groupName = ''] = group;
	const key = groupName.replace('[]', '');
	const isRows = key !== groupName;
	const isGrouped = isRows || (key !== '' && valueAt(whole, [key]) !== undefined);
	const within = isGrouped ? `${path}.${groupName}` : path;
	const refuseOthers = (value: unknown, declared: readonly string[], place: string): void => {
		const form = `Its form is ${placeOf(`${within}.`)}, with these names: ${namesIn(members)}.`;
		if (!isPlainObject(value)) throw misfit(value, place, 'fields', form);
		const allowed = path === 'approvalOptions' ? [...declared, ...BUTTON_STYLES] : declared;
		const other = Object.keys(value).find((name) => !allowed.includes(name));
		if (other === undefined) return;
		const meant = declared === names && !isRows ? meaning(other) : undefined;
		throw refusedName(other, `${place} > ${other}`, meant ?? `Remove it. ${form}`);
	};
	if (isGrouped) refuseOthers(whole, [key], label);
	const inside = isGrouped ? resolved(valueAt(whole, [key])) : whole;
	// Rows that are no list are refused as a row that is no object.
	const rows = !isRows ? [inside] : isEmpty(inside) ? [] : Array.isArray(inside) ? inside : [null];
	for (const [n, row] of rows.entries()) {
		const place = isRows ? `${label} > ${n + 1}` : label;
		refuseOthers(row, names, place);
		for (const member of members) {
			const inRow = { field: member, path: `${within}.${member.name}` };
			const memberLabel = isRows ? `${place} > ${member.displayName}` : member.displayName;
			refuseIn(inRow, valueAt(row, [member.name]), memberLabel, resolved, meaning);
		}
	}
}

function refusedName(name: string, label: string, advice: string): InvalidParameter {
	const hint = `${advice} The editor does not show "${named(name)}": correct it in the JSON of the node. If it is left from another operation, choose that one, remove it there, and come back.`;
	return new InvalidParameter(label, 'does not exist here, so it would have no effect', hint);
}

/** What a name means in an operation: a field or member of that name elsewhere, or what the name of another node stands for. */
function meaningOf(name: string, fields: Properties, { meanings }: DroppedNames): string | undefined {
	const known = knownIn(fields).filter(({ path }) => !path.includes('[]'));
	const named = (names: readonly string[]): Known[] =>
		known.filter(({ field }) => names.includes(field.name));
	const meaning = meanings.get(name);
	const isHere = meaning !== undefined && named(meaning.fields).length > 0;
	if (isHere && meaning.advice !== undefined) return meaning.advice;
	const meant = named([name, ...(meaning?.fields ?? [])]);
	const places = meant.map(({ field, path }) => asSentence(`${field.displayName} is ${placeOf(path)}`));
	return places.length > 0 ? [...new Set(places)].join(' ') : undefined;
}

/** The names of fields. Two may have one, such as the forms of a text. */
function namesIn(fields: Properties): string {
	return [...new Set(fields.map(({ name }) => name))].join(', ');
}

/** What n8n's own nodes save among the buttons of a question. Those of this node have one style. */
const BUTTON_STYLES = ['buttonApprovalStyle', 'buttonDisapprovalStyle'];

/** Whether the other fields show a field. */
function isShown(field: INodeProperties, fields: Properties, saved: (name: string) => unknown): boolean {
	const values = fields.map(({ default: standard, name }) => [name, saved(name) ?? standard] as const);
	return NodeHelpers.displayParameter(Object.fromEntries(values) as INodeParameters, field, null, null);
}

/** How deep it is looked: what lies deeper may have no end. */
const LEVELS = 5;

/** Whether nothing is entered: no text, or a collection or list in which nothing is. */
function isEmptyThroughout(saved: unknown, levels = LEVELS): boolean {
	const value = locatorValue(saved);
	if (typeof value !== 'object' || value === null) return isEmpty(value);
	return levels > 0 && Object.values(value).every((each) => isEmptyThroughout(each, levels - 1));
}
