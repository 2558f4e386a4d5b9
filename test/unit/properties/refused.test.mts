/** No fixed text is refused that somebody may have meant, or changed on the wire. Expressions: `engine/real-texts.test.mts`. */
import fc from 'fast-check';

import type { OperationId, Parameters } from '../../cases/index.mts';
import { runs } from '../../runs.mts';
import { character } from '../support/arbitraries.mts';
import { bodyOf } from '../support/saved.mts';

/** Words that look like a mistake of n8n's, or of a spreadsheet, and are those of a customer. */
const strange = fc.constantFrom(
	...'[object Object]|undefined|null|NaN|Invalid Date|#N/A is|+49|@c.us|{{name}}|{{|}}|='.split('|'),
	...'={{ 1 }}|\\|\\{{ x|__UNKNOWN__|mailto:|<a>|"a"|0|false|\u200b|{ { $json } }'.split('|'),
);
const anyText = fc
	.array(fc.oneof(strange, fc.string({ unit: character, maxLength: 12 })), { minLength: 1, maxLength: 4 })
	.map((parts) => parts.join(''))
	.filter((text) => text.trim() !== '');
/** Text that may be fixed in a field: it does not begin with "=", which makes an expression of it, and has no NUL. */
const fixed = anyText.filter((text) => !text.startsWith('=') && !/\{\{ ?\$|\0/.test(text));
/** A text field of each kind, and where its value is in the body. */
const fields: ReadonlyArray<
	[field: string, id: OperationId, at: (value: string) => Parameters, wire: (value: string) => object]
> = [
	['Text', 'message.send', (text) => ({ text }), (text) => ({ content: { text } })],
	['New Text', 'message.edit', (newText) => ({ newText }), (newText) => ({ newText })],
	['Chat ID', 'message.delete', (chatId) => ({ chatId }), (chatId) => ({ chatId })],
	[
		'Correlation ID',
		'message.send',
		(correlationId) => ({ additionalFields: { correlationId } }),
		(correlationId) => ({ correlationId }),
	],
	[
		'To Fields',
		'message.send',
		(phone) => ({
			addressType: 'other',
			toType: 'PHONE',
			toRows: { values: [{ name: 'phone', value: phone }] },
		}),
		(phone) => ({ content: { to: { phone: trimmed(phone) } } }),
	],
	['Name', 'account.create', (name) => ({ name }), (name) => ({ name })],
];

/** White space and the marks of copy and paste at both ends of an address go. */
function trimmed(text: string): string {
	const isAround = (character = ''): boolean =>
		/[\s\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/.test(character);
	let [start, end] = [0, text.length];
	while (start < end && isAround(text[start])) start += 1;
	while (start < end && isAround(text[end - 1])) end -= 1;
	return text.slice(start, end);
}

test.each(fields)('%s takes any fixed text', (field, id, at, wire) => {
	// A database gives false or 0 where there is no address.
	const none = field === 'To Fields' ? ['', '0', 'false'] : [''];
	// What a spreadsheet writes for an error, from # to ! or ?, is refused.
	const usable = (text: string): boolean =>
		!none.includes(trimmed(text)) && !/^#.*[!?]$/s.test(trimmed(text));
	fc.assert(
		fc.property(fixed.filter(usable), (text) => {
			expect(bodyOf(id, at(text), { a: 1 })).toMatchObject(wire(text));
		}),
		runs(300),
	);
});
