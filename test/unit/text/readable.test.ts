import fc from 'fast-check';

import {
	asSentence,
	closed,
	isolated,
	named,
	quoted,
	said,
	withoutDirections,
} from '../../../nodes/Messaging/text/readable.ts';
import { runs } from '../support/arbitraries.ts';

const FSI = '\u2068';
const PDI = '\u2069';

/** Text full of what turns text around. */
const turning = fc
	.array(
		fc.constantFrom(
			...['\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', FSI, PDI, '\u200f', '\u061c'],
			...['שלום', 'مرحبا', 'Hello', ' ', '12', '(', ')', '👩🏽‍🚀', '\n', '\0', '\ud83d'],
		),
		{ maxLength: 30 },
	)
	.map((parts) => parts.join(''));

/** How many isolates are open at each place of a text; below 0 where one ends that has not begun. */
function depths(text: string): number[] {
	let depth = 0;
	return Array.from(text, (character) => {
		if (/[\u2066-\u2068]/.test(character)) depth += 1;
		if (character === PDI) depth -= 1;
		return depth;
	});
}

describe('text amid a sentence', () => {
	test('nothing that turns text around reaches beyond it', () => {
		fc.assert(
			fc.property(turning, fc.constantFrom(isolated, named, said, quoted), (text, show) => {
				const shown = show(text);
				const levels = depths(shown);
				expect(Math.min(0, ...levels)).toBe(0);
				expect(levels.at(-1) ?? 0).toBe(0);
				// All that is written from right to left, or turns around, stands inside.
				for (const [index, character] of Array.from(shown).entries()) {
					if (/[\u0590-\u08ff\u200f\u202a-\u202e]/.test(character)) expect(levels[index]).toBeGreaterThan(0);
				}
			}),
			runs(500),
		);
	});

	test('text that is written from left to right stays as it is', () => {
		for (const text of ['Hello', 'Grüße, 世界', '👨‍👩‍👧‍👦 🇩🇪', 'e\u0301', '']) {
			expect([isolated(text), said(text), named(text)]).toStrictEqual([text, text, text]);
		}
	});

	test('an isolate that begins ends, and none ends that has not begun', () => {
		expect(closed(`a${PDI}b${FSI}c`)).toBe(`ab${FSI}c${PDI}`);
		expect(closed(`${FSI}a${PDI}`)).toBe(`${FSI}a${PDI}`);
	});

	test.each([
		['שלום', `${FSI}שלום${PDI}`],
		['a\tb\r\nc', 'a\\tb\\r\\nc'],
		['\0\u202e\u200b\ufeff\u2028', '\\u0000\\u202e\\u200b\\ufeff\\u2028'],
		['\ud83d!', '\\ud83d!'],
		// Parts of letters and signs.
		['می\u200cخواهم', `${FSI}می\u200cخواهم${PDI}`],
		['👨‍👩‍👧‍👦❤️', '👨‍👩‍👧‍👦❤️'],
	])('%j is named %j', (text, expected) => {
		expect(named(text)).toBe(expected);
		expect(quoted(text)).toBe(`"${expected}"`);
	});

	test('is as long as one reads, whatever it is made of', () => {
		for (const text of ['x', 'ש', '👨‍👩‍👧‍👦', '\u202e', '\0', '\ud83d', 'a\u0301']) {
			expect(quoted(text.repeat(100_000)).length).toBeLessThan(1_000);
			expect([...new Intl.Segmenter('en').segment(said(text.repeat(100_000)))].length).toBeLessThan(510);
		}
	});
});

test('invisible characters that turn text around can be taken out', () => {
	expect(withoutDirections(`\u202eabc\u202c ${FSI}ש${PDI}`)).toBe('abc ש');
});

test.each([
	['Gone', 'Gone.'],
	['Gone.', 'Gone.'],
	['Gone?', 'Gone?'],
	['מה?', 'מה?'],
	['ما هذا؟', 'ما هذا؟'],
	['没有了。', '没有了。'],
	['नहीं।', 'नहीं।'],
	['He said "no."', 'He said "no."'],
	[`${FSI}ש.${PDI}`, `${FSI}ש.${PDI}`],
	['and so on…', 'and so on…'],
])('%s as a sentence: %s', (text, expected) => {
	expect(asSentence(text)).toBe(expected);
});
