import { placesIn } from '../shared/json';
import { named, quoted } from '../shared/text';
import { isTooLarge, markIn } from './address';
import { codesIn, Expressions, isRounded, templateOf, textsIn } from './expressions';
import { InvalidParameter } from './invalid-parameter';
import type { ParameterSource } from './parameter-source';

/**
 * What is refused before anything is sent, in every field: values that nobody can have meant. What the service can
 * check, it checks.
 */

/**
 * What a field holds. A `message` is what a person reads; `other` are numbers, dates, switches and menus; `sent` is
 * everything in a request, wherever it comes from.
 */
export type Kind =
	| 'message'
	| 'text'
	| 'email'
	| 'address'
	| 'id'
	| 'path'
	| 'key'
	| 'json'
	| 'other'
	| 'sent';

/** The kinds of fields by their path in the node; all others have the kind of their type. */
const KINDS: ReadonlyArray<readonly [path: RegExp, kind: Kind]> = [
	[/^(?:text|newText|message)$/, 'message'],
	[/^toEmail$/, 'email'],
	[/^toRows\./, 'address'],
	[/^options\.onceKey$/, 'key'],
	[/^path$/, 'path'],
	[/(?:Ids?|ID)$/, 'id'],
];
const KIND_OF_TYPE: Readonly<Record<string, Kind>> = {
	string: 'text',
	resourceLocator: 'text',
	json: 'json',
	resourceMapper: 'json',
};

/**
 * The kind of a field.
 *
 * @param path where it is in the node: `additionalFields.correlationId`
 */
export function kindOf(path: string, type: string): Kind {
	return KINDS.find(([pattern]) => pattern.test(path))?.[1] ?? KIND_OF_TYPE[type] ?? 'other';
}

/** A value as it was read, and where it comes from. */
export interface Reading {
	readonly value: unknown;
	/** The value, if it is a text, a number or a switch; otherwise ''. */
	readonly text: string;
	/** The value as saved in the workflow, expressions not resolved; `undefined` if that is not known. */
	readonly saved: unknown;
	/** Its expressions, if it has any. */
	readonly expressions: Expressions | undefined;
}

/** A value as rules look at it. */
export function readingOf(value: unknown, saved?: unknown, source?: ParameterSource): Reading {
	const text = ['string', 'number', 'boolean'].includes(typeof value) ? `${value as string}` : '';
	const hasCode = typeof saved === 'string' && codesIn(saved).length > 0;
	const expressions = hasCode && source !== undefined ? new Expressions(saved, text, source) : undefined;
	return { value, text, saved, expressions };
}

/** A line of the table. */
interface Rule {
	/** What it refuses, and why, for the docs. */
	readonly what: string;
	readonly why: string;
	readonly kinds: readonly Kind[];
	/** The reason for which a value is refused, a clause that follows the field's name; nothing if it is fine. */
	finds(reading: Reading): string | false | undefined;
	/** What to do about it. */
	readonly hint: string;
}

/** An expression as people write it. That of another template language, such as {{name}}, is text. */
const EXPRESSION = /\{\{ ?\$/;
/** A path or a call of n8n's that stands in fixed text, where nothing evaluates it: "Order $json.id", "${$json.name}". */
const BARE = /\$(?:json|input|node)\b\s*(?:\?\.|[.[])|\$\((?:'[^']*'|"[^"]*")\)\s*\.|\$fromAI\s*\(/;
const OBJECT = /\[object Object\]/;
/** What a missing value leaves in a text, also behind a number: "+49" + $json.phone. It may be a part of another word. */
const NO_VALUE = /(?<!\p{L})(?:null|undefined|NaN|Invalid Date(?:Time)?)(?![\p{L}\p{N}])/u;
/** The same where it touches letters: "order" + $json.id, $json.id + "shipped". Words like nullable are none. */
const GLUED = /(?<=\p{L})(?:undefined|null(?![\p{L}\p{N}]))|undefined(?=\p{L})/u;
/**
 * What many once keys would share. `$execution.id` is __UNKNOWN__ in a call over MCP, which runs before there is an
 * execution. Keys are hashed, and half of an emoji that was cut in two has the same hash as any other half.
 */
const NO_KEY = new RegExp(`${NO_VALUE.source}|${OBJECT.source}|__UNKNOWN__|\\p{Surrogate}`, 'u');
const SPOILT = /^(?:[+-]?\d+(?:[.,]\d+)?E\+\d+|#(?:ERROR!|N\/A|REF!|NAME\?|VALUE!))$/i;

/**
 * What gateways may turn into a slash, a backslash or a point, also if they unescape several times: these escaped, or what
 * such an escape consists of (percent sign, digits, letters from A to F), which nobody else escapes.
 */
const ESCAPED = /%(?:2[ef]|5c|25[\da-f%]|3\d|[46][1-6])/i;

const ADDRESSES = ['email', 'address'] as const;
const IDS = [...ADDRESSES, 'id', 'path'] as const;
const TEXTS = ['message', 'text', 'json', ...IDS] as const;

/** The words on expressions that find nothing. */
export function findsNothing(codes: readonly string[]): string {
	const each = codes.map((code) => `{{ ${named(code.trim())} }}`);
	return `${each.join(', ')} find${each.length === 1 ? 's' : ''} nothing for this item`;
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
		what: 'An expression that n8n does not evaluate, or not as meant: `Hello {{ $json.name }}` in Fixed, the bare path `$json.email`, also within a text, and `=={{ $json.email }}` with a second `=`',
		why: 'The customer would read it as it is, and all items would have the same ID or key',
		kinds: [...TEXTS, 'key', 'other'],
		finds({ saved }) {
			if (holdsCode(saved)) return 'holds an expression, but is not in Expression mode';
			if (typeof saved === 'string' && saved.startsWith('=={{')) {
				return 'begins with "=" in front of its expression';
			}
			return (
				fixedTexts(saved).some((text) => BARE.test(text)) && 'holds a path of n8n without braces around it'
			);
		},
		hint: 'As it is, it would go out as plain text. In the editor, switch the field from Fixed to Expression and enter {{ $json.email }}, with braces and without "=". In the JSON of a workflow, the value begins with one "=": "={{ $json.email }}".',
	},
	{
		what: 'An expression that gives an object within a text, which becomes `[object Object]`',
		why: 'The customer would read these words',
		kinds: TEXTS,
		finds({ value, text, expressions }) {
			if (expressions === undefined) return false;
			const shown = typeof value === 'object' ? textsIn(value) : text;
			return OBJECT.test(shown) && expressions.haveMade(OBJECT) && 'shows an object as [object Object]';
		},
		hint: 'Name the field in it that you mean, such as {{ $json.order.number }}. To show all of it, write {{ JSON.stringify($json.order) }}.',
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
		finds({ value, text, expressions }) {
			const isMade = NO_VALUE.test(text) && expressions?.haveMade(NO_VALUE) === true;
			const isIncomplete = isMade || isGlued(text, expressions) || Number.isNaN(value);
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
		what: 'An address, ID or once key that a spreadsheet has spoilt: `4.91512E+12`, `#N/A`, `#ERROR!`, `#REF!`, `#NAME?`, `#VALUE!`',
		why: 'The digits that are missing can not be found again, and many rows have the same error',
		kinds: [...ADDRESSES, 'id', 'key'],
		finds({ value, text, expressions }) {
			if (typeof value !== 'string' || !/E\+|#/i.test(text)) return false;
			const spoilt = [text, ...(expressions?.parts() ?? [])].find((part) => SPOILT.test(part.trim()));
			return spoilt !== undefined && `holds what a spreadsheet has spoilt: ${quoted(spoilt)}`;
		},
		hint: 'If it should be a number, the spreadsheet has shortened it: format the column as text, and enter the numbers again. If it begins with #, it is an error of the spreadsheet: correct it there.',
	},
	{
		what: 'An email address with an invisible mark inside',
		why: 'It looks right and is another address',
		kinds: ['email'],
		finds({ text }) {
			const mark = markIn(text);
			return mark !== undefined && `has the invisible character ${mark} inside: ${quoted(text)}`;
		},
		hint: 'It came along with copy and paste. Type the address again.',
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
		const reason = finds(reading);
		if (typeof reason !== 'string') continue;
		throw new InvalidParameter(typeof label === 'string' ? label : label(), reason, hint);
	}
}

/** Whether an expression has put a missing value right beside letters. */
function isGlued(text: string, expressions: Expressions | undefined): boolean {
	return GLUED.test(text) && expressions?.haveMade(GLUED, true) === true;
}

/** Whether a field that is saved as fixed, or a part of it, holds an expression. */
function holdsCode(saved: unknown): boolean {
	return textsOf(saved).some((text) => !text.startsWith('=') && EXPRESSION.test(text));
}

/** The texts of a field as saved that go out as they are: around expressions, or all of a fixed one. */
function fixedTexts(saved: unknown): readonly string[] {
	return textsOf(saved).flatMap((text) => (text.startsWith('=') ? templateOf(text).texts : [text]));
}

/** A field as saved, or the texts in it. */
function textsOf(saved: unknown): readonly string[] {
	if (typeof saved === 'string') return [saved];
	if (typeof saved !== 'object') return [];
	return [...placesIn(saved)].flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
}
