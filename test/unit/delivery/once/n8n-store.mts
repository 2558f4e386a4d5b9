import type { IExecuteFunctions } from 'n8n-workflow';

import { type KeyStore, keyStoreOf } from '../../../../nodes/Messaging/delivery/once/key-store.ts';
import { isFailure } from '../../../../nodes/Messaging/service/endings.ts';
import type { Clock } from '../../../../nodes/Messaging/shared/clock.ts';

/** Duration and outcome of one access to a row. */
export interface Access {
	/** How long reading and then writing the row take. Each takes effect halfway. */
	readMs: number;
	writeMs: number;
	/** Whether it fails, and whether before or after the row was written. */
	fails?: 'before' | 'after';
}

/** One n8n process. Once it is dead, none of its pending operations take effect. */
export interface Life {
	alive: boolean;
}

type Mode = 'entries' | 'latestIncrementalKey' | 'latestDate';
type Value = number | string;
interface Row {
	mode: Mode;
	data: Value[] | Value | null;
}

/**
 * n8n's store as several processes see it, statement by statement, modelled on n8n's `DeduplicationHelper` (the same
 * in 1.123, 2.30 and 2.41): a row for each scope. SELECT, then INSERT if there was no row (once per key), or UPDATE
 * (without effect if the row is gone); DELETE. A call in another mode than the row's is refused before it writes.
 * Hashes are left out.
 */
export class N8nStore {
	/** The contents of the database, as JSON. */
	private readonly rows = new Map<string, string>();

	/** How often a row was read and written, or deleted. */
	accesses = 0;

	constructor(
		private readonly clock: Clock,
		private readonly nextAccess: () => Access = () => ({ readMs: 1, writeMs: 1 }),
	) {}

	/** The entries of the node's row, oldest first. */
	get marks(): string[] {
		return ((this.row('node')?.data ?? []) as Value[]).map(String);
	}

	/** The contents of the row for the whole workflow; `undefined` if there is none. */
	get lock(): Row | undefined {
		return this.row('workflow');
	}

	/** Creates a row as another node of the workflow would. */
	put(scope: 'node' | 'workflow', row: Row | undefined): void {
		if (row === undefined) this.rows.delete(scope);
		else this.rows.set(scope, JSON.stringify(row));
	}

	/** The store as one process sees it. */
	store(life: Life = { alive: true }): KeyStore {
		const context = {
			getWorkflow: () => ({ id: 'workflow' }),
			getNode: () => ({ id: 'node' }),
			helpers: this.helpers(life),
		};
		const store = keyStoreOf(context as unknown as IExecuteFunctions, 'Send Only Once Per');
		if (isFailure(store)) throw new Error(store.message);
		return store;
	}

	/** What n8n gives the nodes of one process. */
	helpers(life: Life = { alive: true }) {
		return {
			checkProcessedAndRecord: async (
				items: Value[],
				scope: string,
				{ mode, maxEntries }: { mode: Mode; maxEntries?: number },
			) => {
				const access = this.nextAccess();
				const row = await this.read(access, life, scope);
				if (row !== undefined && row.mode !== mode) refuse('incompatible setting');
				const found = mode === 'entries' ? addEntries(items, row, maxEntries) : addLatest(items, mode, row);
				await this.write(access, life, () => {
					if (row === undefined && this.rows.has(scope)) throw violatedKey(this.accesses);
					if (row === undefined || this.rows.has(scope)) this.put(scope as 'node', found.row);
				});
				return found.output;
			},
			removeProcessed: async (items: Value[], scope: string, { mode }: { mode: Mode }) => {
				if (mode !== 'entries') refuse('Removing processed data is not possible in mode "latest"');
				const access = this.nextAccess();
				const row = await this.read(access, life, scope);
				if (row === undefined || !Array.isArray(row.data)) return;
				const data = row.data.filter((entry) => !items.includes(entry));
				await this.write(access, life, () => {
					if (this.rows.has(scope)) this.put(scope as 'node', { ...row, data });
				});
			},
			clearAllProcessedItems: async (scope: string) => {
				this.accesses += 1;
				await this.write(this.nextAccess(), life, () => void this.rows.delete(scope));
			},
		};
	}

	private row(scope: string): Row | undefined {
		const text = this.rows.get(scope);
		return text === undefined ? undefined : (JSON.parse(text) as Row);
	}

	private async read({ readMs, fails }: Access, life: Life, scope: string): Promise<Row | undefined> {
		this.accesses += 1;
		await this.pass(readMs / 2, life);
		if (fails === 'before') throw new Error('The database is not there');
		const row = this.row(scope);
		await this.pass(readMs / 2, life);
		return row;
	}

	private async write({ writeMs, fails }: Access, life: Life, effect: () => void): Promise<void> {
		await this.pass(writeMs / 2, life);
		if (fails === 'before') throw new Error('The database is not there');
		effect();
		await this.pass(writeMs / 2, life);
		if (fails === 'after') throw new Error('The connection to the database broke');
	}

	/** Lets time pass; never ends if the process has died by then. */
	private async pass(ms: number, life: Life): Promise<void> {
		await this.clock.sleep(ms);
		if (!life.alive) await new Promise(() => {});
	}
}

function addEntries(items: Value[], row: Row | undefined, most = Infinity) {
	const before = new Set((row?.data ?? []) as Value[]);
	const output = {
		new: items.filter((item) => !before.has(item)),
		processed: items.filter((item) => before.has(item)),
	};
	const data = [...before, ...output.new];
	return { row: { mode: 'entries' as const, data: data.slice(Math.max(0, data.length - most)) }, output };
}

function addLatest(items: Value[], mode: Mode, row: Row | undefined) {
	const sorted = items.toSorted(compare);
	if (row === undefined) {
		return { row: { mode, data: sorted.at(-1) ?? null }, output: { new: items, processed: [] } };
	}
	const held = row.data as Value | null;
	const output = {
		new: sorted.filter((item) => compare(item, held) === 1),
		processed: sorted.filter((item) => compare(item, held) !== 1),
	};
	return { row: { mode, data: output.new.at(-1) ?? held }, output };
}

function compare(one: Value | null, other: Value | null): number {
	const [a, b] = [Number(one), Number(other)];
	if (Number.isNaN(a) || Number.isNaN(b)) refuse('Invalid value. Only numbers are supported');
	return Math.sign(a - b);
}

function refuse(why: string): never {
	throw new Error(`Deduplication Failed: ${why}`);
}

/** The error messages of PostgreSQL and SQLite, in turn. */
function violatedKey(turn: number): Error {
	return turn % 2 === 0
		? Object.assign(new Error('duplicate key value violates unique constraint'), { code: '23505' })
		: Object.assign(new Error('SQLITE_CONSTRAINT: UNIQUE constraint failed: processed_data.context'), {
				code: 'SQLITE_CONSTRAINT',
			});
}
