import { type Mask, maskToken } from './redact';
import type { Reply } from './reply';
import { type Edit, edited } from './walk';

/**
 * The tokens of API keys in what the service answers, other than the key in use (see `redact.ts`).
 *
 * Recognised are, in any spelling (`apiKey`, `ApiKey`, `api_key`, `x-api-key`), what stands in a field that is named
 * after an API key or a token, in a list or an object of its own too; and text that has the shape of a token: `acc_` or
 * `org_` and at least eight characters that keys are made of. In results the shape counts only after a word such as
 * "X-API-KEY:", as in a curl command: an id of the user's own may begin like that.
 */

/** Fields that hold a token. */
const TOKEN_NAMES: ReadonlySet<string> = new Set([
	'accesstoken',
	'apikeys',
	'apikeytoken',
	'apikeyvalue',
	'apitoken',
	'token',
	'tokens',
]);
const KEY_NAMES: ReadonlySet<string> = new Set(['apikey', 'xapikey']);
/** Fields that hold the token in an object that is itself called a key. */
const INSIDE_KEY: ReadonlySet<string> = new Set([
	'full',
	'key',
	'plain',
	'plaintext',
	'raw',
	'secret',
	'value',
]);

// "org_units" is a word; eight characters more, and it may be a token.
const SHAPE = /(?<![A-Za-z0-9])(?:acc|org)_[A-Za-z0-9][\w\-+/=.~%\\]{6,}[\w\-+/=]/g;
const LABELLED = new RegExp(`(api[-_ ]?key\\W{1,8})(${SHAPE.source})`, 'gi');

/** Three words or more: no token, but something said about one, as in `errors: { apiKey: ["The key is unknown"] }`. */
const SENTENCE = /\S\s+\S+\s+\S/;

/** The text with everything masked that has the shape of a token. */
export const maskShapes: Mask = (text) => text.replace(SHAPE, maskToken);

const maskLabelled: Mask = (text) =>
	// Most values of a list are short or UUIDs, and end here.
	text.includes('_')
		? text.replace(LABELLED, (_, label: string, token: string) => label + maskToken(token))
		: text;

/** A body of a success with the tokens in it masked, in place; `undefined` when it is nested too deeply to be read. */
export function maskTokens(body: unknown): unknown {
	return edited(body, tokenEdit(maskLabelled));
}

/** An answer as it may stand in an error, with the tokens in it masked, in place. */
export function maskedReply({ status, headers, body }: Reply): Reply {
	return {
		status,
		headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, maskShapes(value)])),
		body: edited(body, tokenEdit(maskShapes)),
	};
}

/** The body with the key in use masked, in place; `undefined` when it is nested too deeply to be read. */
export function maskKey(body: unknown, mask: Mask, key: string): unknown {
	return edited(body, {
		name: remembering(mask),
		// A key of digits only may come back as a number.
		value: (value) =>
			typeof value === 'string'
				? mask(value)
				: typeof value === 'number' && String(value) === key
					? mask(key)
					: value,
	});
}

const EVERY_NAME: ReadonlySet<string> = new Set([...KEY_NAMES, ...TOKEN_NAMES]);

function tokenEdit(maskText: Mask, names = EVERY_NAME, plain = remembering(plainName)): Edit {
	return {
		name: remembering(maskText),
		value(value, field, above) {
			if (typeof value !== 'string') return value;
			const name = plain(field);
			const inKey = INSIDE_KEY.has(name) && names.has(plain(above));
			const isToken = (names.has(name) || inKey) && !SENTENCE.test(value);
			return isToken ? maskToken(value) : maskText(value);
		},
		// What a channel is set up with is the user's own: a "token" in it is no key of this service, and masked it would
		// be lost when the parameters are written back.
		below(field) {
			return plain(field) === 'parameters' ? tokenEdit(maskText, KEY_NAMES, plain) : this;
		},
	};
}

/** A name without case, hyphens and underscores. */
function plainName(name: string): string {
	return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** The same function, made for names: a list repeats them in all its records, and each is worked out once. */
function remembering(change: (name: string) => string): (name: string) => string {
	const known = new Map<string, string>();
	return (name) => {
		let changed = known.get(name);
		if (changed === undefined) {
			changed = change(name);
			known.set(name, changed);
		}
		return changed;
	};
}
