import { inPlaceOf, SETTINGS, withoutLogin } from './credentials';

/** Masks secrets in a text. */
export type Mask = (text: string) => string;

/** How deeply a body may be nested. n8n copies and saves it recursively. */
export const DEEPEST = 500;

/** An API key as it may be shown: its prefix and its last four characters. */
export function maskToken(token: string): string {
	const prefix = /^(?:org_|acc_)?/.exec(token)?.[0] ?? '';
	const rest = token.slice(prefix.length);
	// Already masked: keep it.
	if (rest.startsWith('…') && rest.length <= 5) return token;
	return `${prefix}…${rest.length > 8 ? rest.slice(-4) : ''}`;
}

/** A shorter key is masked only as a separate word, because ordinary words may contain it. */
const LONG_ENOUGH = 8;

/** Masks the secrets in use, the longer ones first, as they may contain others. */
export function maskOf(...secrets: readonly string[]): Mask {
	const longestFirst = [...new Set(secrets)].sort((one, other) => other.length - one.length);
	const masks = longestFirst.map(maskOfOne);
	return (text) => masks.reduce((masked, mask) => mask(masked), text);
}

/**
 * Masks a secret, a key also without its prefix: plain, and escaped for JSON, for URLs or for both. Neither escapes
 * letters and digits.
 */
function maskOfOne(key: string): Mask {
	const forms = key.replace(/[^\w-]/g, (sign) => {
		const code = sign.charCodeAt(0).toString(16).padStart(2, '0');
		const hex = code.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
		const asForm = sign === ' ' ? '|\\+' : '';
		return `(?:%(?:25){0,4}${hex}|\\\\{1,8}u00${hex}|\\\\{0,8}\\${sign}${asForm})`;
	});
	const alone = key.length < LONG_ENOUGH ? `(?<![A-Za-z0-9])${forms}(?![A-Za-z0-9])` : forms;
	const [prefix = ''] = /^(?:acc|org)_(?=.{8})/.exec(key) ?? [];
	const pattern = new RegExp(prefix === '' ? alone : `(?:${prefix})?${forms.slice(prefix.length)}`, 'g');
	const shown = maskToken(key);
	// A function, because the end of the key may look like a replacement pattern such as "$&".
	const masked = (found: string): string => (found.startsWith(prefix) ? shown : shown.slice(prefix.length));
	return (text) => (text.length < key.length - prefix.length ? text : text.replace(pattern, masked));
}

// "org_units" is a word; with eight characters more it may be a token.
const SHAPE = /(?<![A-Za-z0-9])(?:acc|org)_[A-Za-z0-9][\w\-+/=.~%\\]{6,}[\w\-+/=]/g;
const HEADER = /(x-api-key\W{1,8}|authorization\W{1,8}(?:bearer|basic)\s{1,8})([\w\-+/=.~%]{8,})/gi;

/** The parts of the link to a question that allow its holder to answer, escaped or not. */
const SIGNATURE = /((?:signature|question)(?:=|%3d|\\+u003d))[\w%.~+/-]{1,512}/gi;

/**
 * Masks everything that looks like an API key, and the link of a question, which the service may repeat. Only for errors:
 * in results, the user's own ID may look like a key.
 */
export const maskShapes: Mask = (text) => text.replace(SHAPE, maskToken).replace(SIGNATURE, '$1…');

/** Masks what follows "X-API-KEY:" or "Authorization: Bearer", as in a curl command. */
export const maskLabelled: Mask = (text) =>
	text.replace(HEADER, (_, label: string, token: string) => label + maskToken(token));

/** Names of fields with an API key or another token of the service. */
const TOKEN_FIELD =
	/^(?:(?:x[-_ ]?)?api[-_ ]?keys?|(?:(?:api|access|api[-_ ]?key)[-_ ]?)?tokens?|api[-_ ]?key[-_ ]?value)$/i;
/** Names of fields with the token, inside an object that is itself named after a key or token. */
const FIELD_OF_TOKEN = /^(?:full|key|plain|plaintext|raw|secret|value)$/i;

/** Three words or more: a remark about a key, as in `errors: { apiKey: ["The key is unknown"] }`. */
const SENTENCE = /^\s*\S+\s+\S+\s+\S/;

/** What the field names around a value say about it. */
interface Context {
	/** Text here is a token. */
	readonly isToken: boolean;
	/** It belongs to the settings of another system. */
	readonly isSetting: boolean;
}

/**
 * Makes a function that returns a parsed body with secrets masked in values and field names. The function throws a
 * RangeError if the body is nested more than DEEPEST levels deep.
 *
 * @param text masks any text
 * @param others whether other tokens and the credentials of other systems are masked, too
 */
export function bodyMask(text: Mask, others = true): <T>(body: T) => T {
	const masked = (value: unknown, { isSetting, isToken }: Context, levels: number): unknown => {
		if (typeof value === 'string') {
			if (!others) return text(value);
			if (isToken && value !== '' && !SENTENCE.test(value)) return maskToken(value);
			return isSetting ? withoutLogin(text(value)) : text(value);
		}
		if (typeof value !== 'object' || value === null) return value;
		if (levels === 0) throw new RangeError('It is nested too deeply');
		const member = (name: string, content: unknown, inside: Context): unknown => {
			const hidden = others ? inPlaceOf(name, content, value, isSetting) : undefined;
			return hidden ?? masked(content, inside, levels - 1);
		};
		if (Array.isArray(value)) {
			return value.map((content, n) => member(String(n), content, { isSetting, isToken }));
		}
		const members = Object.entries(value).map(([name, content]) => {
			const inside = {
				isToken: TOKEN_FIELD.test(name) || (isToken && FIELD_OF_TOKEN.test(name)),
				isSetting: isSetting || SETTINGS.test(name),
			};
			return [text(name), member(name, content, inside)];
		});
		return Object.fromEntries(members) as object;
	};
	return (body) => masked(body, { isToken: false, isSetting: false }, DEEPEST) as typeof body;
}
