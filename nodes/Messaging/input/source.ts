import type { IExecuteFunctions } from 'n8n-workflow';

import type { NamedLists } from './by-name';
import type { Caller, ParameterSource } from './parameter-source';
import type { Properties } from './parameter-types';
import { PathReader } from './path-reader';

/** The caller while the settings of a run are read: no item is sent yet. */
const NO_CALLER = (): Caller => ({ callId: '' });

/** What all items of a run share. */
interface OfRun {
	readonly paths: PathReader;
	/** What was found right in the node as saved. */
	readonly checked?: Set<string>;
	/** The lists in which the mode By Name finds an ID. */
	readonly named?: NamedLists;
	/** Takes notes on what is sent and may not be meant. */
	readonly note?: (text: string) => void;
}

/**
 * The parameters of one item, each resolved only when it is read.
 *
 * @param run what all items of a run share, if it reads several
 * @param callerOf who calls for the item, given its parameters; asked once, when it is needed
 */
export function sourceOf(
	context: IExecuteFunctions,
	fields: Properties,
	item: number,
	run: OfRun = { paths: new PathReader(context) },
	callerOf: (source: ParameterSource) => Caller = NO_CALLER,
): ParameterSource {
	const { checked, named, note, paths } = run;
	const values = new Map<string, unknown>();
	const once = (key: string, read: () => unknown): unknown => {
		if (!values.has(key)) values.set(key, read());
		return values.get(key);
	};
	const resolved = paths.ofItem(item);
	let caller: Caller | undefined;
	return {
		read: (name) =>
			once(name, () => {
				// A field hidden by another field's value has no value and counts as its default.
				const fallback = fields.find((field) => field.name === name)?.default ?? '';
				// n8n's own validation is skipped: it is slow, and fields are checked where they are read.
				const byN8n = (): unknown => context.getNodeParameter(name, item, fallback, { skipValidation: true });
				return resolved(paths.saved(name), byN8n);
			}),
		unresolved: (path) => paths.saved(path),
		resolve: (text) =>
			once(`=${text}`, () => resolved(`=${text}`, () => context.evaluateExpression(text, item))),
		timezone: context.getTimezone(),
		get isEmptyItem() {
			return Object.keys(context.getInputData()[item]?.json ?? {}).length === 0;
		},
		...(checked !== undefined && { checked }),
		...(named !== undefined && { named }),
		...(note !== undefined && { note }),
		get caller() {
			return (caller ??= callerOf(this));
		},
	};
}
