/** A set of characters: ranges of code points, both ends counted. */
export type Characters = ReadonlyArray<readonly [first: number, last: number]>;

const LAST = 0x10ffff;

/** Every character there is. */
export const ANY: Characters = [[0, LAST]];

/** Whether some character is in both sets. */
export function overlap(one: Characters, other: Characters): boolean {
	return one.some(([first, last]) => other.some((range) => first <= range[1] && range[0] <= last));
}

/** All characters but these. */
export function allBut(characters: Characters): Characters {
	const rest: Array<[number, number]> = [];
	let next = 0;
	for (const [first, last] of [...characters].sort(([one], [other]) => one - other)) {
		if (first > next) rest.push([next, first - 1]);
		next = Math.max(next, last + 1);
	}
	return next > LAST ? rest : [...rest, [next, LAST]];
}

const DIGIT: Characters = [[0x30, 0x39]];
const WORD: Characters = [...DIGIT, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]];
const SPACE: Characters = [
	[0x09, 0x0d],
	[0x20, 0x20],
	[0xa0, 0xa0],
	[0x1680, 0x1680],
	[0x2000, 0x200a],
	[0x2028, 0x2029],
	[0x202f, 0x202f],
	[0x205f, 0x205f],
	[0x3000, 0x3000],
	[0xfeff, 0xfeff],
];

/** What a dot stands for. */
export const NO_LINE_END: Characters = allBut([
	[0x0a, 0x0a],
	[0x0d, 0x0d],
	[0x2028, 0x2029],
]);

/** What a backslash and a letter stand for, of the escapes that are sets. */
export const CLASSES: Readonly<Record<string, Characters>> = {
	d: DIGIT,
	D: allBut(DIGIT),
	w: WORD,
	W: allBut(WORD),
	s: SPACE,
	S: allBut(SPACE),
};
