import type { IDataObject } from 'n8n-workflow';

import { flagField } from '../fields/builders';
import { includeToken, optionsField } from '../fields/options';
import type { Input } from '../input/input';
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

/** A simplified record: at most ten flat fields, by name their paths in the record as the service returns it; never a token. */
export type RecordShape = Readonly<Record<string, string>>;

/** The same for operations that return a few flat fields by default. */
export const simplifiedField = { ...simplifyField, default: true } as const;

const FORM_FIELDS = [simplifiedField, optionsField([includeToken])] as const;

/**
 * How to present a record in the chosen form: all of the service's fields, or the most useful ones, flat. An answer that is
 * not a record is returned by `withReply`. Credentials are masked, unless the option shows them.
 */
export function presenter(item: Pick<Input<[]>, 'part'>, shape: RecordShape) {
	const input = item.part(FORM_FIELDS);
	const showToken = input.collection('options').flag('includeToken');
	const isRaw = !input.flag('simplify');
	const present = (record: unknown, ownFields: IDataObject = {}): IDataObject =>
		withReply(isRaw ? record : pick(record, shape), ownFields);
	return { present, showToken };
}

/** The output of an operation that answers with one record, of which the node knows some fields itself. */
export function recordOutput(
	item: Pick<Input<[]>, 'part'>,
	shape: RecordShape,
	ownFields?: IDataObject,
): Pick<CompiledCall, 'output' | 'showToken'> {
	const { present, showToken } = presenter(item, shape);
	return { showToken, output: (body) => [present(body, ownFields)] };
}
