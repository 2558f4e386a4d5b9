import fc from 'fast-check';

import { sameCase, searchable } from '../../../nodes/Messaging/text/fold.ts';
import { runs } from '../support/arbitraries.ts';

const alike: ReadonlyArray<readonly [one: string, other: string]> = [
	['Support', 'SUPPORT'],
	['İstanbul', 'istanbul'],
	['İSTANBUL', 'i\u0307stanbul'],
	['ISPARTA', 'ısparta'],
	['Straße', 'STRASSE'],
	['ΟΔΟΣ', 'οδος'],
	['ΟΔΟΣ ΑΣ', 'οδοσ ασ'],
	['Привет', 'ПРИВЕТ'],
	['\u00e9', 'e\u0301'],
	['\u212b', '\u00c5'],
];

test.each(alike)('%s and %s are the same in both', (one, other) => {
	expect(sameCase(one)).toBe(sameCase(other));
	expect(searchable(one)).toBe(searchable(other));
});

test.each([
	['Müller', 'Muller'],
	['Ёлка', 'елка'],
	['１２３ＡＢＣ', '123abc'],
	['ﾊﾞｽ', 'バス'],
	['שָׁלוֹם', 'שלום'],
	['مَرْحَبًا', 'مرحبا'],
	['مـــرحبا', 'مرحبا'],
	['❤️ Shop', '❤ shop'],
	['\u2068שלום\u2069', 'שלום'],
])('a search finds %s by %s; what is compared is another thing', (one, other) => {
	expect(searchable(one)).toBe(searchable(other));
	expect(sameCase(one)).not.toBe(sameCase(other));
});

test('a text is found in upper and in lower case, and in every form of its letters', () => {
	const anyText = fc.string({ unit: 'grapheme', maxLength: 20 });
	fc.assert(
		fc.property(anyText, fc.constantFrom('NFC', 'NFD', 'NFKC', 'NFKD'), (text, form) => {
			expect(searchable(text.normalize(form))).toBe(searchable(text));
			expect(searchable(text.toUpperCase())).toBe(searchable(text.toLowerCase()));
		}),
		runs(1_000),
	);
});

test('what differs in its letters stays different', () => {
	expect(sameCase('Store 1')).not.toBe(sameCase('Store 2'));
	expect(searchable('世界')).not.toBe(searchable('世间'));
	expect(searchable('कि')).not.toBe(searchable('की'));
});
