import { refusedReading } from '../agent/tool-input';
import { isEmpty, isPlainObject, pathTo, placesIn } from '../shared/json';
import { LARGEST, mailboxIn, singleAddress, trimAddress } from './address';
import { codesIn, isAlone, quotedExpressions } from './expressions';
import { InvalidParameter } from './invalid-parameter';
import { notesOn } from './notes';
import type { ParameterSource } from './parameter-source';
import { type Properties, knownIn } from './parameter-types';
import { type Kind, kindOf, readingOf } from './reading';
import { refuse } from './rules';

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
 * A value, checked and cleaned: an address without what copy and paste has added, JSON without white space around it.
 *
 * @throws InvalidParameter for a value that can only be a mistake
 */
export function checked(value: unknown, field: Field, source: ParameterSource): unknown {
	const kind = kindOf(field.path, field.type);
	const trim = TRIM[kind];
	const single = trim === undefined ? value : singleAddress(value, field.label, savedIn(field, source));
	const isText = typeof single === 'string' && single.length <= LARGEST;
	const given = trim !== undefined && isText ? trim(single) : single;
	// Whether a field may be empty, or an object, is checked by those who read it. Only an empty key is refused here.
	const isCheckedLater = isEmpty(given) || (typeof given === 'object' && kind !== 'json');
	if (isCheckedLater && kind !== 'key') return given;
	const saved = savedIn(field, source);
	// If an expression has white space around it, n8n turns the object that it gives into a text.
	const isSpaced = kind === 'json' && isAlone(saved) && /^=\s|\s$/.test(saved);
	const read = isSpaced ? source.resolve?.(saved.slice(1).trim()) : given;
	const reading = readingOf(read, saved, source);
	refuse(kind, field.label, reading);
	const notes = kind === 'message' ? notesOn(reading, source.caller.wantsAllNotes === true) : [];
	for (const note of notes) source.note?.(`${field.label} ${note}`);
	return read;
}

/** A field's value as saved in the workflow, expressions not resolved; `undefined` if that is not known. */
export function savedIn({ path, type }: Field, source: ParameterSource): unknown {
	const saved = source.unresolved?.(path);
	const isWrapped = type === 'resourceMapper' || type === 'resourceLocator';
	return isWrapped && isPlainObject(saved) && 'value' in saved ? saved.value : saved;
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
	// Which expressions made a field: the quoted text that gives its value, or else an expression that contains it.
	const texts = [...quotedExpressions(saved), ...codesIn(saved).map((code) => `{{ ${code} }}`)];
	const all = texts.map((text) => {
		const given = source.resolve?.(text);
		return { text, given, json: typeof given === 'string' ? given : `${JSON.stringify(given)}` };
	});
	for (const [name, value] of Object.entries(object)) {
		const part = JSON.stringify(value);
		const own = all.find(({ given, json }) => given === value || json.includes(part))?.text;
		refuse(kind, `${label} > ${name}`, readingOf(value, own && `=${own}`, source));
	}
}

/** Refuses a call whose body would not arrive as intended. The error names the field of the operation. */
export function refuseUnsendable({ body }: { body?: object }): void {
	for (const place of placesIn(body)) refuse('sent', () => pathTo(place).join('.'), readingOf(place.value));
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
