import { isEmpty } from '../shared/json';
import { named, quoted } from '../shared/text';
import { isTooLarge, LARGEST, markIn } from './address';
import { isAlone, isRounded, nothingFound, textsIn } from './expressions';
import { InvalidParameter } from './invalid-parameter';
import { isPlaceOnly, isSameInEveryRun } from './once-key';
import { isOptional } from './paths';
import type { Kind, Reading } from './reading';
import { strayCode } from './stray-code';

/**
 * What is refused before anything is sent, in every field: values that can only be a mistake. What the service can check,
 * it checks.
 */

/** A line of the table. */
interface Rule {
	readonly kinds: readonly Kind[];
	/** The reason for which a value is refused, a clause that follows the field's name; nothing if it is fine. */
	finds(reading: Reading, kind: Kind): string | false | undefined;
	/** What to do about it. */
	readonly hint: string;
}

/** Where a word counts. */
const anywhere = (word: string): string => word;
const alone = (word: string): string => `^\\s*${word}\\s*$`;
/** "order" + $json.id. Words such as nullable are none. */
const behindALetter = (word: string): string => `(?<=\\p{L})${word}(?![\\p{L}\\p{N}])`;
/** Also beside a number: "+49" + $json.phone. */
const notBesideLetters = (word: string): string => `(?<!\\p{L})${word}(?!\\p{L})`;
/** Also behind a number, but not before one. */
const notInAWord = (word: string): string => `(?<!\\p{L})${word}(?![\\p{L}\\p{N}])`;

/**
 * The words that JavaScript writes for what is missing, and where each counts: in addresses, IDs and keys; in these if it is
 * certain that an expression has made it; in texts; in JSON, where null is a value.
 */
const WORDS: ReadonlyArray<readonly [word: string, ...places: Array<((word: string) => string) | null>]> = [
	['undefined', notBesideLetters, anywhere, anywhere, anywhere],
	['null', notBesideLetters, behindALetter, alone, null],
	['NaN', notInAWord, null, notInAWord, notInAWord],
	['Invalid Date(?:Time)?', notInAWord, null, notInAWord, notInAWord],
	['-?Infinity', null, null, notInAWord, notInAWord],
];

const [IN_IDS, MADE_IN_IDS, IN_TEXTS, IN_JSON] = [0, 1, 2, 3].map(
	(column) => new RegExp(WORDS.flatMap(([word, ...places]) => places[column]?.(word) ?? []).join('|'), 'u'),
) as [RegExp, RegExp, RegExp, RegExp];

/** Any of them: without it, there is nothing to look for. */
const ANY_WORD = new RegExp(WORDS.map(([word]) => word).join('|'));

/** An object, and a date, as JavaScript writes them. */
const OBJECT = /\[object \w+\]|[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d -?\d{4,6} \d\d:\d\d:\d\d GMT[+-]\d{4}/;
/** In a message also a time span, "P2.3933D" or "PT86400S": a service may want it in JSON. */
const IN_MESSAGES = new RegExp(`${OBJECT.source}|(?:\\bP|T)-?\\d+\\.\\d{3,}[A-Z]|\\bPT-?\\d+S`);
/** The code of a function, which data may have as well. */
const FUNCTION = /\)(?: ?=>)? ?\{/;
const ANY_OBJECT = new RegExp(`${IN_MESSAGES.source}|${FUNCTION.source}`);
/**
 * What many once keys would share. `$execution.id` is __UNKNOWN__ in a call over MCP, which runs before there is an
 * execution. Keys are hashed, and half of an emoji that was cut in two has the same hash as any other half.
 */
const NO_KEY = new RegExp(
	`${IN_IDS.source}|${OBJECT.source}|${FUNCTION.source}|__UNKNOWN__|\\p{Surrogate}`,
	'u',
);
const DAMAGED = /^(?:[+-]?\d+(?:[.,]\d+)?E\+\d+|#(?:.*[!?]|N\/A|NV|N\/D)|Loading\.\.\.)$/i;
/** The errors of spreadsheets, in any language. A person writes "#thanks!". */
const CELL_ERROR = /^#(?:[¡¿\d]*\p{Lu}[\p{Lu}\d/ ]*[!?]|N\/A|NV|N\/D)$/u;
/** What a value may put into a path. Anything else may lead elsewhere, as one of the many servers and gateways reads it. */
const IN_PATH = /^[\p{L}\p{Nd}\-._~!$&'()*+,=:@]*$/u;
/** What a model writes for what it does not have. */
const NOT_KNOWN = /^(?:null|undefined|none|n\/?a|unknown)$/i;

const ADDRESSES = ['email', 'address'] as const;
const IDS = [...ADDRESSES, 'id', 'path'] as const;
const TEXTS = ['message', 'text', 'json', ...IDS] as const;

/**
 * The reason for a value in which an expression has made such words of an object, a date or a missing value.
 *
 * @param exact what the expression itself has to give
 */
function writtenByJavaScript(
	{ value, text, expressions }: Reading,
	words: RegExp,
	exact = words,
): string | undefined {
	const isShown = expressions !== undefined && words.test(typeof value === 'object' ? textsIn(value) : text);
	const code = isShown ? expressions.thatMakes(exact, true) : undefined;
	if (code === undefined) return undefined;
	return `shows an object, a function, a date or a missing value as JavaScript writes it: {{ ${named(code.trim())} }}`;
}

/** Whether an expression has put a word for a missing value into an address, an ID or a key. */
function hasMissingPart({ text, expressions }: Reading): boolean {
	if (expressions === undefined) return false;
	if (IN_IDS.test(text) && expressions.thatMakes(IN_IDS, false) !== undefined) return true;
	return MADE_IN_IDS.test(text) && expressions.thatMakes(MADE_IN_IDS, true) !== undefined;
}

/**
 * The table. Of several rules that a value breaks, the first one is reported. What each is about, and why, stands in
 * `test/docs/refused-examples.mts`, from which the page in `docs/operations` is made.
 */
export const RULES: readonly Rule[] = [
	{
		kinds: [...ADDRESSES, 'key'],
		finds: ({ value }) =>
			isTooLarge(value) && `is larger than ${LARGEST} characters, or has more than 100 fields or 5 levels`,
		hint: 'Check which field the value comes from.',
	},
	{
		kinds: [...TEXTS, 'key', 'other'],
		finds: ({ saved }) => strayCode(saved),
		hint: 'Without a change, the code would go out as text. In the editor, switch the field from Fixed to Expression and enter {{ $json.email }}, with braces and without "=". In the JSON of a workflow, the value begins with one "=": "={{ $json.email }}".',
	},
	{
		kinds: TEXTS,
		finds: (reading, kind) =>
			writtenByJavaScript(reading, ANY_OBJECT, kind === 'message' ? IN_MESSAGES : OBJECT),
		hint: 'For an object, name the field to show: {{ $json.order.number }}, or in an error branch {{ $json.error.message }}. To show all of it, write {{ JSON.stringify($json.order) }}. Call a function with (): {{ $json.name.trim() }}. Write a date as {{ $now.toFormat("dd.MM.yyyy") }} or {{ DateTime.fromISO($json.date).toFormat("dd.MM.yyyy HH:mm") }}, and a time span as {{ Math.round(DateTime.fromISO($json.date).diffNow("days").days) }}.',
	},
	{
		kinds: ['message', 'text', 'json'],
		finds: (reading, kind) => writtenByJavaScript(reading, ANY_WORD, kind === 'json' ? IN_JSON : IN_TEXTS),
		hint: 'Check the expression. If the value may be missing, give another text for that case, {{ $json.name ?? "there" }}, or write Hi {{ $json.name }}: there, n8n leaves a missing value out.',
	},
	{
		kinds: ['message'],
		finds({ expressions }) {
			const codes = expressions?.codes.filter((code) => !isOptional(code)) ?? [];
			const isFew = codes.length < (expressions?.source.itemFields?.length === 0 ? 1 : 2);
			if (expressions === undefined || isFew || !expressions.findNothing()) return false;
			return `has nothing but its fixed text: ${nothingFound(codes, expressions.source)}`;
		},
		hint: 'Check the names of the fields, and which node the item comes from. If the node before this one has Always Output Data on, drop empty items with a Filter node.',
	},
	{
		kinds: IDS,
		finds(reading) {
			const { text, expressions } = reading;
			if (hasMissingPart(reading)) return `is incomplete: it is ${quoted(text)}`;
			if (isEmpty(text) || expressions?.findNothing() !== true) return false;
			return `is incomplete: ${nothingFound(expressions.codes, expressions.source)}`;
		},
		hint: 'Check the expression. If some items lack the value, drop them with a Filter node before this one.',
	},
	{
		kinds: ['path'],
		finds({ expressions, saved }) {
			if (expressions === undefined) return false;
			const parts = expressions.parts();
			const empty = expressions.thatFindNothing(parts);
			const code = expressions.codes.find((each, n) => {
				const isFirst = n === 0 && String(saved).startsWith('={{');
				const { [n]: part = '' } = parts;
				const inside = isFirst ? part.replaceAll('/', '') : part;
				// What encodeURIComponent escapes is safe.
				const plain = each.includes('encodeURIComponent(') ? inside.replace(/%[\dA-F]{2}/g, '') : inside;
				return empty.includes(each) || !IN_PATH.test(plain);
			});
			return (
				code !== undefined &&
				`can't be built: {{ ${named(code.trim())} }} finds nothing, or has a character that may lead elsewhere`
			);
		},
		hint: 'Check the expression. If the value may contain other characters, such as a slash, a space or a percent sign, write {{ encodeURIComponent($json.id) }}.',
	},
	{
		kinds: [...ADDRESSES, 'id', 'key', 'message'],
		finds({ value, text, saved, expressions }, kind) {
			if (typeof value !== 'string') return false;
			const isMessage = kind === 'message';
			const mayBe = /E\+|#|\.\.\./i.test(text) && (!isMessage || isAlone(saved));
			const parts = mayBe ? [text, ...((!isMessage && expressions?.parts()) || [])] : [];
			const all = isMessage ? parts : [...parts, ...(expressions?.dataOfCode() ?? [])];
			const words = isMessage ? CELL_ERROR : DAMAGED;
			const damaged = all.find((part): part is string => typeof part === 'string' && words.test(part.trim()));
			return damaged !== undefined && `has a value that a spreadsheet has damaged: ${quoted(damaged)}`;
		},
		hint: 'If it should be a number, the spreadsheet has shortened it: format the column as text, and enter the numbers again. If it begins with #, correct the error in the spreadsheet.',
	},
	{
		kinds: ['email', 'sent'],
		finds({ text }, kind) {
			const mark = kind === 'email' ? markIn(text) : text.includes('\0') && '\\u0000';
			return typeof mark === 'string' && `has the invisible character ${mark} inside: ${quoted(text)}`;
		},
		hint: 'If you have pasted the address, type it again. NUL comes from a file that was read in the wrong encoding: if the file is in UTF-16, read it as UTF-16.',
	},
	{
		kinds: ['key'],
		finds({ expressions }) {
			const empty = expressions?.thatFindNothing() ?? [];
			if (expressions === undefined || empty.length === 0 || expressions.findNothing()) return false;
			return `is incomplete: ${nothingFound(empty, expressions.source)}`;
		},
		hint: 'Check the names of the fields. If this part may be missing, and the other parts still tell the items apart, give a text for that case: {{ $json.shop || "none" }}.',
	},
	{
		kinds: ['key'],
		finds({ value, text, expressions }) {
			if (typeof value === 'object' && value !== null)
				return 'needs a single value, but it is a list or an object';
			if (!isEmpty(text) && expressions?.findNothing() !== true) return false;
			const found = expressions && `: ${nothingFound(expressions.codes, expressions.source)}`;
			return `is ${isEmpty(text) ? 'empty' : 'incomplete'}${found ?? ''}`;
		},
		hint: 'Of all items with one key, only the first is sent. Enter what identifies each item, such as an order number, and no substitute that several items would share. To send without this protection, remove the option.',
	},
	{
		kinds: ['key'],
		finds(reading) {
			const { value, text, expressions } = reading;
			const parts = expressions?.parts() ?? [];
			const isShared = typeof value === 'boolean' || NO_KEY.test([text, ...parts].join(' '));
			return (
				(isShared || hasMissingPart(reading)) &&
				`needs a value of its own for each item, but it is ${quoted(text.trim())}`
			);
		},
		hint: 'Of all items with one key, only the first is sent. Enter what identifies each item, such as an order number. If the word belongs to the key, add .toUpperCase(). Over MCP, {{ $execution.id }} is always __UNKNOWN__. To send without this protection, remove the option.',
	},
	{
		kinds: ['key'],
		finds({ saved, isTool }) {
			const isFixed = isTool && saved !== undefined && isSameInEveryRun(saved);
			if (!isFixed && !isPlaceOnly(saved)) return false;
			return `does not tell two ${isTool ? 'calls' : 'runs'} apart`;
		},
		hint: 'Enter what identifies each message, such as an order number: {{ $json.orderNumber }}. For one message a day, add the day: {{ $today.toISODate() }}. In a tool, the model can give it: {{ $fromAI("key") }}.',
	},
	{
		kinds: ADDRESSES,
		finds: ({ text, isTool }) =>
			isTool && NOT_KNOWN.test(text.trim()) && `is no address: it is ${quoted(text)}`,
		hint: 'Give the address, or ask a person for it.',
	},
	{
		kinds: ['sent', 'key', ...TEXTS],
		finds({ value, text, expressions }) {
			const data = /\d{16}/.test(text) ? (expressions?.data() ?? []) : [];
			const isSent = (number: number): boolean => number === value || text.includes(String(number));
			const rounded = [value, ...data].filter(isRounded).find(isSent);
			return rounded !== undefined && `contains a rounded number: ${rounded}`;
		},
		hint: 'Numbers with more than 15 digits lose their last digits before the node sees them. Put the number in quotes, or have the node that returns it return text. Behind a Webhook node, have the sender put it in quotes, or use its option Raw Body: see Long Numbers in docs/texts.md of this package.',
	},
];

const rulesFor = new Map<Kind, Rule[]>();

/**
 * Refuses a value that can only be a mistake in a field of this kind.
 *
 * @throws InvalidParameter
 */
export function refuse(kind: Kind, label: string | (() => string), reading: Reading): void {
	const rules = rulesFor.get(kind) ?? RULES.filter(({ kinds }) => kinds.includes(kind));
	rulesFor.set(kind, rules);
	for (const { finds, hint } of rules) {
		const reason = finds(reading, kind);
		if (typeof reason !== 'string') continue;
		throw new InvalidParameter(typeof label === 'string' ? label : label(), reason, hint);
	}
}
