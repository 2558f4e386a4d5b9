import type { IExecuteFunctions } from 'n8n-workflow';

import type { NamedLists } from './by-name';
import type { ParameterSource } from './parameter-source';
import type { Properties } from './parameter-types';
import { type PathReader, savedIn } from './path-reader';
import type { ToolInput } from '../shared/tool';

/** What an item has of its own; the settings of a run are read without it. */
interface OfItem {
	/** Reads the parameters that contain paths. */
	readonly paths: PathReader;
	/** The UUID of what is made of the item. */
	callId(source: ParameterSource): string;
	/** The link on which the item is answered. */
	answerLink(): string;
	/** Whether an AI agent calls, so that a model may have filled in values. */
	readonly isTool: boolean;
	/** What it calls with. */
	readonly toolInput: ToolInput | undefined;
	readonly named: NamedLists;
}

/** The parameters of one item, each resolved only when it is read. */
export function sourceOf(
	context: IExecuteFunctions,
	fields: Properties,
	item: number,
	own?: OfItem,
): ParameterSource {
	const values = new Map<string, unknown>();
	const readPaths = own?.paths.ofItem(item) ?? ((_name, alone) => alone());
	let id: string | undefined;
	return {
		read(name) {
			if (!values.has(name)) {
				// A field hidden by another field's value has no value and counts as its default.
				const fallback = fields.find((field) => field.name === name)?.default ?? '';
				// n8n's own validation is skipped: it is slow, and fields are checked where they are read.
				const alone = (): unknown => context.getNodeParameter(name, item, fallback, { skipValidation: true });
				values.set(name, readPaths(name, alone));
			}
			return values.get(name);
		},
		unresolved: (path) => (own === undefined ? savedIn(context, path) : own.paths.saved(path)),
		resolve(text) {
			if (!values.has(text)) values.set(text, context.evaluateExpression(text, item));
			return values.get(text);
		},
		timezone: context.getTimezone(),
		get isEmptyItem() {
			return Object.keys(context.getInputData()[item]?.json ?? {}).length === 0;
		},
		isTool: own?.isTool === true,
		toolInput: own?.toolInput,
		...(own !== undefined && { named: own.named }),
		get callId() {
			// Every collection of the item asks for it: hash it once.
			return (id ??= own?.callId(this) ?? '');
		},
		get answerLink() {
			return own?.answerLink() ?? '';
		},
	};
}
