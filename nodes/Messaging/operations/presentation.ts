import type { IDataObject } from 'n8n-workflow';

import { choiceField, flagField } from '../fields/builders';
import type { Properties } from '../input/parameter-types';
import { titleCase } from '../shared/text';
import { withoutCredentials } from './credentials';
import { pick, withReply } from './records';

/** Whether to return a record as a few flat fields; by default, the whole record is returned. */
export const simplifyField = flagField({
	name: 'simplify',
	description: 'Whether to return a simplified version of the response instead of the raw data',
});

/** The useful fields of a record: names, and paths in the record as the service returns it. */
export interface RecordShape {
	/** The field that is always shown. */
	readonly id: string;
	/** The simplified record: at most ten flat fields, the most useful first, never a token. */
	readonly simple: Readonly<Record<string, string>>;
	/** More fields that can be selected individually. */
	readonly more: Readonly<Record<string, string>>;
	/** The fields that may hold credentials of other systems. */
	readonly masked?: readonly string[];
}

/**
 * The fields that choose how records appear: a switch in workflows, and a finer choice for AI agents, for which every
 * output field costs tokens.
 */
export function presentationFields(shape: RecordShape) {
	return [
		{ ...simplifyField, default: true, displayOptions: { hide: { '@tool': [true] } } },
		choiceField({
			name: 'output',
			description: 'Which fields of each record the AI agent gets',
			default: 'simplified',
			options: [
				{ name: 'Raw', value: 'raw', description: 'All fields that the service returns' },
				{ name: 'Selected Fields', value: 'selected', description: 'The ID and the fields that you select' },
				{ name: 'Simplified', value: 'simplified', description: 'The most useful fields' },
			],
			displayOptions: { show: { '@tool': [true] } },
		}),
		{
			displayName: 'Fields',
			name: 'outputFields',
			type: 'multiOptions',
			displayOptions: { show: { '@tool': [true], output: ['selected'] } },
			options: Object.keys({ ...shape.simple, ...shape.more })
				.filter((name) => name !== shape.id)
				.map((name) => ({ name: titleCase(name), value: name }))
				.sort((one, other) => one.name.localeCompare(other.name)),
			default: [],
			description: 'The fields to return in addition to the ID',
		},
	] as const satisfies Properties;
}

/** The part of an Input that reads an operation's presentation fields. */
interface PresentationInput {
	flag(name: 'simplify'): boolean;
	choice(name: 'output'): 'raw' | 'selected' | 'simplified';
	raw(name: 'outputFields'): unknown;
}

/**
 * How to present a record in the chosen form: all of the service's fields, or some of them, flat. An answer that is not
 * a record is returned by `withReply`. The switch applies in a workflow, the choice in a tool; the hidden one has its
 * default.
 *
 * @param showToken whether credentials of other systems are shown
 */
export function presenter(
	input: PresentationInput,
	shape: RecordShape,
	showToken = false,
): (record: unknown, known?: IDataObject) => IDataObject {
	const output = input.choice('output');
	const masked = (item: IDataObject): IDataObject =>
		showToken ? item : withoutCredentials(item, shape.masked ?? []);
	if (output === 'raw' || (output === 'simplified' && !input.flag('simplify')))
		return (record, known) => masked(withReply(record, known));
	const selected = input.raw('outputFields');
	const names: unknown[] = [shape.id, ...(Array.isArray(selected) ? selected : [])];
	const all = Object.entries({ ...shape.simple, ...shape.more });
	const paths =
		output === 'simplified' ? shape.simple : Object.fromEntries(all.filter(([name]) => names.includes(name)));
	const expected = all.map(([, path]) => path);
	return (record, known) => masked(withReply(pick(record, paths, expected), known));
}
