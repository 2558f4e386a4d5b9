/** The words that JavaScript writes for what is missing, and where in a value they count. */

const anywhere = (word: string): string => word;
const alone = (word: string): string => `^\\s*${word}\\s*$`;
/** "order" + $json.id. Words such as nullable are none. */
const behindALetter = (word: string): string => `(?<=\\p{L})${word}(?![\\p{L}\\p{N}])`;
/** Also beside a number: "+49" + $json.phone. */
const notBesideLetters = (word: string): string => `(?<!\\p{L})${word}(?!\\p{L})`;
/** Also behind a number, but not before one. */
const notInAWord = (word: string): string => `(?<!\\p{L})${word}(?![\\p{L}\\p{N}])`;

/**
 * Each word, and where it counts: in addresses, IDs and keys; in these if it is certain that an expression has made it; in
 * texts; in JSON, where null is a value.
 */
const WORDS: ReadonlyArray<readonly [word: string, ...places: Array<((word: string) => string) | null>]> = [
	['undefined', notBesideLetters, anywhere, anywhere, anywhere],
	['null', notBesideLetters, behindALetter, alone, null],
	['NaN', notInAWord, null, notInAWord, notInAWord],
	['Invalid Date(?:Time)?', notInAWord, null, notInAWord, notInAWord],
	['-?Infinity', null, null, notInAWord, notInAWord],
];

const [IN_IDS, MADE_IN_IDS, IN_TEXTS, IN_JSON] = [0, 1, 2, 3].map(
	(column) => new RegExp(WORDS.flatMap(([word, ...places]) => places[column]?.(word) ?? []).join('|'), 'u'),
) as [RegExp, RegExp, RegExp, RegExp];
export { IN_IDS, IN_JSON, IN_TEXTS, MADE_IN_IDS };

/** Any of them: without it, there is nothing to look for. */
export const ANY_WORD = new RegExp(WORDS.map(([word]) => word).join('|'));
