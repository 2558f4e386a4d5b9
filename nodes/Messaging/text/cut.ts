/**
 * Text cut for reading, between characters as a reader counts them: an emoji of a family, a flag, and a letter with its
 * accents are one each. Source: Unicode Standard Annex 29.
 */

/** The most code units of a character. No emoji has as many; a letter that bears hundreds of marks ends there. */
const LONGEST = 32;

/** Text in which each code unit is a character. */
const PLAIN = /^[ -~]*$/;

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Text of at most so many characters: what is too much at its end is left out, and "…" stands for it. */
export function cut(text: string, most: number): string {
	if (text.length <= most || endOf(text, most) === text.length) return text;
	return `${text.slice(0, endOf(text, most - 1)).trimEnd()}…`;
}

/**
 * Text of at most so many characters. What is taken out is taken out of the middle: names that differ at their
 * beginning or at their end stay different.
 */
export function shortened(text: string, most: number): string {
	if (text.length <= most) return text;
	const all = charactersOf(text);
	if (all.length <= most) return all.join('');
	const end = Math.floor((most - 1) * 0.4);
	const begin = most - 1 - end;
	return `${all.slice(0, begin).join('').trimEnd()}…${all.slice(-end).join('').trimStart()}`;
}

/** How many characters a text has. */
export function lengthOf(text: string): number {
	return charactersOf(text).length;
}

function charactersOf(text: string): string[] {
	if (PLAIN.test(text)) return text.split('');
	return Array.from(characters.segment(text), ({ segment }) => segment.slice(0, reach(segment)));
}

/** Where the first characters of a text end; the end of the text when it has no more. A long text is not read whole. */
function endOf(text: string, count: number): number {
	if (PLAIN.test(text.slice(0, count + 1))) return Math.min(count, text.length);
	let end = 0;
	let left = count;
	for (const { segment, index } of characters.segment(text.slice(0, (count + 1) * LONGEST))) {
		if (left === 0) return end;
		left -= 1;
		end = index + reach(segment);
		if (end < index + segment.length) return end;
	}
	return end;
}

/** How much of a character is kept: all of it, unless it has more marks than anybody can read. */
function reach(character: string): number {
	if (character.length <= LONGEST) return character.length;
	const code = character.codePointAt(LONGEST - 1) ?? 0;
	return code > 0xffff ? LONGEST - 1 : LONGEST;
}
