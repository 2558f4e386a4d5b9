import type { IDataObject } from 'n8n-workflow';

import { choiceField, flagField } from '../fields/builders';
import { includeToken, optionsField } from '../fields/options';
import type { Input } from '../input/input';
import type { Properties } from '../input/parameter-types';
import { titleCase } from '../shared/text';
import type { CompiledCall } from './operation';
import { pick, withReply } from './records';

/** Whether to return a record as a few flat fields; by default, the whole record is returned. */
export const simplifyField = flagField({
	name: 'simplify',
	description: 'Whether to return a simplified version of the response instead of the raw data',
});

/** The paths of fields that have the same name at the top of a record. */
export function topLevel(...names: string[]): Record<string, string> {
	return Object.fromEntries(names.map((name) => [name, name]));
}

/** The useful fields of a record: names, and paths in the record as the service returns it. */
export interface RecordShape {
	/** The simplified record: at most ten flat fields, the ID and then the most useful first, never a token. */
	readonly simple: Readonly<Record<string, string>>;
	/** More fields that can be selected individually. */
	readonly more: Readonly<Record<string, string>>;
	/** Whether it may hold credentials, which an option shows. */
	readonly hasCredentials?: true;
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
			displayOptions: { show: { '@tool': [true] } },
			choices: {
				raw: 'All fields that the service returns',
				selected: ['Selected Fields', 'The ID and the fields that you select'],
				simplified: 'The most useful fields',
			},
		}),
		{
			displayName: 'Fields',
			name: 'outputFields',
			type: 'multiOptions',
			displayOptions: { show: { '@tool': [true], output: ['selected'] } },
			options: Object.keys({ ...shape.simple, ...shape.more })
				.slice(1)
				.map((name) => ({ name: titleCase(name), value: name }))
				.sort((one, other) => one.name.localeCompare(other.name)),
			default: [],
			description: 'The fields to return in addition to the ID',
		},
	] as const satisfies Properties;
}

/** The fields that decide how a record appears, and the option. */
const FORM_FIELDS = [...presentationFields({ simple: {}, more: {} }), optionsField([includeToken])] as const;

/**
 * How to present a record in the chosen form: all of the service's fields, or some of them, flat. An answer that is not
 * a record is returned by `withReply`. The switch applies in a workflow, the choice in a tool; the hidden one has its
 * default. Credentials are masked, unless the option shows them.
 */
export function presenter(item: Pick<Input<[]>, 'part'>, shape: RecordShape) {
	const { simple, more } = shape;
	const input = item.part(FORM_FIELDS);
	const showToken = shape.hasCredentials === true && input.collection('options').flag('includeToken');
	const output = input.choice('output');
	const isRaw = output === 'raw' || (output === 'simplified' && !input.flag('simplify'));
	const selected = input.raw('outputFields');
	const names: unknown[] = Array.isArray(selected) ? selected : [];
	const all = Object.entries({ ...simple, ...more });
	const chosen = all.filter(([name], index) => index === 0 || names.includes(name));
	const paths = output === 'simplified' ? simple : Object.fromEntries(chosen);
	const expected = all.map(([, path]) => path);
	const present = (record: unknown, ownFields: IDataObject = {}): IDataObject =>
		withReply(isRaw ? record : pick(record, paths, expected, output === 'simplified'), ownFields);
	const showsParameters =
		shape.hasCredentials === true && !showToken && (isRaw || Object.values(paths).includes('parameters'));
	return { present, showToken, showsParameters };
}

/** The output of an operation that answers with one record, of which the node knows some fields itself. */
export function recordOutput(
	item: Pick<Input<[]>, 'part'>,
	shape: RecordShape,
	ownFields?: IDataObject,
): Pick<CompiledCall, 'output' | 'showToken' | 'showsParameters'> {
	const { present, ...shows } = presenter(item, shape);
	return { ...shows, output: (body) => [present(body, ownFields)] };
}
