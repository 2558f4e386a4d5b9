import fc from 'fast-check';

import { cut, lengthOf, shortened } from '../../../nodes/Messaging/text/cut.ts';
import { character, runs } from '../support/arbitraries.ts';

const FAMILY = '👨‍👩‍👧‍👦';
const ASTRONAUT = '👩🏽‍🚀';
const FLAG = '🇩🇪';
const ENGLAND = '🏴󠁧󠁢󠁥󠁮󠁧󠁿';
const ACCENTED = 'e\u0301\u0323';
const NONE_IN_HALF = [FAMILY, ASTRONAUT, FLAG, ENGLAND, ACCENTED, 'कि', '각', '\r\n'];

/** Text of any characters, those of several parts often among them. */
const anyText = fc
	.array(
		fc.oneof(
			fc.constantFrom(...NONE_IN_HALF),
			fc.string({ unit: 'grapheme', maxLength: 5 }),
			fc.string({ unit: character, maxLength: 5 }),
			fc.string({ maxLength: 5 }),
		),
		{ maxLength: 30 },
	)
	.map((parts) => parts.join(''));

const graphemes = (text: string): string[] =>
	Array.from(new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text), ({ segment }) => segment);

describe.each([
	['cut', cut],
	['shortened', shortened],
])('%s', (_, shorten) => {
	test('has at most so many characters, and leaves alone what has no more', () => {
		fc.assert(
			fc.property(anyText, fc.integer({ min: 4, max: 40 }), (text, most) => {
				const result = shorten(text, most);
				expect(graphemes(result).length).toBeLessThanOrEqual(most);
				if (graphemes(text).length <= most) expect(result).toBe(text);
			}),
			runs(500),
		);
	});

	test('never takes a character apart', () => {
		fc.assert(
			fc.property(anyText, fc.integer({ min: 4, max: 40 }), (text, most) => {
				const whole = new Set([...graphemes(text), '…']);
				// A line end before the mark of what is left out goes with the spaces there.
				for (const part of graphemes(shorten(text, most))) expect(whole).toContain(part);
			}),
			runs(500),
		);
	});

	test.each(NONE_IN_HALF.filter((character) => character.trim() !== ''))('%s counts as one', (character) => {
		expect(shorten(character.repeat(10), 10)).toBe(character.repeat(10));
		expect(lengthOf(character.repeat(10))).toBe(10);
		expect(shorten(character.repeat(11), 10).replaceAll(character, '')).toBe('…');
	});

	test('a letter with more marks than anybody can read loses them, not half of one', () => {
		const heaped = `${`a${'\u0301'.repeat(5_000)}`.repeat(20)}x`;
		expect(shorten(heaped, 20).length).toBeLessThan(1_000);
		const wide = `a${'\u{1d167}'.repeat(5_000)}`.repeat(30);
		expect(shorten(wide, 20)).not.toMatch(/\p{Surrogate}/u);
		expect(shorten(wide, 20).length).toBeLessThan(1_000);
	});
});

test('the end is left out of one, the middle of the other', () => {
	expect(cut('0123456789', 6)).toBe('01234…');
	expect(cut('0123   789', 6)).toBe('0123…');
	expect(shortened('0123456789', 6)).toBe('012…89');
});

test('of a long text no more is read than is shown', () => {
	const reads: number[] = [];
	const slice = jest.spyOn(String.prototype, 'slice');
	try {
		cut('ב'.repeat(100_000), 60);
		reads.push(...slice.mock.results.map(({ value }) => (value as string).length));
	} finally {
		slice.mockRestore();
	}
	expect(Math.max(...reads)).toBeLessThan(5_000);
});
