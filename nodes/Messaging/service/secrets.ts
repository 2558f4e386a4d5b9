import { type JsonObject, pathTo, placesIn } from '../shared/json';

/** Masks secrets in a text. */
export type Mask = (text: string) => string;

/** Stands in for a secret that must neither be shown nor saved in a workflow. Sending this text is refused. */
export const HIDDEN_SECRET = '••••••••';

/** An API key as it may be shown: its prefix and its last four characters. */
export function maskToken(token: string): string {
	const prefix = /^(?:org_|acc_)?/.exec(token)?.[0] ?? '';
	const rest = token.slice(prefix.length);
	// Already masked: keep it.
	if (rest.startsWith('…') && rest.length <= 5) return token;
	return `${prefix}…${rest.length > 8 ? rest.slice(-4) : ''}`;
}

/** Masks the secrets in use, the longer ones first, as they may contain others. */
export function maskOf(...secrets: readonly string[]): Mask {
	const longestFirst = [...new Set(secrets)].sort((one, other) => other.length - one.length);
	const masks = longestFirst.map(maskOfOne);
	return (text) => masks.reduce((masked, mask) => mask(masked), text);
}

/** A shorter key is masked only as a separate word, because ordinary words may contain it. */
const LONG_ENOUGH = 8;

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

/**
 * Where a secret is masked. `errors`: only there, and in hints and logs, because an ID of the user's own in a result may look
 * like it. `settings`: everywhere, among the settings of another system.
 */
type Where = 'everywhere' | 'errors' | 'settings';

type InItsPlace = (found: string, label: string, token: string) => string;

/** Secrets that are found in a text: where they are masked, what they look like, and what stands in their place. */
const TEXTS: ReadonlyArray<readonly [where: Where, pattern: RegExp, inItsPlace: InItsPlace]> = [
	// Another API key, by its shape. "org_units" is a word; with eight characters more it may be a token.
	['errors', /(?<![A-Za-z0-9])(?:acc|org)_[A-Za-z0-9][\w\-+/=.~%\\]{6,}[\w\-+/=]/g, maskToken],
	// A key behind "X-API-KEY:" or "Authorization: Bearer", as in a curl command.
	[
		'everywhere',
		/(x-api-key\W{1,8}|authorization\W{1,8}(?:bearer|basic)\s{1,8})([\w\-+/=.~%]{8,})/gi,
		(_found, label, token) => label + maskToken(token),
	],
	// The parts of the link to a question that allow its holder to answer, escaped or not.
	['errors', /((?:signature|question)(?:=|%3d|\\+u003d))[\w%.~+/-]{1,512}/gi, (_found, label) => `${label}…`],
	// The login in an address: https://user:password@host.
	['settings', /(:\/\/)[^\s/?#"'\\@]+(?:@[^\s/?#"'\\@]+)*(?=@)/g, (_found, label) => label + HIDDEN_SECRET],
];

/** Members of an object that are secrets by their names, whatever they hold. */
const MEMBERS: ReadonlyArray<readonly [where: Where, name: RegExp, inItsPlace: string]> = [
	// The whole request to the receiver of an outbox entry, which may hold credentials anywhere.
	[
		'everywhere',
		/^(?:curlCommand|requestMetamodel)$/i,
		'Hidden, because it may hold credentials. Turn on the option Include Token ("includeToken") to see it.',
	],
	// A credential of another system. A "key" alone may be a name, and a keyword is public.
	[
		'settings',
		/authorization|cookie|passw(?:or)?d|passphrase|pass(?![a-z])|pwd|secret|token|credential|signature|[a-z\d][-_]?key(?!word)/i,
		HIDDEN_SECRET,
	],
];

/** Members with an API key or another token of the service, also in a list; `maskToken` stands in their place. */
const TOKEN =
	/^(?:(?:x[-_ ]?)?api[-_ ]?keys?|(?:(?:api|access|api[-_ ]?key)[-_ ]?)?tokens?|api[-_ ]?key[-_ ]?value)$/i;
/** Members with the token, inside an object that is itself named after a key or token. */
const PART_OF_TOKEN = /^(?:full|key|plain|plaintext|raw|secret|value)$/i;
/** Three words or more: a remark about a key, as in `errors: { apiKey: ["The key is unknown"] }`. */
const REMARK = /^\s*\S+\s+\S+\s+\S/;

/** Members with the settings of another system, or with its address. */
const SETTINGS = /^(?:parameters|url)$/i;

/** Nothing shorter can hold one of TEXTS. */
const SHORTEST = 5;

function textMask(...places: readonly Where[]): Mask {
	const rows = TEXTS.filter(([where]) => places.includes(where));
	return (text) => {
		if (text.length < SHORTEST) return text;
		return rows.reduce((masked, [, pattern, inItsPlace]) => masked.replace(pattern, inItsPlace), text);
	};
}

/** Masks the secrets of others in a text of an error, a hint or a log. */
export const maskInErrors = textMask('everywhere', 'errors');
/** The same in a result. */
export const maskInResults = textMask('everywhere');
const maskInSettings = textMask('settings');

/** How deeply a body may be nested. n8n copies and saves it recursively. */
export const DEEPEST = 500;

/** What the names around a value say about it. */
interface Context {
	/** Text here is a token. */
	readonly isToken: boolean;
	/** It belongs to the settings of another system. */
	readonly isSetting: boolean;
}

/**
 * Makes a function that returns a parsed body with secrets masked in values and in the names of members. What holds none is
 * returned as it is. The function throws a RangeError if the body is nested more than DEEPEST levels deep.
 *
 * @param text masks any text
 * @param others whether other tokens and the credentials of other systems are masked, too
 */
export function bodyMask(text: Mask, others = true): <T>(body: T) => T {
	const maskedText = (value: string, { isSetting, isToken }: Context): string => {
		if (!others) return text(value);
		if (isToken && value !== '' && !REMARK.test(value)) return maskToken(value);
		return isSetting ? maskInSettings(text(value)) : text(value);
	};
	const masked = (value: unknown, context: Context, levels: number): unknown => {
		if (typeof value === 'string') return maskedText(value, context);
		if (typeof value !== 'object' || value === null) return value;
		if (levels === 0) throw new RangeError('It is nested too deeply');
		const member = (name: string, content: unknown, inside: Context): unknown => {
			const hidden = others ? inPlaceOf(name, content, value, context.isSetting) : undefined;
			return hidden ?? masked(content, inside, levels - 1);
		};
		if (Array.isArray(value)) return value.map((content, n) => member(String(n), content, context));
		// Copied only if something in it is hidden: a copy of many members takes long.
		const whole = value as JsonObject;
		const names = Object.keys(whole);
		let isSame = true;
		const shown = names.map((name) => {
			const content = whole[name];
			const inItsPlace = member(name, content, contextIn(name, context));
			isSame &&= inItsPlace === content && text(name) === name;
			return inItsPlace;
		});
		return isSame ? value : Object.fromEntries(names.map((name, n) => [text(name), shown[n]]));
	};
	return (body) => masked(body, NO_CONTEXT, DEEPEST) as typeof body;
}

const NO_CONTEXT: Context = { isToken: false, isSetting: false };

function contextIn(name: string, around: Context): Context {
	const isToken = TOKEN.test(name) || (around.isToken && PART_OF_TOKEN.test(name));
	const isSetting = around.isSetting || SETTINGS.test(name);
	return isToken || isSetting ? { isToken, isSetting } : NO_CONTEXT;
}

/** What is shown in place of a member of an object or a list; `undefined` if that is its value. */
function inPlaceOf(name: string, value: unknown, whole: object, isSetting: boolean): string | undefined {
	// An empty one stays, and so does a switch.
	if (value === null || value === '' || typeof value === 'boolean') return undefined;
	const beside = isSetting ? namesBeside(name, whole) : [];
	for (const [where, pattern, inItsPlace] of MEMBERS) {
		if (where === 'settings' && !isSetting) continue;
		if (pattern.test(name) || beside.some((each) => pattern.test(each))) return inItsPlace;
	}
	return undefined;
}

/** Names of a header in other members: beside its value (`{ name: "Cookie", value: "a=b" }`), or before it in a list. */
function namesBeside(name: string, whole: object): string[] {
	// Few spellings, because each reads the whole object.
	const isValue = /^(?:[Vv]alues?|VALUES?)$/.test(name);
	const beside: unknown[] = Array.isArray(whole)
		? [whole[Number(name) - 1]]
		: isValue
			? Object.values(whole)
			: [];
	return beside.filter((each): each is string => typeof each === 'string' && /^[\w-]{1,100}$/.test(each));
}

/** A masked API key: anywhere in a text, or on its own, where it may be short or without a prefix. */
const MASKED_KEY = /(?:acc|org)_…[^\s…"']{4}|^(?:acc_|org_)?…\S{0,4}$/;

/** What services themselves show in place of a secret. */
const OF_SERVICE = /^[*•]{4,}$/;

/** What in a value stands in place of a secret, and where; `undefined` if nothing does. */
export function maskIn(value: unknown): { mask: string; path: readonly string[] } | undefined {
	for (const place of placesIn(value)) {
		const { value: text } = place;
		if (typeof text !== 'string') continue;
		const isHidden = text.includes(HIDDEN_SECRET) || OF_SERVICE.test(text);
		if (isHidden) return { mask: 'a hidden secret', path: pathTo(place) };
		if (MASKED_KEY.test(text)) return { mask: 'a masked API key', path: pathTo(place) };
	}
	return undefined;
}
