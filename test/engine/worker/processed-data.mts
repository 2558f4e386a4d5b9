/**
 * The store behind n8n's Remove Duplicates node, as in n8n's server: a row for each workflow and node (or for the whole
 * workflow). Each row is a folder, so that it outlives this process and other engines can share it.
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
import { checkAndRecord, remove, type Row, type Statements } from '../../deduplication.mts';
import { core } from './n8n.mts';

class ProcessedData implements IDataDeduplicator {
	fails = false;
	readonly #folder: string;

	constructor(folder: string) {
		this.#folder = folder;
	}

	async checkProcessedAndRecord(
		items: DeduplicationItemTypes[],
		scope: DeduplicationScope,
		context: ICheckProcessedContextData,
		options: ICheckProcessedOptions,
	): Promise<IDeduplicationOutput> {
		return await checkAndRecord(this.#row(placeOf(scope, context)), items, options, hash);
	}

	async removeProcessed(
		items: DeduplicationItemTypes[],
		scope: DeduplicationScope,
		context: ICheckProcessedContextData,
		options: ICheckProcessedOptions,
	): Promise<void> {
		await remove(this.#row(placeOf(scope, context)), items, options, hash);
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
		const data = (await this.#row(placeOf(scope, context)).select())?.data;
		return Array.isArray(data) ? data.length : 0;
	}

	#row(place: string): Statements {
		const folder = this.#file(place);
		return {
			select: async () => {
				this.#failIfTold();
				const text = await readFile(join(folder, 'row'), 'utf8').catch(() => undefined);
				return text === undefined ? undefined : (JSON.parse(text) as Row);
			},
			// A folder can only be moved to a path that does not exist or is an empty folder.
			insert: async (row) => {
				this.#failIfTold();
				const made = this.#written();
				await mkdir(made);
				await writeFile(join(made, 'row'), JSON.stringify(row));
				try {
					await rename(made, folder);
				} catch {
					await rm(made, { recursive: true });
					const code = 'SQLITE_CONSTRAINT';
					throw Object.assign(new Error(`${code}: UNIQUE constraint failed: processed_data.context`), {
						code,
					});
				}
			},
			// A file can be moved into a folder only while the folder exists.
			update: async (row) => {
				this.#failIfTold();
				const made = this.#written();
				await writeFile(made, JSON.stringify(row));
				await rename(made, join(folder, 'row')).catch(async () => await rm(made));
			},
		};
	}

	#failIfTold(): void {
		if (this.fails) throw new Error('SQLITE_IOERR: disk I/O error');
	}

	#file(place: string): string {
		return join(this.#folder, encodeURIComponent(place));
	}

	/** A temporary path, from which what is written is moved into place. */
	#written(): string {
		return join(this.#folder, `written ${randomUUID()}`);
	}
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
export function failStore(fails: boolean): void {
	if (processedData !== undefined) processedData.fails = fails;
}
