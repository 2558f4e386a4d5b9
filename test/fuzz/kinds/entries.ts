/** Ids of outbox entries and of their channels. */

const letters = 8;

/** Entries with a number from here on belong to one item; any item may name those below. */
const ownFrom = 1000;

/** One entry that an item names. */
export interface Entry {
	/** Less than `ownFrom`. */
	readonly number: number;
	/** Whether no other item names it. */
	readonly isOwn: boolean;
	/** Whether its id has capitals beyond those that encode the item. */
	readonly isLoud: boolean;
}

/**
 * The id of an entry, with the item's index encoded in upper and lower case, which the service and the node ignore.
 *
 * @param index the item that names it
 */
export function entryId({ number, isOwn, isLoud }: Entry, index: number): string {
	const code = Array.from({ length: letters }, (_, bit) => ((index >> bit) & 1 ? 'E' : 'e')).join('');
	const all = isOwn ? ownFrom * (index + 1) + number : number;
	const rest = `-eeee-4eee-8eee-eeeeee${String(all).padStart(6, '0')}`;
	return code + (isLoud ? rest.toUpperCase() : rest);
}

/** The item that an id's spelling encodes. */
export function namerOf(id: string): number {
	return Array.from(id.slice(0, letters)).reduce(
		(sum, letter, bit) => sum + (letter === 'E' ? 1 << bit : 0),
		0,
	);
}

/** The only item that names an entry; undefined for a common one. */
export function ownerOf(id: string): number | undefined {
	const number = Number(id.slice(-6));
	return number < ownFrom ? undefined : Math.floor(number / ownFrom) - 1;
}

/** The id of a channel. */
export function channelOf(number: number, isLoud: boolean): string {
	const id = `cccccccc-cccc-4ccc-8ccc-ccccccccccc${number}`;
	return isLoud ? id.toUpperCase() : id;
}

/** The account that a channel belongs to. */
export function accountOf(channel: string): string {
	return `aaaaaaaa-0000-4000-8000-00000000000${channel.at(-1)}`;
}

/** The name of the thing that an item wants by naming an entry of a channel. */
export function entryThing(index: number, channel: string, id: string): string {
	return `item ${index}: ${channel} ${id}`.toLowerCase();
}
