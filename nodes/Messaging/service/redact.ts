/** Masks a secret wherever it stands in a text. */
export type Mask = (text: string) => string;

const PREFIX = /^(org_|acc_)?/;

/** An API key as it may be shown: its prefix and its last four characters. */
export function maskToken(token: string): string {
	const prefix = PREFIX.exec(token)?.[0] ?? '';
	const rest = Array.from(token.slice(prefix.length));
	// What is masked already stays as it is: the key in use is masked before the others.
	if (rest[0] === '…' && rest.length <= 5) return token;
	return `${prefix}…${rest.length > 8 ? rest.slice(-4).join('') : ''}`;
}

/** A secret shorter than this is masked only where it stands alone: it would be found in the middle of many a word. */
const LONG_ENOUGH = 8;

/** How many layers of escaping are looked through, such as HTML in JSON in a URL. */
const MOST_LAYERS = 4;

/**
 * Masks a secret in text: as it is, in base64 (at any alignment, in both alphabets), and in any mixture of the escapes
 * of JSON, URLs and HTML; the first two also where a long line was broken.
 *
 * @param secret the key in use; '' masks nothing
 */
export function maskOf(secret: string): Mask {
	if (secret === '') return (text) => text;
	const plain = [...layersOf(secret), ...base64Of(secret)];
	const forms = formsOf(secret);
	const broken = secret.length < LONG_ENOUGH ? undefined : brokenFormsOf(secret);
	const shown = maskToken(secret);
	const shortest = Math.min(...plain.map(({ length }) => length));
	return (text) => {
		// Escapes make it longer, never shorter: most values of a long list end here.
		if (text.length < shortest) return text;
		let masked = text.replace(forms, shown);
		let layer = masked;
		for (let depth = 1; depth <= MOST_LAYERS; depth++) {
			const below = layer.replace(ESCAPE, characterOf);
			if (below === layer) break;
			if (below.search(forms) >= 0) masked = maskedBelow(masked, depth, forms, shown);
			layer = below;
		}
		return broken !== undefined && /[\r\n]/.test(masked) ? masked.replace(broken, shown) : masked;
	};
}

/** What stands between two characters where somebody has broken a line that was too long, as MIME does. */
const BREAK = '(?:=?[\\r\\n]{1,2}[ \\t]{0,8})?';

/** Finds the secret, as it is or in base64, where it goes on in the next line. */
function brokenFormsOf(secret: string): RegExp {
	const forms = [...new Set([secret, ...base64Of(secret)])];
	return new RegExp(forms.map((form) => Array.from(form, literal).join(BREAK)).join('|'), 'g');
}

/** Finds the secret in a text without escapes. */
function formsOf(secret: string): RegExp {
	const encoded = [...new Set(base64Of(secret))].map((form) => `${literal(form)}[\\w+/-]?={0,2}`);
	const forms = [...layersOf(secret).map(literal), ...encoded].join('|');
	const alone = `(?<![A-Za-z0-9])(?:${forms})(?![A-Za-z0-9])`;
	return new RegExp(secret.length < LONG_ENOUGH ? alone : forms, 'g');
}

/** The secret, and what is left of it when text around it is freed of escapes: it may hold what looks like one. */
function layersOf(secret: string): string[] {
	const layers = [secret];
	for (let depth = 1; depth <= MOST_LAYERS; depth++) {
		layers.push((layers.at(-1) ?? '').replace(ESCAPE, characterOf));
	}
	return [...new Set(layers)];
}

/** What base64 makes of the secret alone or amid other text: the characters that depend on nothing but the secret. */
function base64Of(secret: string): string[] {
	const bytes = Buffer.from(secret, 'utf8');
	const alignments = secret.length < LONG_ENOUGH ? [0] : [0, 1, 2];
	return alignments.flatMap((before) => {
		const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
		const own = encoded.slice(Math.ceil((before * 4) / 3), Math.floor(((before + bytes.length) * 4) / 3));
		return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
	});
}

function literal(text: string): string {
	return text.replace(/[^\w]/g, '\\$&');
}

/** One escaped character: of JSON or JavaScript, of a URL, or of HTML. */
const ESCAPE =
	/\\+(?:u([\da-f]{4})|x([\da-f]{2})|([^bfnrtux]))|%(?:u([\da-f]{4})|([\da-f]{2}))|&(?:#(\d{2,7})|#x([\da-f]{2,6})|([a-z]{2,6}));/gi;

/** The visible characters that HTML has names for. */
const NAMED: Readonly<Record<string, string>> = {
	amp: '&',
	apos: "'",
	colon: ':',
	equals: '=',
	gt: '>',
	lowbar: '_',
	lt: '<',
	num: '#',
	percnt: '%',
	period: '.',
	plus: '+',
	quot: '"',
	sol: '/',
};

/** The character that an escape stands for; the escape itself where that is no visible one. */
function characterOf(escape: string, ...groups: Array<string | undefined>): string {
	const [unicode, byte, character, urlUnicode, urlByte, decimal, hexadecimal, name] = groups;
	if (character !== undefined) return character;
	if (name !== undefined) return NAMED[name.toLowerCase()] ?? escape;
	const digits = unicode ?? byte ?? urlUnicode ?? urlByte ?? hexadecimal;
	const code = digits === undefined ? Number(decimal) : parseInt(digits, 16);
	return code > 0x20 && code < 0x7f ? String.fromCharCode(code) : escape;
}

/** The text with the secret masked where it shows once so many layers of escapes are taken off. */
function maskedBelow(text: string, depth: number, forms: RegExp, shown: string): string {
	let layer = { text, starts: Array.from({ length: text.length + 1 }, (_, index) => index) };
	for (let count = 0; count < depth; count++) layer = unescaped(layer);
	let masked = '';
	let end = 0;
	for (const { index, 0: found } of layer.text.matchAll(forms)) {
		masked += text.slice(end, layer.starts[index]) + shown;
		end = layer.starts[index + found.length] ?? text.length;
	}
	return masked + text.slice(end);
}

/** A text without some layers of escapes, and where each of its characters (and its end) stands in the first one. */
interface Layer {
	text: string;
	starts: number[];
}

function unescaped({ text, starts }: Layer): Layer {
	const parts: string[] = [];
	const kept: number[] = [];
	let end = 0;
	const keep = (until: number): void => {
		parts.push(text.slice(end, until));
		for (let index = end; index < until; index++) kept.push(starts[index] ?? 0);
	};
	for (const match of text.matchAll(ESCAPE)) {
		const character = characterOf(match[0], ...match.slice(1));
		if (character === match[0]) continue;
		keep(match.index);
		parts.push(character);
		kept.push(starts[match.index] ?? 0);
		end = match.index + match[0].length;
	}
	keep(text.length);
	return { text: parts.join(''), starts: [...kept, starts[text.length] ?? 0] };
}
