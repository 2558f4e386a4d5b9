/**
 * What n8n does with the rows behind its Remove Duplicates node, statement by statement, modelled on its
 * `DeduplicationHelper` (the same in 1.123, 2.30 and 2.41). A call in another mode than the row's is refused before it
 * writes.
 */
import type { DeduplicationItemTypes, ICheckProcessedOptions, IDeduplicationOutput } from 'n8n-workflow';

export interface Row {
	mode: ICheckProcessedOptions['mode'];
	data: DeduplicationItemTypes[] | DeduplicationItemTypes | null;
}

/** The statements on one row: that of a workflow, or of a node in it. */
export interface Statements {
	select: () => Promise<Row | undefined>;
	/** Fails if there is a row. */
	insert: (row: Row) => Promise<void>;
	/** Does nothing if the row is gone. */
	update: (row: Row) => Promise<void>;
}

/** How an item is written into the row of the mode `entries`. */
type EntryOf = (item: DeduplicationItemTypes) => DeduplicationItemTypes;

/** Whether a row in this mode holds one value. In any other mode it holds a list: n8n does not look at its name. */
const isLatest = (mode: string): boolean => ['latestIncrementalKey', 'latestDate'].includes(mode);

/** Adds items to a row. Returns which of them are new. */
export async function checkAndRecord(
	{ select, insert, update }: Statements,
	items: DeduplicationItemTypes[],
	{ mode, maxEntries }: ICheckProcessedOptions,
	entryOf: EntryOf = (item) => item,
): Promise<IDeduplicationOutput> {
	const row = await select();
	if (row !== undefined && row.mode !== mode) refuse('incompatible setting');
	const { added, data } = isLatest(mode)
		? addLatest(items, row)
		: addEntries(items, row, maxEntries, entryOf);
	await (row === undefined ? insert({ mode, data }) : update({ mode, data }));
	const news = new Set(added);
	return { new: added, processed: items.filter((item) => !news.has(item)) };
}

/** Removes items from a row. */
export async function remove(
	{ select, update }: Statements,
	items: DeduplicationItemTypes[],
	{ mode }: ICheckProcessedOptions,
	entryOf: EntryOf = (item) => item,
): Promise<void> {
	if (isLatest(mode)) refuse('Removing processed data is not possible in mode "latest"');
	const row = await select();
	if (row === undefined || !Array.isArray(row.data)) return;
	const gone = new Set(items.map(entryOf));
	await update({ ...row, data: row.data.filter((entry) => !gone.has(entry)) });
}

function addEntries(
	items: DeduplicationItemTypes[],
	row: Row | undefined,
	most = Infinity,
	entryOf: EntryOf,
) {
	const before = (row?.data ?? []) as DeduplicationItemTypes[];
	const known = new Set(before);
	const added = items.filter((item) => !known.has(entryOf(item)));
	const data = [...before, ...added.map(entryOf)];
	return { added, data: data.slice(Math.max(0, data.length - most)) };
}

function addLatest(items: DeduplicationItemTypes[], row: Row | undefined) {
	const sorted = items.toSorted(compare);
	if (row === undefined) return { added: items, data: sorted.at(-1) ?? null };
	const held = row.data as DeduplicationItemTypes | null;
	const added = sorted.filter((item) => compare(item, held) > 0);
	return { added, data: added.at(-1) ?? held };
}

function compare(one: DeduplicationItemTypes | null, other: DeduplicationItemTypes | null): number {
	const [a, b] = [Number(one), Number(other)];
	if (Number.isNaN(a) || Number.isNaN(b)) refuse('Invalid value. Only numbers are supported');
	return Math.sign(a - b);
}

function refuse(why: string): never {
	throw new Error(`Deduplication Failed: ${why}`);
}
