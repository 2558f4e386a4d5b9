import { cut } from '../../text/cut';
import { withoutDirections } from '../../text/readable';

/**
 * A value as it may stand in a node's parameter. Text that begins with "=" would run as an expression: it is given as
 * an expression that yields it and nothing else.
 */
export function literal<T>(value: T): T | string {
	if (typeof value !== 'string' || !value.startsWith('=')) return value;
	const escaped = Array.from({ length: value.length }, (_, index) => {
		const code = value.charCodeAt(index).toString(16).padStart(4, '0');
		return /[A-Za-z0-9 ]/.test(value.charAt(index)) ? value.charAt(index) : `\\u${code}`;
	});
	return `={{ "${escaped.join('')}" }}`;
}

/** Text for a label: one line, of a bearable length, and never an expression; it turns nothing around it around. */
export function labelText(text: string, most: number): string {
	// What is far too long is not read whole.
	const line = withoutDirections(cut(text, most * 4))
		.replace(/\s+/g, ' ')
		.replace(/^[\s=]+/, '')
		.trim();
	return cut(line, most);
}
