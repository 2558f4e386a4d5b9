/** Masks secrets in a text. */
export type Mask = (text: string) => string;

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
