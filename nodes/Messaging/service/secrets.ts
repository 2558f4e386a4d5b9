import type { Failure } from './endings';

/**
 * What keeps secrets out of results, errors and logs: the key in use, tokens of other API keys, and the links on which
 * questions are answered.
 */

/** Masks something in a text. */
export type Mask = (text: string) => string;

/** How deeply a body may be nested: n8n copies and saves it level by level. */
export const DEEPEST = 500;

/** An API key as it may be shown: its prefix and its last four characters. */
export function maskToken(token: string): string {
	const prefix = /^(?:org_|acc_)?/.exec(token)?.[0] ?? '';
	const rest = token.slice(prefix.length);
	// One that is masked already stays as it is.
	if (rest.startsWith('…') && rest.length <= 5) return token;
	return `${prefix}…${rest.length > 8 ? rest.slice(-4) : ''}`;
}

/** A shorter key is masked only where it stands alone: it would be found in the middle of many a word. */
const LONG_ENOUGH = 8;

/**
 * Masks the key in use as it is, and as encoders of JSON and of URLs write it, also one within the other. None of them
 * escapes letters and digits.
 *
 * @param key '' masks nothing
 */
export function maskOf(key: string): Mask {
	if (key === '') return (text) => text;
	const forms = key.replace(/[^\w-]/g, (sign) => {
		const code = sign.charCodeAt(0).toString(16).padStart(2, '0');
		const hex = code.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
		return `(?:%(?:25){0,4}${hex}|\\\\{1,8}u00${hex}|\\\\{0,8}\\${sign})`;
	});
	const alone = key.length < LONG_ENOUGH ? `(?<![A-Za-z0-9])${forms}(?![A-Za-z0-9])` : forms;
	const pattern = new RegExp(alone, 'g');
	const shown = maskToken(key);
	// By a function: the end of the key may look like a pattern for replacements, such as "$&".
	return (text) => (text.length < key.length ? text : text.replace(pattern, () => shown));
}

// "org_units" is a word; with eight characters more it may be a token.
const SHAPE = /(?<![A-Za-z0-9])(?:acc|org)_[A-Za-z0-9][\w\-+/=.~%\\]{6,}[\w\-+/=]/g;
const HEADER = /(x-api-key\W{1,8}|authorization\W{1,8}(?:bearer|basic)\s{1,8})([\w\-+/=.~%]{8,})/gi;
const LABELLED = new RegExp(`(api[-_ ]?key\\W{1,8})(${SHAPE.source})`, 'gi');

/** Masks all that has the shape of an API key. For errors: in results, an ID of the user's own may begin like one. */
export const maskShapes: Mask = (text) => text.replace(SHAPE, maskToken);

/** Masks what follows "X-API-KEY:" or "Authorization: Bearer", and what follows "API key" and has the shape of one. */
export const maskLabelled: Mask = (text) => {
	const shorten = (_: string, label: string, token: string): string => label + maskToken(token);
	return text.length < 16 ? text : text.replace(HEADER, shorten).replace(LABELLED, shorten);
};

/** Fields that hold an API key, and further ones that hold a token, by their names in lower case, letters and digits only. */
const KEY_FIELD = /^x?apikey$/;
const TOKEN_FIELD = /^(?:x?apikeys?|apikey(?:token|value)|(?:access|api)?token|tokens)$/;
/** Fields that hold the token in an object which is itself called a key or a token. */
const INSIDE = /^(?:full|key|plain|plaintext|raw|secret|value)$/;

/** Three words or more: something said about a key, as in `errors: { apiKey: ["The key is unknown"] }`. */
const SENTENCE = /^\s*\S+\s+\S+\s+\S/;

/** What the name of a field says, worked out once for all records of a list. */
interface Field {
	readonly shown: string;
	readonly isKey: boolean;
	readonly isToken: boolean;
	readonly isInside: boolean;
}

/** Where a value stands. */
interface Place {
	/** Whether the value's field, or that of the list around it, is named after a key or token. */
	readonly isNamed: boolean;
	/** Whether text there is a token. */
	readonly isToken: boolean;
	/** Whether it is within the parameters of a channel. */
	readonly isParameter: boolean;
}

const TOP: Place = { isNamed: false, isToken: false, isParameter: false };

/**
 * Makes a function that masks the tokens in a parsed body, in place, whatever its shape: values and names of fields. It
 * gives the masked body, and throws a RangeError when the body is nested more than DEEPEST levels deep.
 *
 * @param text masks any text
 * @param token masks a text in a field that is named after API keys or tokens
 */
export function bodyMask(text: Mask, token: Mask = maskToken): (body: unknown, levels?: number) => unknown {
	const known = new Map<string, Field>();
	const fieldOf = (name: string): Field => {
		let field = known.get(name);
		if (field === undefined) {
			const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '');
			field = {
				shown: text(name),
				isKey: KEY_FIELD.test(plain),
				isToken: TOKEN_FIELD.test(plain),
				isInside: INSIDE.test(plain),
			};
			known.set(name, field);
		}
		return field;
	};
	const masked = (value: unknown, place: Place, levels: number): unknown => {
		if (typeof value === 'string') return place.isToken && !SENTENCE.test(value) ? token(value) : text(value);
		if (typeof value !== 'object' || value === null) return value;
		if (levels === 0) throw new RangeError('It is nested too deeply');
		if (Array.isArray(value)) {
			for (const [index, member] of value.entries()) value[index] = masked(member, place, levels - 1);
			return value;
		}
		const record = value as Record<string, unknown>;
		const names = Object.keys(record);
		let renamed = false;
		for (const name of names) {
			const { shown, isKey, isToken, isInside } = fieldOf(name);
			// A channel's parameters are the user's own: a "token" in them is no key of this service, and masked it would be
			// lost when they are written back.
			const isNamed = place.isParameter ? isKey : isToken;
			record[name] = masked(
				record[name],
				{
					isNamed,
					isToken: isNamed || (isInside && place.isNamed),
					isParameter: place.isParameter || name.toLowerCase() === 'parameters',
				},
				levels - 1,
			);
			renamed ||= shown !== name;
		}
		return renamed ? Object.fromEntries(names.map((name) => [fieldOf(name).shown, record[name]])) : record;
	};
	return (body, levels = DEEPEST) => masked(body, TOP, levels);
}

/** What makes one of n8n's links good for an answer, as it stands in the link, escaped or not. */
const SIGNATURE = /(signature(?:=|%3d|\\+u003d))[\w%.~+/-]{1,512}/gi;

/**
 * The failure of a question without the link on which it is answered, which the service may repeat: whoever sees the
 * execution need not be the one who is asked.
 */
export function withoutSignatures(failure: Failure): Failure {
	return JSON.parse(JSON.stringify(failure).replace(SIGNATURE, '$1…')) as Failure;
}
