import { systemClock } from '../time/clock';

/** How long a list serves typing and paging, in milliseconds. */
const KEEP_MS = 60_000;
/** How old a list may be when a menu is opened, in milliseconds: what was just created must be in it. */
const OPENING_MS = 3_000;
/** How many lists and how many entries are kept at most, over all keys. */
const MOST_LISTS = 50;
const MOST_ENTRIES = 100_000;

interface Kept {
	at: number;
	/** How many entries it holds; 0 while it is on its way. */
	size: number;
	entries: Promise<readonly object[]>;
}

/** Lists of the last minute, the oldest first. */
const kept = new Map<string, Kept>();

/**
 * A list, read once for everything that happens in a menu: opening it, typing in it, turning its pages. Menus that
 * want it at the same time share one request; a list that could not be read is not kept.
 *
 * @param name whose list it is, and which; keys and addresses stand in it as a hash only
 * @param opening whether the menu is being opened, which calls for a fresh list
 * @param read gets the entries, reduced to what menus show
 */
export async function cachedList<T extends object>(
	name: string,
	opening: boolean,
	read: () => Promise<readonly T[]>,
): Promise<readonly T[]> {
	const now = systemClock.now();
	const known = kept.get(name);
	if (known !== undefined && now - known.at < (opening ? OPENING_MS : KEEP_MS)) {
		return (await known.entries) as readonly T[];
	}
	const entries = read();
	const fresh: Kept = { at: now, size: 0, entries };
	kept.delete(name);
	kept.set(name, fresh);
	entries.then(
		({ length }) => {
			fresh.size = length;
			makeRoom(now);
		},
		() => {
			if (kept.get(name) === fresh) kept.delete(name);
		},
	);
	return await entries;
}

/** Drops what is too old or too much, the oldest first; the newest list stays, however long: somebody types in it. */
function makeRoom(now: number): void {
	let entries = [...kept.values()].reduce((sum, { size }) => sum + size, 0);
	for (const [name, { at, size }] of kept) {
		const fits = now - at < KEEP_MS && kept.size <= MOST_LISTS && entries <= MOST_ENTRIES;
		if (fits || kept.size === 1) return;
		kept.delete(name);
		entries -= size;
	}
}
