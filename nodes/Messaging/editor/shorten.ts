/**
 * Text of at most so many characters. What is taken out is taken out of the middle: names that differ at their
 * beginning or at their end stay different.
 */
export function shortened(text: string, most: number): string {
	if (text.length <= most) return text;
	const characters = [...text];
	if (characters.length <= most) return text;
	const end = Math.floor((most - 1) * 0.4);
	const begin = most - 1 - end;
	return `${characters.slice(0, begin).join('').trimEnd()}…${characters.slice(-end).join('').trimStart()}`;
}
