/**
 * The store behind n8n's Remove Duplicates node, as n8n's server brings it along: for each node of a workflow a list of
 * hashes that is read, changed and written back as a whole, without a lock. Each lies in a file, so that it outlives this
 * process and other engines can share it.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type {
	DeduplicationItemTypes,
	DeduplicationScope,
	ICheckProcessedContextData,
	ICheckProcessedOptions,
	IDataDeduplicator,
	IDeduplicationOutput,
} from 'n8n-workflow';
import type { StoreTrouble } from '../protocol.ts';
import { core } from './n8n.ts';

class ProcessedData implements IDataDeduplicator {
	trouble: StoreTrouble = 'none';
	readonly #folder: string;
	#writes = 0;

	constructor(folder: string) {
		this.#folder = folder;
	}

	async checkProcessedAndRecord(
		items: DeduplicationItemTypes[],
		_scope: DeduplicationScope,
		context: ICheckProcessedContextData,
		{ maxEntries }: ICheckProcessedOptions,
	): Promise<IDeduplicationOutput> {
		return await this.#change(context, (row) => {
			const known = new Set(row);
			const output: IDeduplicationOutput = { new: [], processed: [] };
			for (const item of items) {
				const isKnown = known.has(hash(item));
				output[isKnown ? 'processed' : 'new'].push(item);
				if (!isKnown) row.push(hash(item));
			}
			if (maxEntries !== undefined) row.splice(0, row.length - maxEntries);
			return output;
		});
	}

	async removeProcessed(
		items: DeduplicationItemTypes[],
		_scope: DeduplicationScope,
		context: ICheckProcessedContextData,
	): Promise<void> {
		await this.#change(context, (row) => {
			for (const item of items) {
				const at = row.indexOf(hash(item));
				if (at >= 0) row.splice(at, 1);
			}
		});
	}

	async clearAllProcessedItems(
		_scope: DeduplicationScope,
		context: ICheckProcessedContextData,
	): Promise<void> {
		await this.#change(context, (row) => row.splice(0));
	}

	async getProcessedDataCount(
		_scope: DeduplicationScope,
		context: ICheckProcessedContextData,
	): Promise<number> {
		return (await this.#read(context)).length;
	}

	async #change<T>(context: ICheckProcessedContextData, edit: (row: string[]) => T): Promise<T> {
		if (this.trouble === 'fails') throw new Error('SQLITE_IOERR: disk I/O error');
		const row = await this.#read(context);
		const result = edit(row);
		const file = this.#file(context);
		const written = `${file}.${process.pid}.${++this.#writes}`;
		await writeFile(written, JSON.stringify(row));
		await rename(written, file);
		return result;
	}

	async #read(context: ICheckProcessedContextData): Promise<string[]> {
		const text = await readFile(this.#file(context), 'utf8').catch(() => '[]');
		return JSON.parse(text) as string[];
	}

	#file(context: ICheckProcessedContextData): string {
		return join(this.#folder, encodeURIComponent(place(context)));
	}
}

function place({ workflow, node }: ICheckProcessedContextData): string {
	if (!workflow.id)
		throw new Error('The expression evaluated to a falsy value: assert.ok(contextData.workflow.id)');
	return `${workflow.id} n:${node?.id}`;
}

function hash(item: DeduplicationItemTypes): string {
	return createHash('md5').update(item.toString()).digest('base64');
}

let processedData: ProcessedData | undefined;

/** Gives n8n its store, as its server does when it starts. Older n8n has none. */
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
