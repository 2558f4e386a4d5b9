import type { Turns } from '../time/turns';
import { Parts, Search } from './long-text';

/** Masks a secret wherever it stands in a text. */
export interface Mask {
	/** In one go: for a text that is not long. */
	(text: string): string;
	/** The same for a text of any length; the event loop turns in between. */
	inTurns(text: string, turns: Turns): Promise<string>;
}

/** The longest text that is masked in one go, in characters. */
export const AT_ONCE = 2_000;

/** Leaves every text as it is. */
export const NO_MASK: Mask = Object.assign((text: string) => text, {
	inTurns: (text: string) => Promise.resolve(text),
});

/** A text masked, whatever its length. */
export async function masked(text: string, mask: Mask, turns: Turns): Promise<string> {
	return text.length <= AT_ONCE ? mask(text) : await mask.inTurns(text, turns);
}

const PREFIX = /^(org_|acc_)?/;

/** An API key as it may be shown: its prefix and its last four characters. */
export function maskToken(token: string): string {
	const prefix = PREFIX.exec(token)?.[0] ?? '';
	const rest = token.slice(prefix.length);
	// A character has one code unit or two: what is very long is not taken apart.
	const count = Array.from(rest.slice(0, 20)).length;
	// What is masked already stays as it is: the key in use is masked before the others.
	if (rest.startsWith('…') && count <= 5) return token;
	return `${prefix}…${count > 8 ? Array.from(rest.slice(-9)).slice(-4).join('') : ''}`;
}

/** A secret shorter than this is masked only where it stands alone: it would be found in the middle of many a word. */
const LONG_ENOUGH = 8;

/** How many layers of escaping are looked through, such as HTML in JSON in a URL. */
const MOST_LAYERS = 4;

/**
 * Masks a secret in text: as it is, in UTF-16, in base64 (at any alignment, in both alphabets), and in any mixture of
 * the escapes of JSON, URLs and HTML; the first and the third also where a long line was broken.
 *
 * @param secret the key in use; '' masks nothing
 */
export function maskOf(secret: string): Mask {
	if (secret === '') return NO_MASK;
	const plain = [...layersOf(secret), inTwoBytes(secret), ...base64Of(secret)];
	const forms = formsOf(secret);
	const broken = secret.length < LONG_ENOUGH ? undefined : brokenFormsOf(secret);
	const shown = maskToken(secret);
	const lengths = plain.map(({ length }) => length);
	const shortest = Math.min(...lengths);
	const longest = Math.max(...lengths) + LONGEST_TAIL;
	const mask = (text: string): string => {
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
	const inTurns = async (text: string, turns: Turns): Promise<string> => {
		const masked = await replaced(text, await spansOf(text, [], forms, longest, turns), shown, turns);
		const layers: Layer[] = [];
		const spans: Span[] = [];
		for (let layer = masked; layers.length < MOST_LAYERS;) {
			const below = await unescapedInTurns(layer, turns);
			if (below.at.length === 0) break;
			layers.push(below);
			for (const span of await spansOf(below.text, layers, forms, longest, turns)) spans.push(span);
			layer = below.text;
		}
		const rest = await replaced(masked, spans, shown, turns);
		if (broken === undefined || !/[\r\n]/.test(rest)) return rest;
		const longestBroken = longest * (1 + LONGEST_BREAK);
		return await replaced(rest, await spansOf(rest, [], broken, longestBroken, turns), shown, turns);
	};
	return Object.assign(mask, { inTurns });
}

/** What stands between two characters where somebody has broken a line that was too long, as MIME does. */
const BREAK = '(?:=?[\\r\\n]{1,2}[ \\t]{0,8})?';
const LONGEST_BREAK = 1 + 2 + 8;

/** Finds the secret, as it is or in base64, where it goes on in the next line. */
function brokenFormsOf(secret: string): RegExp {
	const forms = [...new Set([secret, ...base64Of(secret)])];
	return new RegExp(forms.map((form) => Array.from(form, literal).join(BREAK)).join('|'), 'g');
}

/** How many characters may follow what base64 makes of the secret, and are masked with it. */
const LONGEST_TAIL = 3;

/** Finds the secret in a text without escapes. */
function formsOf(secret: string): RegExp {
	const encoded = [...new Set(base64Of(secret))].map((form) => `${literal(form)}[\\w+/-]?={0,2}`);
	const forms = [...[...layersOf(secret), inTwoBytes(secret)].map(literal), ...encoded].join('|');
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

/** What is left of the secret in an answer in UTF-16, which n8n reads as UTF-8 all the same. */
function inTwoBytes(secret: string): string {
	return Array.from(secret).join('\0');
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
	let layer: MappedText = { text, starts: Array.from({ length: text.length + 1 }, (_, index) => index) };
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
interface MappedText {
	text: string;
	starts: number[];
}

function unescaped({ text, starts }: MappedText): MappedText {
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

/** A text without the escapes of the layer above it, and where these stood. */
interface Layer {
	readonly text: string;
	/** Where the characters stand that an escape stood for; in order. */
	readonly at: readonly number[];
	/** How many characters more the text above has up to behind each of these. */
	readonly more: readonly number[];
}

async function unescapedInTurns(text: string, turns: Turns): Promise<Layer> {
	const escape = new RegExp(ESCAPE);
	const parts = new Parts();
	const [at, more]: [number[], number[]] = [[], []];
	let [end, surplus] = [0, 0];
	for (let match = escape.exec(text); match !== null; match = escape.exec(text)) {
		if (turns.overAfter(8)) await turns.next();
		const [whole, ...groups] = match;
		const character = characterOf(whole, ...groups);
		if (character === whole) continue;
		parts.add(text.slice(end, match.index));
		parts.add(character);
		at.push(match.index - surplus);
		surplus += whole.length - 1;
		more.push(surplus);
		end = match.index + whole.length;
	}
	parts.add(text.slice(end));
	return { text: parts.toString(), at, more };
}

/** A place in a text, in characters. */
interface Span {
	readonly start: number;
	readonly end: number;
}

/** Where the secret stands in the text below some layers of escapes: its places in the text above them. */
async function spansOf(
	text: string,
	layers: readonly Layer[],
	forms: RegExp,
	longest: number,
	turns: Turns,
): Promise<Span[]> {
	const spans: Span[] = [];
	const search = new Search(text, forms, longest, turns);
	for (let hit = await search.next(); hit !== undefined; hit = await search.next()) {
		const { index, match } = hit;
		spans.push({ start: above(index, layers), end: above(index + match[0].length, layers) });
	}
	return spans;
}

/** Where a character below some layers of escapes begins in the text above them. */
function above(index: number, layers: readonly Layer[]): number {
	return layers.reduceRight((place, { at, more }) => {
		// How many of the escapes stood before it.
		let [low, high] = [0, at.length];
		while (low < high) {
			const middle = (low + high) >> 1;
			if ((at[middle] ?? 0) < place) low = middle + 1;
			else high = middle;
		}
		return place + (more[low - 1] ?? 0);
	}, index);
}

/** The text with something else in these places; those that overlap count as one. */
async function replaced(text: string, spans: readonly Span[], shown: string, turns: Turns): Promise<string> {
	if (spans.length === 0) return text;
	const parts = new Parts();
	let done = 0;
	for (const { start, end } of [...spans].sort((one, other) => one.start - other.start)) {
		if (turns.overAfter(4)) await turns.next();
		if (start >= done) {
			parts.add(text.slice(done, start));
			parts.add(shown);
		}
		done = Math.max(done, end);
	}
	parts.add(text.slice(done));
	return parts.toString();
}
