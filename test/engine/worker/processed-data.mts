/**
 * The store behind n8n's Remove Duplicates node, as in n8n's server, statement by statement: a row for each workflow
 * and node (or for the whole workflow). SELECT reads it; INSERT creates it, once per key; UPDATE does nothing if the
 * row is gone; DELETE removes it. Each row is a folder, so that it outlives this process and other engines can share
 * it.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type {
	DeduplicationItemTypes,
	DeduplicationScope,
	ICheckProcessedContextData,
	ICheckProcessedOptions,
	IDataDeduplicator,
	IDeduplicationOutput,
} from 'n8n-workflow';
import type { StoreTrouble } from '../protocol.mts';
import { core } from './n8n.mts';

interface Row {
	mode: ICheckProcessedOptions['mode'];
	data: string[] | DeduplicationItemTypes | null;
}

class ProcessedData implements IDataDeduplicator {
	trouble: StoreTrouble = 'none';
	readonly #folder: string;

	constructor(folder: string) {
		this.#folder = folder;
	}

	async checkProcessedAndRecord(
		items: DeduplicationItemTypes[],
		scope: DeduplicationScope,
		context: ICheckProcessedContextData,
		{ mode, maxEntries }: ICheckProcessedOptions,
	): Promise<IDeduplicationOutput> {
		const place = placeOf(scope, context);
		const row = await this.#select(place);
		if (row !== undefined && row.mode !== mode) throw new Error('Deduplication Failed: incompatible setting');
		const found = mode === 'entries' ? addEntries(items, row, maxEntries) : addLatest(items, row);
		const written = { mode, data: found.data };
		await (row === undefined ? this.#insert(place, written) : this.#update(place, written));
		return { new: found.new, processed: items.filter((item) => !found.new.includes(item)) };
	}

	async removeProcessed(
		items: DeduplicationItemTypes[],
		scope: DeduplicationScope,
		context: ICheckProcessedContextData,
	): Promise<void> {
		const place = placeOf(scope, context);
		const row = await this.#select(place);
		if (row === undefined || !Array.isArray(row.data)) return;
		const gone = new Set(items.map(hash));
		await this.#update(place, { ...row, data: row.data.filter((entry) => !gone.has(entry)) });
	}

	async clearAllProcessedItems(
		scope: DeduplicationScope,
		context: ICheckProcessedContextData,
	): Promise<void> {
		this.#failIfTold();
		const gone = this.#written();
		const isMoved = await rename(this.#file(placeOf(scope, context)), gone).then(
			() => true,
			() => false,
		);
		if (isMoved) await rm(gone, { recursive: true });
	}

	async getProcessedDataCount(
		scope: DeduplicationScope,
		context: ICheckProcessedContextData,
	): Promise<number> {
		const data = (await this.#select(placeOf(scope, context)))?.data;
		return Array.isArray(data) ? data.length : 0;
	}

	async #select(place: string): Promise<Row | undefined> {
		this.#failIfTold();
		const text = await readFile(join(this.#file(place), 'row'), 'utf8').catch(() => undefined);
		return text === undefined ? undefined : (JSON.parse(text) as Row);
	}

	/** A folder can only be moved to a path that does not exist or is an empty folder. */
	async #insert(place: string, row: Row): Promise<void> {
		this.#failIfTold();
		const made = this.#written();
		await mkdir(made);
		await writeFile(join(made, 'row'), JSON.stringify(row));
		try {
			await rename(made, this.#file(place));
		} catch {
			await rm(made, { recursive: true });
			const code = 'SQLITE_CONSTRAINT';
			throw Object.assign(new Error(`${code}: UNIQUE constraint failed: processed_data.context`), { code });
		}
	}

	/** A file can be moved into a folder only while the folder exists. */
	async #update(place: string, row: Row): Promise<void> {
		this.#failIfTold();
		const made = this.#written();
		await writeFile(made, JSON.stringify(row));
		await rename(made, join(this.#file(place), 'row')).catch(async () => await rm(made));
	}

	#failIfTold(): void {
		if (this.trouble === 'fails') throw new Error('SQLITE_IOERR: disk I/O error');
	}

	#file(place: string): string {
		return join(this.#folder, encodeURIComponent(place));
	}

	/** A temporary path, from which what is written is moved into place. */
	#written(): string {
		return join(this.#folder, `written ${randomUUID()}`);
	}
}

function addEntries(items: DeduplicationItemTypes[], row: Row | undefined, most = Infinity) {
	const before = (row?.data ?? []) as string[];
	const known = new Set(before);
	const added = items.filter((item) => !known.has(hash(item)));
	const data = [...before, ...added.map(hash)];
	return { new: added, data: data.slice(Math.max(0, data.length - most)) };
}

function addLatest(items: DeduplicationItemTypes[], row: Row | undefined) {
	const sorted = items.toSorted(compare);
	if (row === undefined) return { new: items, data: sorted.at(-1) ?? null };
	const held = row.data as DeduplicationItemTypes | null;
	const higher = sorted.filter((item) => compare(item, held) > 0);
	return { new: higher, data: higher.at(-1) ?? held };
}

function compare(one: DeduplicationItemTypes | null, other: DeduplicationItemTypes | null): number {
	const difference = Number(one) - Number(other);
	if (Number.isNaN(difference)) throw new Error('Deduplication Failed: Invalid value.');
	return difference;
}

function placeOf(scope: DeduplicationScope, { workflow, node }: ICheckProcessedContextData): string {
	if (!workflow.id)
		throw new Error('The expression evaluated to a falsy value: assert.ok(contextData.workflow.id)');
	return scope === 'workflow' ? `${workflow.id}` : `${workflow.id} n:${node?.id}`;
}

function hash(item: DeduplicationItemTypes): string {
	return createHash('md5').update(item.toString()).digest('base64');
}

let processedData: ProcessedData | undefined;

/** Gives n8n its store, as its server does at startup. Older n8n has none. */
export async function startProcessedData(folder: string): Promise<void> {
	await mkdir(folder, { recursive: true });
	const { DataDeduplicationService }: Partial<typeof core> = core;
	processedData = new ProcessedData(folder);
	await DataDeduplicationService?.init(processedData);
}

/** Makes the store fail from now on, or work again. */
export function troubleStore(trouble: StoreTrouble): void {
	if (processedData !== undefined) processedData.trouble = trouble;
}
