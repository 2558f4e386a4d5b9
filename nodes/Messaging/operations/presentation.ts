import type { IDataObject, INodeProperties } from 'n8n-workflow';

import type { Properties } from '../input/parameter-types';
import { pick, withReply } from './records';

/** The useful fields of a record: names, and paths in the record as the service returns it. */
export interface RecordShape {
	/** The field that is always shown. */
	readonly id: string;
	/** The simplified record: at most ten flat fields, the most useful first, never a token. */
	readonly simple: Readonly<Record<string, string>>;
	/** More fields that can be selected individually. */
	readonly more: Readonly<Record<string, string>>;
}

/** How records appear in the output: with all of the service's fields, or some of them, flat. */
export type Presentation = { raw: true } | { raw: false; paths: Readonly<Record<string, string>> };

/**
 * The fields that choose how records appear: a switch in workflows, and a finer choice for AI agents, for which every
 * output field costs tokens.
 */
export function presentationFields(shape: RecordShape) {
	return [
		{
			displayName: 'Simplify',
			name: 'simplify',
			type: 'boolean',
			displayOptions: { hide: { '@tool': [true] } },
			default: true,
			description: 'Whether to return a simplified version of the response instead of the raw data',
		},
		{
			displayName: 'Output',
			name: 'output',
			type: 'options',
			displayOptions: { show: { '@tool': [true] } },
			options: [
				{ name: 'Raw', value: 'raw', description: 'All fields that the service returns' },
				{
					name: 'Selected Fields',
					value: 'selected',
					description: 'The ID and the fields that you select',
				},
				{ name: 'Simplified', value: 'simplified', description: 'The most useful fields' },
			],
			default: 'simplified',
			description: 'Which fields of each record the AI agent gets',
		},
		{
			displayName: 'Fields',
			name: 'outputFields',
			type: 'multiOptions',
			displayOptions: { show: { '@tool': [true], output: ['selected'] } },
			options: Object.keys({ ...shape.simple, ...shape.more })
				.filter((name) => name !== shape.id)
				.map((name) => ({ name: labelOf(name), value: name }))
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

/** The chosen form. The switch applies in a workflow, the choice in a tool; the hidden one has its default. */
export function readPresentation(input: PresentationInput, shape: RecordShape): Presentation {
	const simplify = input.flag('simplify');
	const output = input.choice('output');
	if (output === 'raw' || (output === 'simplified' && !simplify)) return { raw: true };
	if (output === 'simplified') return { raw: false, paths: shape.simple };
	const selected = input.raw('outputFields');
	const names: unknown[] = [shape.id, ...(Array.isArray(selected) ? selected : [])];
	const known = Object.entries({ ...shape.simple, ...shape.more });
	return { raw: false, paths: Object.fromEntries(known.filter(([name]) => names.includes(name))) };
}

/**
 * A record in the chosen form. An answer that is not a record is returned by `withReply`.
 *
 * @param known fields that every output of the operation has
 */
export function presented(record: unknown, chosen: Presentation, known: IDataObject = {}): IDataObject {
	return withReply(chosen.raw ? record : pick(record, chosen.paths), known);
}

/** Whether to return an API key as a few flat fields; by default, the whole record is returned. */
export const simplifyKey = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: false,
	description: 'Whether to return a simplified version of the response instead of the raw data',
} as const satisfies INodeProperties;

function labelOf(name: string): string {
	const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').split(' ');
	return words.map((word) => (word === 'Id' ? 'ID' : word.charAt(0).toUpperCase() + word.slice(1))).join(' ');
}
