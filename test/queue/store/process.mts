/**
 * One process of the torture test: n8n's own code for the store behind Remove Duplicates, on a real database, with the
 * lock of once keys on top. Reads its work as JSON from WORK, and writes the result as JSON to its output.
 */
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import type { IExecuteFunctions } from 'n8n-workflow';

import { type KeyStore, keyStoreOf } from '../../../nodes/Messaging/delivery/once/key-store.ts';
import { RowLock } from '../../../nodes/Messaging/delivery/once/row-lock.ts';
import { isFailure } from '../../../nodes/Messaging/service/endings.ts';
import { systemClock } from '../../../nodes/Messaging/shared/clock.ts';
import type { StoreWork } from './work.mts';

const work = JSON.parse(process.env.WORK ?? '') as StoreWork;
// n8n chooses its column types by this setting.
process.env.DB_TYPE = work.database.type === 'postgres' ? 'postgresdb' : 'sqlite';

const inN8n = createRequire(join(work.n8n, 'node_modules/n8n/package.json'));

interface DataSource {
	initialize(): Promise<void>;
	synchronize(): Promise<void>;
	destroy(): Promise<void>;
}
interface Deduplicator {
	checkProcessedAndRecord(...given: unknown[]): Promise<unknown>;
	removeProcessed(...given: unknown[]): Promise<unknown>;
	clearAllProcessedItems(...given: unknown[]): Promise<unknown>;
	getProcessedDataCount(...given: unknown[]): Promise<number>;
}

inN8n('reflect-metadata');
const { Container } = inN8n('@n8n/di') as { Container: { set(key: unknown, value: unknown): void } };
const { DataSource } = inN8n('@n8n/typeorm') as { DataSource: new (options: object) => DataSource };
const { ProcessedData } = inN8n('@n8n/db') as { ProcessedData: unknown };
const { DeduplicationHelper } = inN8n('./dist/deduplication/deduplication-helper.js') as {
	DeduplicationHelper: new () => Deduplicator;
};

const ids = { workflow: { id: 'workflow' }, node: { id: 'node' } };

function helpersOf(deduplicator: Deduplicator) {
	return {
		checkProcessedAndRecord: async (items: unknown, scope: string, options: unknown) =>
			await deduplicator.checkProcessedAndRecord(items, scope, ids, options),
		removeProcessed: async (items: unknown, scope: string, options: unknown) =>
			await deduplicator.removeProcessed(items, scope, ids, options),
		getProcessedDataCount: async (scope: string, options: unknown) =>
			await deduplicator.getProcessedDataCount(scope, ids, options),
		clearAllProcessedItems: async (scope: string, options: unknown) =>
			await deduplicator.clearAllProcessedItems(scope, ids, options),
	};
}

/** Adds marks to the node's row, one by one, under the lock unless told otherwise; an overwritten mark is lost. */
async function count(store: KeyStore, times: number, isLocked: boolean): Promise<void> {
	for (let n = 0; n < times; n++) {
		const lock = new RowLock(systemClock, Math.random);
		const mark = randomUUID();
		const add = async () => await whenFree(async () => await store.record([mark], 1_000_000));
		if (!isLocked) {
			// When two create the row at once, one fails; its mark is lost like an overwritten one.
			await add().catch(() => {});
			continue;
		}
		let isDone = false;
		const work = async (): Promise<void> => {
			await lock.write(add);
			isDone = true;
		};
		await whenFree(async () => isDone || (await lock.hold(store.lock, () => true, work)));
		if (!isDone) throw new Error('The lock is not ours');
	}
}

/** Retries while SQLite, which is meant for a single n8n, is locked by another process. */
async function whenFree<T>(statement: () => Promise<T>): Promise<T> {
	for (;;) {
		try {
			return await statement();
		} catch (error) {
			if ((error as { code?: unknown }).code !== 'SQLITE_BUSY') throw error;
		}
	}
}

async function main(): Promise<void> {
	const source = new DataSource({ ...work.database, entities: [ProcessedData] });
	await source.initialize();
	Container.set(DataSource, source);
	const deduplicator = new DeduplicationHelper();
	const context = {
		getWorkflow: () => ids.workflow,
		getNode: () => ids.node,
		helpers: helpersOf(deduplicator),
	};
	const store = keyStoreOf(context as unknown as IExecuteFunctions, 'Send Only Once Per');
	if (isFailure(store)) throw new Error(store.message);
	let result: unknown = null;
	if (work.does === 'prepare') {
		await source.synchronize();
		await deduplicator.clearAllProcessedItems('node', ids);
	} else if (work.does === 'look') {
		result = await deduplicator.getProcessedDataCount('node', ids, { mode: 'entries' });
	} else await count(store, work.times, work.does === 'count');
	await source.destroy();
	process.stdout.write(`${JSON.stringify(result)}\n`);
}

void main();
