/**
 * One process of the torture test and of the measurements of once keys: n8n's own code for the store behind Remove
 * Duplicates, on a real database, with once keys on top. Reads its work as JSON from WORK, and writes the result as
 * JSON to its output.
 */
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import type { IExecuteFunctions } from 'n8n-workflow';

import { rowOf } from '../../../nodes/Messaging/delivery/once/key-row.ts';
import { type KeyStore, keyStoreOf } from '../../../nodes/Messaging/delivery/once/key-store.ts';
import { OnceKeys } from '../../../nodes/Messaging/delivery/once/once-keys.ts';
import { Lease } from '../../../nodes/Messaging/delivery/once/lease.ts';
import { isFailure } from '../../../nodes/Messaging/service/endings.ts';
import { systemClock } from '../../../nodes/Messaging/shared/clock.ts';
import type { SendTimes, StoreWork } from './work.mts';

const work = JSON.parse(process.env.WORK ?? '') as StoreWork;
// n8n chooses its column types by this setting.
process.env.DB_TYPE = work.database.type === 'postgres' ? 'postgresdb' : 'sqlite';

const inN8n = createRequire(join(work.n8n, 'node_modules/n8n/package.json'));

interface DataSource {
	initialize(): Promise<void>;
	synchronize(): Promise<void>;
	query(sql: string): Promise<Array<Record<string, string>>>;
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

/** Adds marks to the node's row, one by one, under the lease unless told otherwise; an overwritten mark is lost. */
async function count(store: KeyStore, times: number, hasLease: boolean): Promise<void> {
	for (let n = 0; n < times; n++) {
		const lease = new Lease(systemClock, Math.random);
		const mark = randomUUID();
		const add = async () => await whenFree(async () => await store.record([mark], 1_000_000, () => {}));
		if (!hasLease) {
			// When two create the row at once, one fails; its mark is lost like an overwritten one.
			await add().catch(() => {});
			continue;
		}
		let isDone = false;
		const work = async (): Promise<void> => {
			await lease.write(add);
			isDone = true;
		};
		await whenFree(async () => isDone || (await lease.hold(store.lease, () => true, work)));
		if (!isDone) throw new Error('The lease is not ours');
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

/** Sends under once keys, one after the other; returns the milliseconds that each took. */
async function send(store: KeyStore, times: number): Promise<number[]> {
	const took: number[] = [];
	for (let n = 0; n < times; n++) {
		const began = performance.now();
		const { signal } = new AbortController();
		const settings = { scope: 'x', store, messages: 1, mostKeys: 20_000, signal };
		const keys = new OnceKeys(rowOf(store.place), settings);
		const claim = keys.claim(randomUUID(), 60_000);
		if ((await claim.result) !== 'free') throw new Error('The key is not new');
		claim.end('sent');
		await keys.close();
		took.push(performance.now() - began);
	}
	return took;
}

/** How many bytes PostgreSQL has written to its write-ahead log; 0 for SQLite. */
async function logSize(source: DataSource): Promise<number> {
	if (work.database.type !== 'postgres') return 0;
	const [row] = await source.query(`SELECT pg_current_wal_lsn() - '0/0' AS bytes`);
	return Number(row?.bytes);
}

async function main(): Promise<void> {
	const statements: string[] = [];
	const note = (statement: string): void => void statements.push(statement.split(' ')[0] ?? '');
	// An INSERT that another process was first with is an error, and expected.
	const ignore = (): void => {};
	const logger = {
		logQuery: note,
		logQueryError: ignore,
		logQuerySlow: ignore,
		logSchemaBuild: ignore,
		log: ignore,
	};
	const source = new DataSource({ ...work.database, entities: [ProcessedData], logging: ['query'], logger });
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
		const marks = Array.from({ length: work.times }, () => randomUUID());
		if (marks.length > 0) await store.record(marks, marks.length, () => {});
	} else if (work.does === 'look') {
		result = await deduplicator.getProcessedDataCount('node', ids, { mode: 'entries' });
	} else if (work.does === 'order') {
		statements.length = 0;
		await store.record(['a mark'], 1000, () => note('check'));
		await store.remove(['a mark'], () => note('check'));
		result = statements.filter((statement) => ['SELECT', 'UPDATE', 'check'].includes(statement));
	} else if (work.does === 'meetOthers') {
		// The same row as that of the lease, made by a Remove Duplicates node.
		const asOther = ['workflow', ids, { mode: 'entries' }] as const;
		await deduplicator.checkProcessedAndRecord(['an order'], ...asOther);
		result = [
			await store.lease.add(['a token'], () => {}).catch(({ message }: Error) => message.split(':')[0]),
			await deduplicator.getProcessedDataCount(...asOther),
		];
		await store.lease.remove();
	} else if (work.does === 'send') {
		const before = await logSize(source);
		const took = await send(store, work.times);
		result = { took, walBytes: ((await logSize(source)) - before) / work.times } satisfies SendTimes;
	} else await count(store, work.times, work.does === 'count');
	await source.destroy();
	process.stdout.write(`${JSON.stringify(result)}\n`);
}

void main();
