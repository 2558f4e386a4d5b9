/** The most items that a sentence names. */
const MOST_NAMED = 20;

/** Items by their numbers, as a part of a sentence: "item 3", "items 0, 4 and 17 more". */
export function namedItems(items: readonly number[]): string {
	const more = items.length - MOST_NAMED;
	const listed = items.slice(0, MOST_NAMED).join(', ');
	return `${items.length === 1 ? 'item' : 'items'} ${listed}${more > 0 ? ` and ${more} more` : ''}`;
}
