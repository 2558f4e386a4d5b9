import { named, quoted } from '../shared/text';
import { isTooLarge, markIn } from './address';
import { type Expressions, isRounded, textsIn } from './expressions';
import { isPlaceOnly, isSameInEveryRun } from './once-key';
import { InvalidParameter } from './invalid-parameter';
import type { Kind, Reading } from './reading';
import { strayCode } from './stray-code';

/**
 * What is refused before anything is sent, in every field: values that nobody can have meant. What the service can
 * check, it checks.
 */

/** A line of the table. */
interface Rule {
	/** What it refuses, and why, for the docs. */
	readonly what: string;
	readonly why: string;
	readonly kinds: readonly Kind[];
	/** The reason for which a value is refused, a clause that follows the field's name; nothing if it is fine. */
	finds(reading: Reading, kind: Kind): string | false | undefined;
	/** What to do about it. */
	readonly hint: string;
}

/** An object, and a date, as JavaScript writes them. */
const OBJECT = /\[object Object\]|[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d -?\d{4,6} \d\d:\d\d:\d\d GMT[+-]\d{4}/;
/** What a missing value leaves in a text, also behind a number: "+49" + $json.phone. It may be a part of another word. */
const NO_VALUE = /(?<!\p{L})(?:null|undefined|NaN|Invalid Date(?:Time)?)(?![\p{L}\p{N}])/u;
/** The same where it touches letters: "order" + $json.id, $json.id + "shipped". Words like nullable are none. */
const GLUED = /(?<=\p{L})(?:undefined|null(?![\p{L}\p{N}]))|undefined(?=\p{L})/u;
/**
 * What many once keys would share. `$execution.id` is __UNKNOWN__ in a call over MCP, which runs before there is an
 * execution. Keys are hashed, and half of an emoji that was cut in two has the same hash as any other half.
 */
const NO_KEY = new RegExp(`${NO_VALUE.source}|${OBJECT.source}|__UNKNOWN__|\\p{Surrogate}`, 'u');
/** What JavaScript makes of a missing value or date. Base64 may hold such letters between its signs. */
const MISSING = /undefined|(?<![\p{L}\p{N}+/])(?:NaN|Invalid Date(?:Time)?)(?![\p{L}\p{N}+/=])/u;
const MISSING_OR_NULL = new RegExp(`${MISSING.source}|^\\s*null\\s*$`, 'u');
const SPOILT = /^(?:[+-]?\d+(?:[.,]\d+)?E\+\d+|#(?:.*[!?]|N\/A|NV|N\/D)|Loading\.\.\.)$/i;
/** The errors of spreadsheets, in any language. A person writes "#thanks!". */
const CELL_ERROR = /^#(?:[^\p{Ll}]*[!?]|N\/A|NV|N\/D)$/u;

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
export function findsNothing(codes: readonly string[]): string {
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
		what: 'An address of more than 1 KB, or with more than 100 fields or 5 levels of them',
		why: 'No address is that large, and it may come from anybody',
		kinds: ADDRESSES,
		finds: ({ value }) => isTooLarge(value) && 'is larger than 1 KB, or has more than 100 fields or 5 levels',
		hint: 'Check where it comes from: no address is that large.',
	},
	{
		what: 'An expression that n8n does not evaluate, or not as meant: `Hello {{ $json.name }}` or `{{ new Date() }}` in Fixed, the bare path `$json.email`, also within a text, `${order.name}`, and `=={{ $json.email }}` with a second `=`',
		why: 'The customer would read it as it is, and all items would have the same ID or key',
		kinds: [...TEXTS, 'key', 'other'],
		finds: ({ saved }) => strayCode(saved),
		hint: 'As it is, it would go out as plain text. In the editor, switch the field from Fixed to Expression and enter {{ $json.email }}, with braces and without "=". In the JSON of a workflow, the value begins with one "=": "={{ $json.email }}".',
	},
	{
		what: 'An expression that gives an object or a date within a text, which becomes `[object Object]` or `Thu Dec 24 2026 10:00:00 GMT+0000 (Coordinated Universal Time)`',
		why: 'The customer would read these words, and the date in the time zone of the server',
		kinds: TEXTS,
		finds: (reading) => made(reading, OBJECT),
		hint: 'Of an object, name the field that you mean, such as {{ $json.order.number }}. To show all of it, write {{ JSON.stringify($json.order) }}. Write a date as {{ $now.toFormat("dd.MM.yyyy") }} or {{ DateTime.fromISO($json.date).toFormat("dd.MM.yyyy HH:mm") }}, or with .toISO() for a program.',
	},
	{
		what: 'An expression that makes `undefined`, `NaN`, `Invalid Date` or `Invalid DateTime` of a missing value, or gives nothing but `null`: `{{ "Hi " + $json.name }}`',
		why: 'The customer would read these words. Those of your data, and those that you write yourself, are sent',
		kinds: ['message', 'text', 'json'],
		// In JSON, null is a value.
		finds: (reading, kind) =>
			made(reading, /undefined|NaN|Invalid Date|null/, kind === 'json' ? MISSING : MISSING_OR_NULL),
		hint: 'Check the expression. For what may be missing, name a text in its place, {{ $json.name ?? "there" }}, or write it as Hi {{ $json.name }}, where n8n shows nothing.',
	},
	{
		what: 'A message in which two or more expressions all find nothing, or one in an empty item (`{}`)',
		why: 'Nothing of what the message is about is in it: "New order  of "',
		kinds: ['message'],
		finds({ expressions }) {
			if (expressions === undefined) return false;
			if (expressions.codes.length < 2 && expressions.source.isEmptyItem !== true) return false;
			const codes = expressions.allEmpty();
			return codes.length > 0 && `has nothing but its fixed text: ${findsNothing(codes)}`;
		},
		hint: 'Check the names of the fields, and which node the item comes from. If the node before it has Always Output Data on, drop empty items with a Filter node.',
	},
	{
		what: 'An address or ID in which an expression leaves `undefined`, `null` or `NaN`, or with fixed text whose expressions all find nothing: `+49{{ $json.phone }}`',
		why: 'It would go to nobody, or to somebody else',
		kinds: IDS,
		finds({ text, expressions }) {
			const isMade = NO_VALUE.test(text) && expressions?.makerOf(NO_VALUE) !== undefined;
			const isIncomplete = isMade || isGlued(text, expressions);
			if (isIncomplete) return `is incomplete: it is ${quoted(text)}`;
			const codes = expressions?.hasText === true ? expressions.allEmpty() : [];
			return codes.length > 0 && `is incomplete: ${findsNothing(codes)}`;
		},
		hint: 'Check the expression. Items that lack the value can be dropped with a Filter node before this one; one that was alreadySent may lack it.',
	},
	{
		what: 'A path of an endpoint in which an expression finds nothing, or gives a slash, also an escaped one (`%2F`), or an escaped backslash or point: `/orders/{{ $json.id }}`',
		why: 'It would reach another endpoint: that of all orders in place of one',
		kinds: ['path'],
		finds({ expressions }) {
			if (expressions === undefined) return false;
			const { codes, comesFirst } = expressions;
			const parts = expressions.parts();
			const isWhole = (part: string, n: number): boolean =>
				part.trim() !== '' && (!part.includes('/') || (n === 0 && comesFirst));
			const code = codes.find((_code, n) => !isWhole(parts[n] ?? '', n));
			if (code !== undefined)
				return `is no whole path: {{ ${named(code.trim())} }} finds nothing, or has a slash`;
			// Together, because two values may make one escape.
			const values = parts.filter((_part, n) => codes[n]?.includes('encodeURIComponent(') === false);
			return ESCAPED.test(values.join('')) && 'has a value with an escaped slash, backslash or point in it';
		},
		hint: 'Check the expression. If a value may have a slash or a percent sign in it, write {{ encodeURIComponent($json.id) }}.',
	},
	{
		what: 'What a spreadsheet has spoilt: an address, ID or once key such as `4.91512E+12` or `Loading...`, and its errors, from `#` to `!` or `?` (`#DIV/0!`, `#WERT!`, `#NOM?`), `#N/A`, `#NV`, `#N/D`, also if an expression gives nothing else for a message',
		why: 'The digits that are missing can not be found again, and many rows have the same error',
		kinds: [...ADDRESSES, 'id', 'key', 'message'],
		finds({ value, text, expressions }, kind) {
			if (typeof value !== 'string' || !/E\+|#|\.\.\./i.test(text)) return false;
			const [words, parts] =
				kind === 'message'
					? [CELL_ERROR, expressions?.hasText === false ? [text] : []]
					: [SPOILT, [text, ...(expressions?.parts() ?? [])]];
			const spoilt = parts.find((part) => words.test(part.trim()));
			return spoilt !== undefined && `holds what a spreadsheet has spoilt: ${quoted(spoilt)}`;
		},
		hint: 'If it should be a number, the spreadsheet has shortened it: format the column as text, and enter the numbers again. If it begins with #, it is an error of the spreadsheet: correct it there.',
	},
	{
		what: 'The character NUL, and in an email address any invisible mark',
		why: 'Services refuse the whole call. The address looks right and is another one',
		kinds: ['email', 'sent'],
		finds({ text }, kind) {
			const mark = kind === 'email' ? markIn(text) : text.includes('\0') && '\\u0000';
			return typeof mark === 'string' && `has the invisible character ${mark} inside: ${quoted(text)}`;
		},
		hint: 'If it came along with copy and paste, type the address again. NUL comes from a file that was read in the wrong encoding, such as UTF-16: read it in its own.',
	},
	{
		what: 'A once key that is empty, whose expression finds nothing, that is true or false, or with `undefined`, `null`, `NaN`, `[object Object]` or half of an emoji in it',
		why: 'Many items would have the same key, and only the first would be sent',
		kinds: ['key'],
		finds({ value, text, expressions }) {
			if (typeof value === 'object' && value !== null)
				return 'needs a single value, but it is a list or an object';
			const parts = expressions?.parts() ?? [];
			const code = expressions?.codes.find((_code, n) => parts[n]?.trim() === '');
			const nothing = code === undefined ? '' : `: ${findsNothing([code])}`;
			if (text.trim() === '') return `is empty${nothing}`;
			if (nothing !== '') return `is incomplete${nothing}`;
			const isShared = typeof value === 'boolean' || NO_KEY.test([text, ...parts].join(' '));
			return (
				(isShared || isGlued(text, expressions)) &&
				`needs a value of its own for each item, but it is ${quoted(text.trim())}`
			);
		},
		hint: 'Many items would have this key, and only the first would be sent. Enter what identifies each item, such as an order number, and check that the expression finds it; over MCP, {{ $execution.id }} is __UNKNOWN__. If a part may be empty, use another value in its place: {{ $json.shop || "none" }}. If the key is right as it is, write it in capital letters with .toUpperCase(). To send without this protection, remove the option.',
	},
	{
		what: 'A once key whose expressions read nothing but `$itemIndex`, `$runIndex`, `$execution.id` or `$workflow`. In a tool of an AI agent, also a fixed one',
		why: 'Other runs have the same keys, so their messages would not be sent, or each run has its own, so nothing is recognized',
		kinds: ['key'],
		finds({ saved, isTool }) {
			const isFixed = isTool && saved !== undefined && isSameInEveryRun(saved);
			if (!isFixed && !isPlaceOnly(saved)) return false;
			return `does not tell two ${isTool ? 'calls' : 'runs'} apart`;
		},
		hint: 'Enter what identifies each message, such as an order number: {{ $json.orderNumber }}. For one message a day, add the day: {{ $today.toISODate() }}. In a tool, the model can give it: {{ $fromAI("key") }}.',
	},
	{
		what: 'An address for which a model writes `null`, `undefined`, `None`, `N/A` or `unknown`, in a tool of an AI agent',
		why: 'It does not know the address',
		kinds: ADDRESSES,
		finds: ({ text, isTool }) =>
			isTool && NOT_KNOWN.test(text.trim()) && `is no address: it is ${quoted(text)}`,
		hint: 'Give the address, or ask a person for it.',
	},
	{
		what: 'A number of more than 15 digits that was rounded, also as a part of a text: `order-{{ $json.id }}`',
		why: 'As an ID or address, it would mean something else',
		kinds: ['sent', 'key', ...TEXTS],
		finds({ value, text, expressions }) {
			const rounded = isRounded(value)
				? value
				: /\d{16}/.test(text)
					? expressions?.roundedIn(text)
					: undefined;
			return rounded !== undefined && `contains a rounded number: ${rounded}`;
		},
		hint: 'Numbers with more than 15 digits lose their last digits before the node sees them. If you have written it, put it in quotes. If an earlier node gives it, let it give text. Behind a Webhook node, have the sender put it in quotes, or use the option Raw Body of the Webhook node: see Long Numbers in docs/texts.md of this package.',
	},
];

const rulesFor = new Map<Kind, Rule[]>();

/**
 * Refuses a value that nobody can have meant for a field of this kind.
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
