import { refusedReading } from '../agent/tool-input';
import { isPlainObject, placesIn } from '../shared/json';
import { mailboxIn, trimAddress } from './address';
import { codesIn, isAlone, quotedExpressions } from './expressions';
import { editorName, type Sources } from './field-name';
import { InvalidParameter } from './invalid-parameter';
import { notesOn } from './notes';
import type { ParameterSource } from './parameter-source';
import { type Properties, knownIn } from './parameter-types';
import { type Kind, kindOf, readingOf } from './reading';
import { findsNothing, refuse } from './rules';
import { isEmpty } from './values';

/** A field of the node. */
export interface Field {
	/** Where it is in the node: `additionalFields.correlationId`. */
	readonly path: string;
	/** Its type in the editor. */
	readonly type: string;
	readonly label: string;
}

/** What is taken away at both ends. */
const TRIM: Partial<Record<Kind, (text: string) => string>> = {
	email: (text) => mailboxIn(text).email,
	address: trimAddress,
};

/**
 * A value as it was meant: an address without what copy and paste has added, JSON without white space around it.
 *
 * @throws InvalidParameter for a value that can only be a mistake
 */
export function meant(value: unknown, field: Field, source: ParameterSource): unknown {
	const kind = kindOf(field.path, field.type);
	const trim = TRIM[kind];
	const given = trim !== undefined && typeof value === 'string' ? trim(value) : value;
	// What an empty field means, and an object that is not JSON, is up to those who read it. An empty key is refused here.
	const isForReaders = isEmpty(given) || (typeof given === 'object' && kind !== 'json');
	if (isForReaders && kind !== 'key') return given;
	const saved = savedIn(field, source);
	// With white space around it, n8n makes a text of the object that an expression gives.
	const isSpaced = kind === 'json' && isAlone(saved) && /^=\s|\s$/.test(saved);
	const read = isSpaced ? source.resolve?.(saved.slice(1).trim()) : given;
	const reading = readingOf(read, saved, source);
	refuse(kind, field.label, reading);
	const notes = kind === 'message' ? notesOn(reading, source.caller.isPreview === true) : [];
	for (const note of notes) source.note?.(`${field.label} ${note}`);
	return read;
}

/** A field's value as saved in the workflow, expressions not resolved; `undefined` if that is not known. */
export function savedIn({ path, type }: Field, source: ParameterSource): unknown {
	const saved = source.unresolved?.(path);
	const isWrapped = type === 'resourceMapper' || type === 'resourceLocator';
	return isWrapped && isPlainObject(saved) && 'value' in saved ? saved.value : saved;
}

/** The error for a field that may not be empty. It names the expressions that find nothing, if it has some. */
export function emptyField(label: string, hint: string, saved: unknown): InvalidParameter {
	const codes = codesIn(saved);
	if (codes.length === 0) return new InvalidParameter(label, 'is empty', hint);
	const reason = `is empty: ${findsNothing(codes)}`;
	return new InvalidParameter(label, reason, `${hint} Items with alreadySent do not have every field.`);
}

/**
 * Refuses an object in JSON, such as an address, with a field that can only be a mistake.
 *
 * @param saved the JSON as saved in the workflow: the object, or what it is a part of
 */
export function refuseMembers(
	kind: 'address' | 'id',
	object: object,
	label: string,
	saved: unknown,
	source: ParameterSource,
): void {
	refuse(kind, label, readingOf(object));
	const texts = quotedExpressions(saved);
	const given = codesIn(saved).map((code) => {
		const value = source.resolve?.(`{{ ${code} }}`);
		return { code: `{{ ${code} }}`, json: typeof value === 'string' ? value : `${JSON.stringify(value)}` };
	});
	for (const [name, value] of Object.entries(object)) {
		// The expressions of this field are those in the quotes that give its value, or one without quotes that shows it.
		const json = JSON.stringify(value);
		const own =
			texts.find((text) => source.resolve?.(text) === value) ??
			given.find((each) => json !== undefined && each.json.includes(json))?.code;
		refuse(kind, `${label} > ${name}`, readingOf(value, own && `=${own}`, source));
	}
}

/** Refuses a call whose body would not arrive as intended. The error names the field of the operation. */
export function refuseUnsendable({ body }: { body?: object }, fields: Properties, sources?: Sources): void {
	for (const { value, path } of placesIn(body)) {
		refuse('sent', () => editorName(fields, path().join('.'), sources), readingOf(value));
	}
}

/** Refuses a call of a tool in which a field may have a value that the workflow does not mean. */
export function refuseModelInput(source: ParameterSource, fields: Properties): void {
	const { toolInput } = source.caller;
	if (toolInput === undefined) return;
	for (const { field, path } of knownIn(fields)) {
		const refused = refusedReading(path, source.unresolved?.(path), toolInput);
		if (refused !== undefined) throw new InvalidParameter(field.displayName, ...refused);
	}
}
