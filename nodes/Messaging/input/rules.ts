import { named, quoted } from '../shared/text';
import { isTooLarge, markIn } from './address';
import { type Expressions, isRounded, textsIn } from './expressions';
import { isPlaceOnly, isSameInEveryRun } from './once-key';
import { InvalidParameter } from './invalid-parameter';
import type { Kind, Reading } from './reading';
import { strayCode } from './stray-code';

/**
 * What is refused before anything is sent, in every field: values that can only be a mistake. What the service can check,
 * it checks.
 */

/** A line of the table. */
interface Rule {
	/** What it refuses, and why, for the docs, which also have the hint. */
	readonly what: string;
	readonly why: string;
	readonly kinds: readonly Kind[];
	/** The reason for which a value is refused, a clause that follows the field's name; nothing if it is fine. */
	finds(reading: Reading, kind: Kind): string | false | undefined;
	/** What to do about it. */
	readonly hint: string;
}

/** An object, and a date, as JavaScript writes them. */
const OBJECT = /\[object \w+\]|[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d -?\d{4,6} \d\d:\d\d:\d\d GMT[+-]\d{4}/;
/** What a missing value leaves in a text, also behind a number: "+49" + $json.phone. It may be a part of another word. */
const NO_VALUE = /(?<!\p{L})(?:(?:null|undefined)(?!\p{L})|(?:NaN|Invalid Date(?:Time)?)(?![\p{L}\p{N}]))/u;
/** The same where it touches letters: "order" + $json.id, $json.id + "shipped". Words like nullable are none. */
const GLUED = /(?<=\p{L})(?:undefined|null(?![\p{L}\p{N}]))|undefined(?=\p{L})/u;
/**
 * What many once keys would share. `$execution.id` is __UNKNOWN__ in a call over MCP, which runs before there is an
 * execution. Keys are hashed, and half of an emoji that was cut in two has the same hash as any other half.
 */
const NO_KEY = new RegExp(`${NO_VALUE.source}|${OBJECT.source}|__UNKNOWN__|\\p{Surrogate}`, 'u');
/** What JavaScript makes of a missing value or date, or of a division by nothing. */
const MISSING = /undefined|(?<![\p{L}\p{N}])(?:NaN|-?Infinity|Invalid Date(?:Time)?)(?![\p{L}\p{N}])/u;
const MISSING_OR_NULL = new RegExp(`${MISSING.source}|^\\s*null\\s*$`, 'u');
const DAMAGED = /^(?:[+-]?\d+(?:[.,]\d+)?E\+\d+|#(?:.*[!?]|N\/A|NV|N\/D)|Loading\.\.\.)$/i;
/** The errors of spreadsheets, in any language. A person writes "#thanks!". */
const CELL_ERROR = /^#(?:[¡¿\d]*\p{Lu}[\p{Lu}\d/ ]*[!?]|N\/A|NV|N\/D)$/u;

/**
 * What gateways may turn into a slash, a backslash or a point, also if they unescape several times: these escaped, or what
 * such an escape consists of (percent sign, digits, letters from A to F), which nobody else escapes.
 */
const ESCAPED = /%(?:2[ef]|5c|25[\da-f%]|3\d|[46][1-6])/i;
/** What a model writes for what it does not have. */
const NOT_KNOWN = /^(?:null|undefined|none|n\/?a|unknown)$/i;

const ADDRESSES = ['email', 'address'] as const;
const IDS = [...ADDRESSES, 'id', 'path'] as const;
const TEXTS = ['message', 'text', 'json', ...IDS] as const;

/** The words on expressions that find nothing. */
export function unresolvedText(codes: readonly string[]): string {
	const each = codes.map((code) => `{{ ${named(code.trim())} }}`);
	return `${each.join(', ')} find${each.length === 1 ? 's' : ''} nothing for this item`;
}

/**
 * Finds an expression that has made such words, so that they are nobody's for certain.
 *
 * @param exact what the expression itself has to give
 */
function made({ value, text, expressions }: Reading, words: RegExp, exact = words): string | false {
	const isShown = expressions !== undefined && words.test(typeof value === 'object' ? textsIn(value) : text);
	const code = isShown ? expressions.makerOf(exact, true) : undefined;
	return (
		code !== undefined &&
		`shows an object, a date or a missing value as JavaScript writes it: {{ ${named(code.trim())} }}`
	);
}

/** The table. Of several rules that a value breaks, the first one is reported. */
export const RULES: readonly Rule[] = [
	{
		what: 'An address that is larger than 1 KB, or has more than 100 fields or 5 levels of them',
		why: 'No address is that large',
		kinds: ADDRESSES,
		finds: ({ value }) => isTooLarge(value) && 'is larger than 1 KB, or has more than 100 fields or 5 levels',
		hint: 'Check which field the address comes from.',
	},
	{
		what: 'Code that n8n does not evaluate: an expression or `{{ new Date() }}` in a Fixed field, a path without braces such as `$json.email`, `${order.name}`, and a second `=` as in `=={{ $json.email }}`',
		why: 'The recipient would read the code, and all items would have the same ID or key',
		kinds: [...TEXTS, 'key', 'other'],
		finds: ({ saved }) => strayCode(saved),
		hint: 'Without a change, the code would go out as text. In the editor, switch the field from Fixed to Expression and enter {{ $json.email }}, with braces and without "=". In the JSON of a workflow, the value begins with one "=": "={{ $json.email }}".',
	},
	{
		what: 'An object or a date within a text',
		why: 'The recipient would read `[object Object]`, or `Thu Dec 24 2026 10:00:00 GMT+0000 (Coordinated Universal Time)` in the time zone of the server',
		kinds: TEXTS,
		finds: (reading) => made(reading, OBJECT),
		hint: 'For an object, name the field to show, such as {{ $json.order.number }}, or show all of it with {{ JSON.stringify($json.order) }}. Write a date as {{ $now.toFormat("dd.MM.yyyy") }} or {{ DateTime.fromISO($json.date).toFormat("dd.MM.yyyy HH:mm") }}, or with .toISO() for a program.',
	},
	{
		what: 'An expression that turns a missing value into `undefined`, `NaN`, `Infinity`, `Invalid Date` or `Invalid DateTime`, or gives only `null`',
		why: 'The recipient would read that word. A word that stands in your data or in your own text is sent',
		kinds: ['message', 'text', 'json'],
		// In JSON, null is a value and no mistake.
		finds: (reading, kind) =>
			made(reading, /undefined|NaN|Infinity|Invalid Date|null/, kind === 'json' ? MISSING : MISSING_OR_NULL),
		hint: 'Check the expression. If the value may be missing, give another text for that case, {{ $json.name ?? "there" }}, or write Hi {{ $json.name }}: there, n8n leaves a missing value out.',
	},
	{
		what: 'A message with two or more expressions that all find nothing, or with one if the item is empty (`{}`)',
		why: 'Only the fixed text would go out: "New order  of "',
		kinds: ['message'],
		finds({ expressions }) {
			if (expressions === undefined) return false;
			if (expressions.codes.length < 2 && expressions.source.isEmptyItem !== true) return false;
			const codes = expressions.allEmpty();
			return codes.length > 0 && `has nothing but its fixed text: ${unresolvedText(codes)}`;
		},
		hint: 'Check the names of the fields, and which node the item comes from. If the node before this one has Always Output Data on, drop empty items with a Filter node.',
	},
	{
		what: 'An incomplete address or ID: an expression gives `undefined`, `null` or `NaN` in it, or all expressions beside its fixed text find nothing',
		why: 'The message would go to nobody, or to somebody else',
		kinds: IDS,
		finds({ text, expressions }) {
			const isMade = NO_VALUE.test(text) && expressions?.makerOf(NO_VALUE) !== undefined;
			const isIncomplete = isMade || isGlued(text, expressions);
			if (isIncomplete) return `is incomplete: it is ${quoted(text)}`;
			const codes = text.trim() === '' ? [] : (expressions?.allEmpty() ?? []);
			return codes.length > 0 && `is incomplete: ${unresolvedText(codes)}`;
		},
		hint: 'Check the expression. If some items lack the value, drop them with a Filter node before this one. Items with alreadySent: true do not have this field.',
	},
	{
		what: 'A path of an endpoint in which an expression finds nothing, or gives a slash, an escaped slash (`%2F`), or an escaped backslash or point',
		why: 'The call would reach another endpoint, such as the one of all orders',
		kinds: ['path'],
		finds({ expressions }) {
			if (expressions === undefined) return false;
			const { codes, comesFirst } = expressions;
			const parts = expressions.parts();
			const empty = expressions.empty(parts);
			const isSplit = (n: number): boolean => parts[n]?.includes('/') === true && !(n === 0 && comesFirst);
			const code = codes.find((each, n) => empty.includes(each) || isSplit(n));
			if (code !== undefined)
				return `can't be built: {{ ${named(code.trim())} }} finds nothing, or has a slash`;
			// Joined, because the end of one value and the beginning of the next may form an escape.
			const values = parts.filter((_part, n) => codes[n]?.includes('encodeURIComponent(') === false);
			return ESCAPED.test(values.join('')) && 'has a value with an escaped slash, backslash or point in it';
		},
		hint: 'Check the expression. If the value may contain a slash or a percent sign, write {{ encodeURIComponent($json.id) }}.',
	},
	{
		what: 'A value that a spreadsheet has damaged: an address, ID or once key such as `4.91512E+12` or `Loading...`, or an error of the spreadsheet, from `#` to `!` or `?` (`#DIV/0!`, `#WERT!`, `#NOM?`), `#N/A`, `#NV`, `#N/D`. A message is refused if it is nothing but such an error',
		why: 'The missing digits are lost, and many rows have the same error',
		kinds: [...ADDRESSES, 'id', 'key', 'message'],
		finds({ value, text, expressions }, kind) {
			if (typeof value !== 'string') return false;
			const isMessage = kind === 'message';
			const mayBe = /E\+|#|\.\.\./i.test(text) && (!isMessage || expressions?.hasText === false);
			const parts = mayBe ? [text, ...((!isMessage && expressions?.parts()) || [])] : [];
			const all = isMessage ? parts : [...parts, ...(expressions?.madeOf() ?? [])];
			const words = isMessage ? CELL_ERROR : DAMAGED;
			const damaged = all.find((part): part is string => typeof part === 'string' && words.test(part.trim()));
			return damaged !== undefined && `has a value that a spreadsheet has damaged: ${quoted(damaged)}`;
		},
		hint: 'If it should be a number, the spreadsheet has shortened it: format the column as text, and enter the numbers again. If it begins with #, correct the error in the spreadsheet.',
	},
	{
		what: 'The character NUL, and within an email address any invisible character',
		why: 'Services refuse a call with NUL. An address with an invisible character looks right, but is another address',
		kinds: ['email', 'sent'],
		finds({ text }, kind) {
			const mark = kind === 'email' ? markIn(text) : text.includes('\0') && '\\u0000';
			return typeof mark === 'string' && `has the invisible character ${mark} inside: ${quoted(text)}`;
		},
		hint: 'If you have pasted the address, type it again. NUL comes from a file that was read in the wrong encoding: if the file is in UTF-16, read it as UTF-16.',
	},
	{
		what: 'A once key that is empty, is true or false, has an expression that finds nothing, or contains `undefined`, `null`, `NaN`, `[object Object]` or half of an emoji',
		why: 'Many items would have the same key, and only the first would be sent',
		kinds: ['key'],
		finds({ value, text, expressions }) {
			if (typeof value === 'object' && value !== null)
				return 'needs a single value, but it is a list or an object';
			const parts = expressions?.parts() ?? [];
			const [code] = expressions?.empty(parts) ?? [];
			const unresolved = code === undefined ? '' : `: ${unresolvedText([code])}`;
			if (text.trim() === '') return `is empty${unresolved}`;
			if (unresolved !== '') return `is incomplete${unresolved}`;
			const isShared = typeof value === 'boolean' || NO_KEY.test([text, ...parts].join(' '));
			return (
				(isShared || isGlued(text, expressions)) &&
				`needs a value of its own for each item, but it is ${quoted(text.trim())}`
			);
		},
		hint: 'Of all items with one key, only the first is sent. Enter what identifies each item, such as an order number. If a part may be empty, give another value: {{ $json.shop || "none" }}. If the word belongs to the key, add .toUpperCase(). Over MCP, {{ $execution.id }} is always __UNKNOWN__. To send without this protection, remove the option.',
	},
	{
		what: 'A once key whose expressions read only `$itemIndex`, `$runIndex`, `$execution.id` or `$workflow`. In a tool of an AI agent, also a fixed one',
		why: 'The key is either the same in each run, and later runs send nothing, or new in each run, and nothing is recognized',
		kinds: ['key'],
		finds({ saved, isTool }) {
			const isFixed = isTool && saved !== undefined && isSameInEveryRun(saved);
			if (!isFixed && !isPlaceOnly(saved)) return false;
			return `does not tell two ${isTool ? 'calls' : 'runs'} apart`;
		},
		hint: 'Enter what identifies each message, such as an order number: {{ $json.orderNumber }}. For one message a day, add the day: {{ $today.toISODate() }}. In a tool, the model can give it: {{ $fromAI("key") }}.',
	},
	{
		what: 'In a tool of an AI agent: `null`, `undefined`, `None`, `N/A` or `unknown` as an address',
		why: 'A model writes this if it does not know the address',
		kinds: ADDRESSES,
		finds: ({ text, isTool }) =>
			isTool && NOT_KNOWN.test(text.trim()) && `is no address: it is ${quoted(text)}`,
		hint: 'Give the address, or ask a person for it.',
	},
	{
		what: 'A number of more than 15 digits that JavaScript has rounded, also within a text',
		why: 'The rounded number may be the ID or address of somebody else',
		kinds: ['sent', 'key', ...TEXTS],
		finds({ value, text, expressions }) {
			const rounded = isRounded(value)
				? value
				: /\d{16}/.test(text)
					? expressions?.roundedIn(text)
					: undefined;
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

/** Whether an expression has put a missing value right beside letters. */
function isGlued(text: string, expressions: Expressions | undefined): boolean {
	return GLUED.test(text) && expressions?.makerOf(GLUED, true) !== undefined;
}
