/** Nothing that somebody may have meant is refused, or changed on the wire. */
import fc from 'fast-check';

import { findOperation } from '../../../nodes/Messaging/operations/index.ts';
import { cases, type OperationId, type Parameters } from '../../cases/index.mts';
import { runs } from '../../runs.mts';
import { character } from '../support/arbitraries.mts';
import { savedSource } from '../support/saved.mts';

function bodyOf(id: OperationId, saved: Parameters, data: object): unknown {
	const [resource, name] = id.split('.');
	const operation = findOperation(resource, name);
	if (operation === undefined) throw new Error(id);
	return operation.compile(savedSource(operation.fields, { ...cases[id].least.given, ...saved }, data)).call
		.body;
}

/** Words that look like a mistake of n8n's, or of a spreadsheet, and are those of a customer. */
const strange = fc.constantFrom(
	...[
		'[object Object]',
		'undefined',
		'null',
		'NaN',
		'Invalid Date',
		'#N/A?',
		'+49',
		'@c.us',
		'{{name}}',
		'{{',
		'}}',
	],
	...[
		'=',
		'={{ 1 }}',
		'\\',
		'\\{{ x',
		'__UNKNOWN__',
		'mailto:',
		'<a>',
		'"a"',
		'0',
		'false',
		'\u200b',
		'{ { $json } }',
	],
);
const anyText = fc
	.array(fc.oneof(strange, fc.string({ unit: character, maxLength: 12 })), { minLength: 1, maxLength: 4 })
	.map((parts) => parts.join(''))
	.filter((text) => text.trim() !== '');
/** Text that may be fixed in a field: it does not begin with "=", which makes an expression of it. */
const fixed = anyText.filter((text) => !text.startsWith('=') && !/\{\{ ?\$/.test(text));
/** A text of the data, which may have even that. */
const fromData = fc.oneof(
	anyText,
	anyText.map((text) => `${text}{{ $json.a }}`),
);
/** The fixed part of a field in Expression mode. */
const between = fixed.map((text) => text.replace(/[{}\\]/g, '(')).filter((text) => text.trim() !== '');

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
	return text.replace(
		/^[\s\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+|[\s\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+$/g,
		'',
	);
}

describe.each(fields)('%s', (_field, id, at, wire) => {
	const usable = (text: string): boolean => trimmed(text) !== '';

	test('takes any fixed text', () => {
		fc.assert(
			fc.property(fixed.filter(usable), (text) => {
				expect(bodyOf(id, at(text), { a: 1 })).toMatchObject(wire(text));
			}),
			runs(300),
		);
	});

	test('takes any text of the data, alone or beside fixed text and what is missing', () => {
		fc.assert(
			fc.property(fromData.filter(usable), fromData, between, (a, b, text) => {
				const data = { a, b, o: { a }, list: [a, b] };
				for (const [saved, expected] of [
					['={{ $json.a }}', a],
					[`={{ $json.o["a"] }}`, a],
					[`=(${text}){{ $json.a }}`, `(${text})${a}`],
					[`=(${text}{{ $json.a }}{{ $json.missing }})`, `(${text}${a})`],
					['=x{{ $json.a + $json.b }}', `x${a}${b}`],
					['=x{{ $json.list.join("; ") }}y', `x${a}; ${b}y`],
					['={{ `<${$json.a}>` }}', `<${a}>`],
				] as const) {
					expect(bodyOf(id, at(saved), data)).toMatchObject(wire(expected));
				}
			}),
			runs(300),
		);
	});
});

test('any object of the data in a JSON field is sent as it is', () => {
	fc.assert(
		fc.property(fc.dictionary(fc.string({ maxLength: 5 }), fromData), between, (more, text) => {
			const content = { ...more, type: 'CHAT', text };
			const given = { inputMode: 'json', package: '={{ $json.package }}\n' };
			const data = { package: { content: { ...content, to: { type: 'CHAT', number: '1' }, data: more } } };
			// What the node types itself is not of interest here.
			const known = /^(?:is[A-Z]|priority|delivery|timestamp|from|quoted|referral|messageId|__proto__)/;
			fc.pre(Object.keys(more).every((name) => !known.test(name)));
			expect(bodyOf('message.send', given, data)).toMatchObject({ content: { data: more, text } });
		}),
		runs(200),
	);
});

test('an email address is only freed of what is around it', () => {
	const around = fc
		.array(fc.constantFrom(' ', '\u200b', '\ufeff', '\u00a0', '\n', '\u2066'), { maxLength: 3 })
		.map((all) => all.join(''));
	const wrapped = fc.constantFrom(
		'a',
		'<a>',
		'"a"',
		'mailto:a',
		'a,',
		'a;',
		'<a>,',
		'"mailto:a"',
		'mailto:<a>',
	);
	const address = fc
		.stringMatching(/^[\w.+'#/!-]{1,12}@[\w.-]{1,12}$/)
		.filter((text) => !/^mailto/i.test(text));
	fc.assert(
		fc.property(around, wrapped, around, address, (before, how, after, email) => {
			const toEmail = `${before}${how.replace(/\ba\b/, () => email)}${after}`;
			expect(bodyOf('message.send', { toEmail }, {})).toMatchObject({ content: { to: { email } } });
			expect(bodyOf('message.send', { toEmail: '={{ $json.e }}' }, { e: toEmail })).toMatchObject({
				content: { to: { email } },
			});
		}),
		runs(300),
	);
});
