/** The words that JavaScript writes for what is missing, and where in a value they count. */

const anywhere = (word: string): string => word;
const alone = (word: string): string => `^\\s*${word}\\s*$`;
/** "order" + $json.id. Words such as nullable are none. */
const behindALetter = (word: string): string => `(?<=\\p{L})${word}(?![\\p{L}\\p{N}])`;
/** Also beside a number: "+49" + $json.phone. */
const notBesideLetters = (word: string): string => `(?<!\\p{L})${word}(?!\\p{L})`;
/** Also behind a number, but not before one. */
const notInAWord = (word: string): string => `(?<!\\p{L})${word}(?![\\p{L}\\p{N}])`;

/** In addresses, IDs and keys; in these if it is certain that an expression has made the word; in texts; in JSON. */
type Where = 'inIds' | 'madeInIds' | 'inTexts' | 'inJson';

const WORDS: ReadonlyArray<
	{ readonly word: string } & Readonly<Partial<Record<Where, (word: string) => string>>>
> = [
	{
		word: 'undefined',
		inIds: notBesideLetters,
		madeInIds: anywhere,
		inTexts: anywhere,
		inJson: anywhere,
	},
	// In JSON, null is a value and no mistake.
	{ word: 'null', inIds: notBesideLetters, madeInIds: behindALetter, inTexts: alone },
	{ word: 'NaN', inIds: notInAWord, inTexts: notInAWord, inJson: notInAWord },
	{ word: 'Invalid Date(?:Time)?', inIds: notInAWord, inTexts: notInAWord, inJson: notInAWord },
	{ word: '-?Infinity', inTexts: notInAWord, inJson: notInAWord },
];

function patternFor(where: Where): RegExp {
	const patterns = WORDS.flatMap(({ word, [where]: place }) => (place === undefined ? [] : [place(word)]));
	return new RegExp(patterns.join('|'), 'u');
}

export const IN_IDS = patternFor('inIds');
export const MADE_IN_IDS = patternFor('madeInIds');
export const IN_TEXTS = patternFor('inTexts');
export const IN_JSON = patternFor('inJson');
/** Any of them: without it, there is nothing to look for. */
export const ANY_WORD = new RegExp(WORDS.map(({ word }) => word).join('|'));
