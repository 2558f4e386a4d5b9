import { named, quoted } from '../shared/text';
import type { ParameterSource } from './input';
import { InvalidParameter } from './invalid-parameter';
import { refuseFaulty } from './unsendable';
import { asText } from './values';

/** What `$execution.id` is in a call over MCP, which n8n runs before there is an execution. */
const NO_EXECUTION = '__UNKNOWN__';

/** What a missing value leaves in a key: mostly a separate word, so that one within another word is allowed. */
const NO_VALUE =
	/\[object Object\]|Invalid DateTime|(?<![\p{L}\p{N}])(?:null|undefined|NaN|Invalid Date)(?![\p{L}\p{N}])/u;

/**
 * An item's once key as it was entered, checked. It is in Unicode's NFC form: a Mac writes an accent as a separate
 * character, and the key must be the same.
 *
 * @throws InvalidParameter for a key that is empty, or that many items would share because a part of it is missing
 */
export function onceKey(value: unknown, label: string, source: ParameterSource): string {
	const text = asText(value, label);
	const parts = partsOf(text, source);
	const key = text.trim().normalize('NFC');
	const texts = [key, ...parts.map((part) => part.text)].join(' ');
	const empty = parts.find((part) => part.text.trim() === '');
	const nothing = texts.includes(NO_EXECUTION)
		? 'over MCP, {{ $execution.id }} finds nothing'
		: empty && `{{ ${named(empty.code.trim())} }} finds nothing for this item`;
	if (key === '' || nothing !== undefined) {
		throw new InvalidParameter(
			label,
			[key === '' ? 'is empty' : 'is incomplete', nothing].filter(Boolean).join(': '),
			'Items without it would have the same key, and only the first would be sent. Enter what identifies each item, such as an order number, and check that the expression finds it. If it may be empty, use another value in its place: {{ $json.shop || "none" }}. To send without this protection, remove the option.',
		);
	}
	if (typeof value === 'boolean' || NO_VALUE.test(texts)) {
		throw new InvalidParameter(
			label,
			`needs a value of its own for each item, but it is ${quoted(key)}`,
			'The expression does not find what identifies this item: check it. If the key is right as it is, make it from another field, or write it in capital letters with .toUpperCase().',
		);
	}
	// Half a character looks the same in every hash: keys cut in the middle of different characters would be equal.
	refuseFaulty(key, label);
	return key;
}

/** Separates the values of expressions that are resolved together: ASCII's unit separator. */
const SEPARATOR = '\u001f';

/** The code of each expression in a key, and its value as text; none for a fixed key. */
function partsOf(key: string, source: ParameterSource): Array<{ code: string; text: string }> {
	const unresolved = source.unresolved?.('options.onceKey');
	const code = typeof unresolved === 'string' && unresolved.startsWith('=') ? unresolved.slice(1) : '';
	// As in n8n, an expression ends at the first closing braces or at the end of the text. Braces after a backslash are
	// text, or do not end the expression. They are rare in a key, so they are not checked.
	const pieces = /\\(?:\{\{|\}\})/.test(code) ? [] : code.split(/\{\{([^]*?)(?:\}\}|$)/);
	const codes = pieces.filter((_piece, n) => n % 2 === 1);
	const [first, ...others] = codes;
	if (first === undefined) return [];
	const [before = '', , after = ''] = pieces;
	// A single expression need not be resolved again, unless a backslash in the text around it might count as an escape.
	if (others.length === 0 && !`${before}${after}`.includes('\\')) {
		return [{ code: first, text: key.slice(before.length, key.length - after.length) }];
	}
	const together = codes.map((each) => `${SEPARATOR}{{${each}}}`).join('');
	const [, ...texts] = String(source.resolve?.(together)).split(SEPARATOR);
	return texts.map((text, n) => ({ code: codes[n] ?? '', text }));
}
