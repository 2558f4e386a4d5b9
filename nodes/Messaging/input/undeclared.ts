import type { INodeProperties } from 'n8n-workflow';

import { isPlainObject, valueAt } from '../shared/json';
import { named } from '../shared/text';
import { InvalidParameter } from './invalid-parameter';
import type { ParameterSource } from './parameter-source';
import { knownIn, type Known, membersIn, placeOf, type Properties } from './parameter-types';
import { isEmpty, locatorValue, misfit } from './values';

/** What shows the node a name that n8n would drop. */
export interface Hidden {
	readonly fields: Properties;
}

/** The name of this check among those that hold for all items of a run. */
const CHECK = 'undeclared';

/**
 * Refuses what n8n drops before a node sees it, unless hidden fields show it: a name that an operation does not have, at
 * the top or in a collection; a collection that is none; JSON that another field switches off. Otherwise a misspelt once
 * key would send twice, and a misspelt filter would reach everything.
 *
 * @throws InvalidParameter which names the nearest that exists, and its place
 */
export function refuseUndeclared(fields: Properties, source: ParameterSource, hidden: Hidden): void {
	if (source.checked?.has(CHECK) === true) return;
	let isForAllItems = true;
	const resolved = (value: unknown): unknown => {
		if (!isExpression(value)) return value;
		isForAllItems = false;
		return source.resolve?.(value.slice(1));
	};
	const saved = (name: string): unknown => (source.unresolved ?? source.read)(name);
	for (const { default: standard, name } of hidden.fields) {
		const value = saved(name);
		if (value === standard || value === false || isBlank(value)) continue;
		if (fields.some((field) => field.name === name)) continue;
		// An execution is saved with the defaults of all fields.
		if (JSON.stringify(value) === JSON.stringify(standard)) continue;
		throw unknown(name, name, namesIn(fields));
	}
	for (const field of fields) {
		const value = saved(field.name);
		refuseIn({ field, path: field.name }, value, field.displayName, resolved);
		if (field.type !== 'json' || source.unresolved === undefined || value === field.default) continue;
		const forms = fields.filter(({ name }) => name === field.name);
		if (isBlank(value) || forms.some((form) => isOn(form, fields, source))) continue;
		const hint = `It needs ${JSON.stringify(forms.at(-1)?.displayOptions?.show)}. Otherwise, empty it.`;
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
): void {
	const { group, members } = membersIn(field);
	if (members.length === 0 || isBlank(saved)) return;
	const whole = resolved(saved);
	const names = members.map(({ name }) => name);
	const [groupName = ''] = group;
	const key = groupName.replace('[]', '');
	const isRows = key !== groupName;
	const isGrouped = isRows || (key !== '' && valueAt(whole, [key]) !== undefined);
	const within = isGrouped ? `${path}.${groupName}` : path;
	const refuseOthers = (value: unknown, declared: readonly string[], place: string): void => {
		const form = `Write it as ${placeOf(`${within}.${names[0]}`)}. There are: ${declared.join(', ')}.`;
		if (!isPlainObject(value)) throw misfit(value, place, 'fields', form);
		const allowed = path === 'approvalOptions' ? [...declared, ...BUTTON_STYLES] : declared;
		const other = Object.keys(value).find((name) => !allowed.includes(name));
		if (other === undefined) return;
		throw unknown(other, `${place} > ${other}`, form);
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
			refuseIn(inRow, valueAt(row, [member.name]), memberLabel, resolved);
		}
	}
}

function unknown(name: string, label: string, advice: string): InvalidParameter {
	const hint = `${advice} The editor does not show "${named(name)}": correct it in the JSON of the node. If it is left from another operation, choose that one, remove it there, and come back.`;
	return new InvalidParameter(label, 'does not exist here, so it would have no effect', hint);
}

/** The names that there are, each with its place. */
function namesIn(fields: Properties): string {
	const known = knownIn(fields).filter(({ path }) => !path.includes('[]'));
	return `There are: ${[...new Set(known.map(({ path }) => path))].join(', ')}.`;
}

/** What n8n's own nodes save among the buttons of a question. Those of this node have one style. */
const BUTTON_STYLES = ['buttonApprovalStyle', 'buttonDisapprovalStyle'];

function isExpression(saved: unknown): saved is string {
	return typeof saved === 'string' && saved.startsWith('=');
}

/** Whether the other fields show a field. In a tool, some are shown that others don't see. */
function isOn({ displayOptions }: INodeProperties, fields: Properties, source: ParameterSource): boolean {
	const holds = (name: string, values: readonly unknown[] = []): boolean => {
		const value = source.unresolved?.(name) ?? fields.find((field) => field.name === name)?.default;
		return name.startsWith('@') || isExpression(value) || values.includes(value);
	};
	const { hide = {}, show = {} } = displayOptions ?? {};
	return (
		Object.entries(show).every((each) => holds(...each)) &&
		!Object.entries(hide).some((each) => holds(...each))
	);
}

/** How deep it is looked: what lies deeper may have no end. */
const LEVELS = 5;

/** Whether nothing is entered: no text, or a collection or list in which nothing is. */
function isBlank(saved: unknown, levels = LEVELS): boolean {
	const value = locatorValue(saved);
	if (typeof value !== 'object' || value === null) return isEmpty(value);
	return levels > 0 && Object.values(value).every((each) => isBlank(each, levels - 1));
}
