/** Ids of outbox entries and of their channels. */

const letters = 8;

/**
 * The id of an entry in a spelling that tells whose it is: capital letters are the same to the service and the node.
 *
 * @param index the item that names it
 * @param isLoud whether it has capital letters elsewhere as well
 */
export function entryId(number: number, index: number, isLoud: boolean): string {
	const code = Array.from({ length: letters }, (_, bit) => ((index >> bit) & 1 ? 'E' : 'e')).join('');
	const rest = `-eeee-4eee-8eee-eeeeee${String(number).padStart(6, '0')}`;
	return code + (isLoud ? rest.toUpperCase() : rest);
}

/** The item that an id has its spelling from. */
export function namerOf(id: string): number {
	return Array.from(id.slice(0, letters)).reduce(
		(sum, letter, bit) => sum + (letter === 'E' ? 1 << bit : 0),
		0,
	);
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

/** What puts an entry of a channel back, or cancels it. */
export function entryThing(channel: string, id: string): string {
	return `${channel} ${id}`.toLowerCase();
}
