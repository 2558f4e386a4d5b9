import * as fc from 'fast-check';

import { maskOf, maskToken } from '../../../nodes/Messaging/service/redact.ts';
import { Turns } from '../../../nodes/Messaging/time/turns.ts';
import { runs } from '../support/arbitraries.ts';
import { BusyClock } from '../support/busy-clock.ts';

test.each([
	['acc_0123456789abcdef', 'acc_…cdef'],
	['org_0123456789abcdef', 'org_…cdef'],
	['0123456789abcdef', '…cdef'],
	['acc_123456789', 'acc_…6789'],
	['acc_12345678', 'acc_…'],
	['short', '…'],
	['', '…'],
])('shows the token %s as %s', (token, shown) => {
	expect(maskToken(token)).toBe(shown);
});

describe('the key in use, in text', () => {
	const key = 'acc_0123456789abcdef';

	test.each([
		['', ''],
		['nothing here', 'nothing here'],
		[`a ${key}, and ${key}`, 'a acc_…cdef, and acc_…cdef'],
		[`{"apiKey":"${key}"}`, '{"apiKey":"acc_…cdef"}'],
		[`${key}${key}`, 'acc_…cdefacc_…cdef'],
		['50 % off \\ & more', '50 % off \\ & more'],
	])('%j becomes %j', (text, expected) => {
		expect(maskOf(key)(text)).toBe(expected);
	});

	test.each<BufferEncoding>(['utf16le', 'utf8'])(
		'an answer in %s that is read as UTF-8',
		async (encoding) => {
			const text = `{"key":"${key}","ü":"${key}"}`;
			// The other order of bytes differs at the ends only.
			for (const bytes of [Buffer.from(text, encoding), Buffer.from(`\0${text}`, encoding).subarray(1)]) {
				for (const body of [bytes.toString('utf8'), bytes.toString('utf8').repeat(100)]) {
					expect(maskOf(key)(body).replaceAll('\0', '')).not.toContain(key);
					const inTurns = await maskOf(key).inTurns(body, new Turns());
					expect(inTurns).toBe(maskOf(key)(body));
				}
			}
		},
	);

	test('no key changes nothing', () => {
		expect(maskOf('')('some text')).toBe('some text');
	});
});

describe('the key in use, escaped', () => {
	const key = 'acc_12+34/56=78"9\\0&<>x-y.z';
	const code = (character: string) => character.charCodeAt(0).toString(16);
	const every = (form: (character: string) => string) => Array.from(key, form).join('');
	const symbols = (form: (character: string) => string) => key.replace(/\W/g, form);
	const json = (text: string) => JSON.stringify(text).slice(1, -1);
	const html = (text: string) =>
		text
			.replaceAll('&', '&amp;')
			.replaceAll('<', '&lt;')
			.replaceAll('>', '&gt;')
			.replaceAll('"', '&quot;')
			.replaceAll('+', '&#x2B;');

	test.each<[kind: string, form: string]>([
		['as JSON', json(key)],
		['as JSON in JSON', json(json(key))],
		['as ASP.NET writes JSON', symbols((character) => `\\u00${code(character).toUpperCase()}`)],
		['as PHP writes JSON', json(key).replaceAll('/', '\\/')],
		['with each character escaped in JSON', every((character) => `\\u00${code(character)}`)],
		['as JavaScript', symbols((character) => `\\x${code(character)}`)],
		['in a URL', encodeURIComponent(key)],
		['in a URL, in lower case', encodeURIComponent(key).replace(/%../g, (hex) => hex.toLowerCase())],
		['in a URL in a URL', encodeURIComponent(encodeURIComponent(key))],
		['with each character escaped in a URL', every((character) => `%${code(character)}`)],
		['as HTML', html(key)],
		['as HTML with numbers', every((character) => `&#${character.charCodeAt(0)};`)],
		['as HTML twice', html(html(key))],
		['as HTML in JSON by ASP.NET', html(key).replace(/[&+<>"]/g, (sign) => `\\u00${code(sign)}`)],
		['as a URL in HTML', html(`?q=${encodeURIComponent(key)}&b=1`).slice(3, -8)],
	])('%s is masked, and nothing around it', (_kind, form) => {
		expect(maskOf(key)(`before ${form} after ${form}`)).toBe('before acc_…-y.z after acc_…-y.z');
	});

	test.each([0, 1, 2, 3, 4, 5])('in base64 behind %i other characters', (before) => {
		const whole = Buffer.from(`${'u'.repeat(before)}${key}`).toString('base64');
		for (const form of [
			whole,
			whole.replace(/=+$/, ''),
			Buffer.from(whole, 'base64').toString('base64url'),
			encodeURIComponent(whole),
			whole.replaceAll('+', '\\u002B'),
		]) {
			const masked = maskOf(key)(`Basic ${form} end`);
			expect(masked).toMatch(/^Basic \S{0,8}acc_…-y\.z(?:%3D)* end$/);
		}
	});

	test('in base64 amid other text', () => {
		const masked = maskOf(key)(Buffer.from(`user:${key}:and more`).toString('base64'));
		expect(Buffer.from(masked, 'base64').toString('latin1')).not.toContain(key.slice(5, 12));
		expect(masked).toContain('acc_…-y.z');
	});

	test.each(['\n', '\r\n', '\n\t', '=\r\n', '\n        '])('broken into lines by %j, wherever', (end) => {
		const base64 = Buffer.from(`user:${key}`).toString('base64');
		for (const form of [key, base64]) {
			for (let at = 1; at < form.length; at++) {
				const masked = maskOf(key)(`Basic ${form.slice(0, at)}${end}${form.slice(at)} end`);
				expect(masked).toContain('acc_…-y.z');
				expect(masked).toMatch(/ end$/);
			}
		}
		const each = Array.from(key).join(end);
		expect(maskOf(key)(`in ${each} pieces`)).toBe('in acc_…-y.z pieces');
	});

	test('whatever it is, in any mixture of escapes', () => {
		const escapes: Array<(character: string) => string> = [
			(character) => character,
			(character) => `\\u00${code(character)}`,
			(character) => `%${code(character)}`,
			(character) => `&#x${code(character)};`,
			(character) => encodeURIComponent(`\\u00${code(character)}`),
		];
		// What begins an escape is always escaped itself: no encoder leaves it as it is amid other escapes.
		const visible = fc
			.integer({ min: 0x21, max: 0x7e })
			.map((number) => String.fromCharCode(number))
			.filter((character) => !'\\%&'.includes(character));
		fc.assert(
			fc.property(
				fc.array(visible, { minLength: 8, maxLength: 40 }),
				fc.array(fc.nat(escapes.length - 1), { minLength: 40, maxLength: 40 }),
				(characters, kinds) => {
					const secret = characters.join('');
					const form = characters
						.map((character, index) => escapes[kinds[index] ?? 0]?.(character) ?? '')
						.join('');
					// A shortened key may look like a part of itself: what counts is that it was found.
					expect(maskOf(secret)(`(${form})`)).not.toBe(`(${form})`);
				},
			),
			{ numRuns: 500 },
		);
	});
});

describe('a short key', () => {
	test.each([
		['a', 'apiKey=a; Bananas are a fruit', 'apiKey=…; Bananas are … fruit'],
		['ab', 'about {"apiKey":"ab"} grab', 'about {"apiKey":"…"} grab'],
		['ab', 'YWI= YWIx', '… YWIx'],
		['key', 'monkey x-api-key: key', 'monkey x-api-…: …'],
		['a+b', '?k=a%2Bb&x=a%2Bbc', '?k=…&x=a%2Bbc'],
	])('%s is masked where it stands alone, and words stay whole: %s', (key, text, expected) => {
		expect(maskOf(key)(text)).toBe(expected);
	});
});

/** Two texts where they begin to differ. */
function difference(one: string, other: string): string {
	let at = 0;
	while (at < one.length && one[at] === other[at]) at += 1;
	return `${at}: ${one.slice(at, at + 60)} | ${other.slice(at, at + 60)}`;
}

describe('a long text', () => {
	const key = 'acc_12+34/56=78x-y.z';
	const code = (character: string) => character.charCodeAt(0).toString(16);
	const escapes: Array<(text: string) => string> = [
		(text) => text,
		(text) => encodeURIComponent(text),
		(text) => text.replace(/\W/g, (character) => `\\u00${code(character)}`),
		(text) => text.replace(/./g, (character) => `%${code(character)}`),
		(text) => text.replace(/\W/g, (character) => `&#x${code(character)};`),
	];
	const escapedForm = (plain: string) =>
		fc
			.array(fc.nat(escapes.length - 1), { maxLength: 3 })
			.map((kinds) => kinds.reduce((text, kind) => escapes[kind]?.(text) ?? text, plain));
	const form = escapedForm(key);
	const base64 = escapedForm(Buffer.from(key).toString('base64'));
	const filler = fc
		.tuple(
			fc.constantFrom('x', ' ', 'lorem ', '\\', '%25', '&amp;', '%2541', key.slice(0, 12), 'acc_'),
			fc.nat(12_000),
		)
		.map(([text, length]) => text.repeat(Math.ceil(length / text.length)).slice(0, length));

	test.each([
		['a long key', key],
		['a short one', 'a+b'],
	])('is masked as a short one: %s', async (_kind, secret) => {
		const mask = maskOf(secret);
		await fc.assert(
			fc.asyncProperty(
				fc.array(fc.oneof(filler, form, fc.constant(secret)), { maxLength: 8 }),
				async (parts) => {
					const text = parts.join('');
					const [long, short] = [await mask.inTurns(text, new Turns()), mask(text)];
					if (long !== short) expect(difference(long, short)).toBe('');
				},
			),
			runs(150),
		);
	});

	test('holds no key any more, whatever stands around it and however it is escaped', async () => {
		const mask = maskOf(key);
		await fc.assert(
			fc.asyncProperty(fc.nat(20_000), fc.oneof(form, base64), async (before, escaped) => {
				const [ahead, behind] = ['x'.repeat(before), 'x'.repeat(9000)];
				const text = await mask.inTurns(`${ahead} ${escaped} ${behind}`, new Turns());
				expect(text.slice(before, -9000)).toMatch(/^ acc_…-y\.z\S{0,60} $/);
			}),
			runs(150),
		);
	});

	test.each([
		['a long key', key],
		['a short one', 'a+b'],
	])('is searched at its every place, wherever its portions end: %s', async (_kind, secret) => {
		const mask = maskOf(secret);
		const forms = [
			`${secret.slice(0, 5)}=\r\n    ${secret.slice(5)}`,
			secret,
			`x${secret}`,
			`${secret}x`,
			encodeURIComponent(secret),
			` ${secret} `,
		];
		for (const form of forms) {
			for (let before = 8192 - 40; before < 8192 + 5; before++) {
				for (const filler of ['-', 'x']) {
					const text = filler.repeat(before) + form + filler.repeat(9000);
					expect((await mask.inTurns(text, new Turns())) === mask(text)).toBe(true);
				}
			}
		}
	});

	test('of millions of escapes or backslashes does no harm', async () => {
		for (const text of ['\\'.repeat(5_000_000), '%25'.repeat(500_000), '\\u0041'.repeat(200_000)]) {
			expect(await maskOf(key).inTurns(text, new Turns(new BusyClock()))).toBe(text);
		}
	});
});

test.each([
	['backslashes', '\\'.repeat(200_000)],
	['percent signs', '%'.repeat(200_000)],
	['ampersands', '&'.repeat(200_000)],
	['escaped percent signs', '%25'.repeat(70_000)],
	['beginnings of keys', 'acc_01234567'.repeat(20_000)],
	['line ends', '\n'.repeat(200_000)],
	['beginnings of keys in lines', 'a\nc\n        c\r\n_0\n1'.repeat(20_000)],
])('a long text of %s stays as it is', (_kind, text) => {
	expect(maskOf('acc_0123456789abcdef')(text)).toBe(text);
});
