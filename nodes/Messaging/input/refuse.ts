import { isPlainObject, placesIn } from '../shared/json';
import { isAlone, literalsIn, templateOf } from './expressions';
import { editorName, type Sources } from './field-name';
import { InvalidParameter } from './invalid-parameter';
import type { ParameterSource } from './parameter-source';
import type { Properties } from './parameter-types';
import { ALL, findsNothing, type Kind, kindOf, type Reading, refuseFaulty, RULES } from './rules';
import { isEmpty } from './values';

const rulesOf = new Map(ALL.map((kind) => [kind, RULES.filter(({ kinds }) => kinds.includes(kind))]));

/** A field, and its value as saved in the workflow. */
export interface Field {
	/** Where it is in the node: `additionalFields.correlationId`. */
	readonly path: string;
	/** Its type in the editor. */
	readonly type: string;
	readonly label: string;
}

/**
 * A value as it was meant, or why it is refused.
 *
 * @throws InvalidParameter for what nobody can have meant
 */
export function meant(value: unknown, field: Field, source: ParameterSource): unknown {
	const kind = kindOf(field.path, field.type);
	const isSkipped =
		kind === 'other'
			? typeof value !== 'string' || !value.includes('{{')
			: kind !== 'key' && (isEmpty(value) || (kind !== 'json' && typeof value === 'object'));
	if (isSkipped) return value;
	const saved = savedIn(field, source);
	const template = kind === 'json' ? templateOf(saved) : undefined;
	// n8n makes a text of an object that has white space around it.
	const isSpaced = template !== undefined && template.texts.join('') !== '' && isAlone(template);
	const reading = isSpaced ? source.resolve?.(`{{${template.codes.join()}}}`) : value;
	refuse(kind, field.label, { value: reading, saved, source });
	return reading;
}

/** A field's value as saved in the workflow, expressions not resolved; `undefined` if that is not known. */
export function savedIn({ path, type }: Field, source: ParameterSource): unknown {
	const saved = source.unresolved?.(path);
	const isWrapped = type === 'resourceMapper' || type === 'resourceLocator';
	return isWrapped && isPlainObject(saved) && 'value' in saved ? saved.value : saved;
}

/** The error for a field that may not be empty. It names the expressions that find nothing, if it has some. */
export function emptyField(label: string, hint: string, saved: unknown): InvalidParameter {
	const codes = templateOf(saved)?.codes;
	if (codes === undefined) return new InvalidParameter(label, 'is empty', hint);
	const reason = `is empty: ${findsNothing(codes)}`;
	return new InvalidParameter(label, reason, `${hint} An item that was alreadySent may lack it.`);
}

/** Refuses a value that nobody can have meant for a field of this kind. */
export function refuse(kind: Kind, label: string, reading: Reading): void {
	const { saved, value } = reading;
	const text = ['string', 'number', 'boolean'].includes(typeof value) ? `${value as string}` : '';
	const template = templateOf(saved);
	for (const { finds, hint } of rulesOf.get(kind) ?? []) {
		const reason = finds(reading, text, template);
		if (typeof reason === 'string') throw new InvalidParameter(label, reason, hint);
	}
}

/**
 * Refuses an address in JSON with a field that nobody can have meant.
 *
 * @param saved the JSON as saved in the workflow: the address, or what it is a part of
 */
export function refuseAddress(address: object, label: string, saved: unknown, source: ParameterSource): void {
	const template = templateOf(saved);
	const whole = template !== undefined && isAlone(template) ? saved : undefined;
	const literals = literalsIn(saved);
	for (const [name, value] of Object.entries(address)) {
		// In quotes, the expressions of a field are known: it is what they give.
		const own = literals.find((literal) => source.resolve?.(literal) === value);
		const reading = { value: value as unknown, saved: own === undefined ? whole : `=${own}`, source };
		refuse('address', `${label} > ${name}`, reading);
	}
}

/** Refuses a call whose body would not arrive as intended. The error names the field of the operation. */
export function refuseUnsendable({ body }: { body?: object }, fields: Properties, sources?: Sources): void {
	for (const { value, path } of placesIn(body)) {
		const field = (): string => editorName(fields, path.join('.'), sources);
		refuseFaulty(path.at(-1), field);
		refuseFaulty(value, field);
	}
}
