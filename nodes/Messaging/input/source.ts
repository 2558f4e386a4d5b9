import type { IExecuteFunctions } from 'n8n-workflow';

import type { Caller, ParameterSource, SharedByItems } from './parameter-source';
import type { Properties } from './parameter-types';
import { PathReader } from './path-reader';

/** The caller while the settings of a run are read: no item is sent yet. */
const NO_CALLER = (): Caller => ({ callId: '' });

/**
 * The parameters of one item, each resolved only when it is read.
 *
 * @param shared what all items of a run share, if it reads several
 * @param callerOf who calls for the item, given its parameters; asked once, when it is needed
 */
export function sourceOf(
	context: IExecuteFunctions,
	fields: Properties,
	item: number,
	{ paths, ...shared }: SharedByItems & { readonly paths: PathReader } = { paths: new PathReader(context) },
	callerOf: (source: ParameterSource) => Caller = NO_CALLER,
): ParameterSource {
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
				try {
					return resolved(paths.saved(name), byN8n);
				} catch (error) {
					// n8n does not name the field of an expression with a syntax error.
					const { context: more } = error as { context?: object };
					throw Object.assign(error as object, { context: { parameter: name, ...more } });
				}
			}),
		unresolved: (path) => paths.saved(path),
		resolve: (text) =>
			once(`=${text}`, () => resolved(`=${text}`, () => context.evaluateExpression(text, item))),
		timezone: context.getTimezone(),
		get itemFields() {
			return Object.keys(context.getInputData()[item]?.json ?? {});
		},
		...shared,
		get caller() {
			return (caller ??= callerOf(this));
		},
	};
}
