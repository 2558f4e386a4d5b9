import type { DeduplicationItemTypes, ICheckProcessedOptions, IExecuteFunctions } from 'n8n-workflow';

import { type KeyStore, keyStoreOf } from '../../../../nodes/Messaging/delivery/once/key-store.ts';
import { isFailure } from '../../../../nodes/Messaging/service/endings.ts';
import type { Clock } from '../../../../nodes/Messaging/shared/clock.ts';
import { checkAndRecord, remove, type Row, type Statements } from '../../../deduplication.mts';

/** Duration and outcome of one access to a row. */
export interface Access {
	/** How long reading and then writing the row take. Each takes effect halfway. */
	readMs: number;
	writeMs: number;
	/** Whether it fails, and whether before or after the row was written. */
	fails?: 'before' | 'after' | undefined;
}

/** One n8n process. Once it is dead, none of its pending statements takes effect; while it is frozen, none goes on. */
export interface Life {
	alive: boolean;
	frozenUntil: number;
}

export const aLife = (): Life => ({ alive: true, frozenUntil: -Infinity });

/** A lease that its holder has left behind. */
export const releasedNever: Row = { mode: 'lease' as never, data: ['lease'] };

type Scope = 'node' | 'workflow';

/**
 * n8n's store as several processes see it: a row for each scope, in memory, with statements that take the time of a
 * fake clock. Hashes are left out.
 */
export class N8nStore {
	/** The contents of the database, as JSON. */
	private readonly rows = new Map<string, string>();

	/** How often a row was read and written, or deleted. */
	accesses = 0;
	/** How often a process changed the node's row while another one was about to: one of them may undo what the other writes. */
	overlaps = 0;
	private readonly changing = new Set<Life>();

	constructor(
		private readonly clock: Clock,
		private readonly nextAccess: () => Access = () => ({ readMs: 1, writeMs: 1 }),
	) {}

	/** The entries of the node's row, oldest first. */
	get marks(): string[] {
		return ((this.row('node')?.data ?? []) as DeduplicationItemTypes[]).map(String);
	}

	/** The row of the workflow's lease; `undefined` if nobody has it. */
	get lease(): Row | undefined {
		return this.row('workflow');
	}

	/** Creates a row as another node of the workflow would. */
	put(scope: Scope, row: Row | undefined): void {
		if (row === undefined) this.rows.delete(scope);
		else this.rows.set(scope, JSON.stringify(row));
	}

	/** The store as one process sees it. */
	store(life = aLife()): KeyStore {
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
	helpers(life = aLife()) {
		return {
			checkProcessedAndRecord: async (
				items: DeduplicationItemTypes[],
				scope: Scope,
				options: ICheckProcessedOptions,
			) => await this.change(scope, life, async (row) => await checkAndRecord(row, items, options, String)),
			removeProcessed: async (
				items: DeduplicationItemTypes[],
				scope: Scope,
				options: ICheckProcessedOptions,
			) => await this.change(scope, life, async (row) => await remove(row, items, options, String)),
			getProcessedDataCount: async (scope: Scope) => {
				const row = await this.statements(scope, life).select();
				return Array.isArray(row?.data) ? row.data.length : 0;
			},
			clearAllProcessedItems: async (scope: Scope) => {
				this.accesses += 1;
				await this.write(this.nextAccess(), life, () => void this.rows.delete(scope));
			},
		};
	}

	private async change<T>(scope: Scope, life: Life, work: (row: Statements) => Promise<T>): Promise<T> {
		const change = async (): Promise<T> => await work(this.statements(scope, life));
		return await (scope === 'node' ? this.watch(life, change) : change());
	}

	/** Does what no other process may do at the same time: otherwise that counts as an overlap. */
	async watch<T>(life: Life, work: () => Promise<T>): Promise<T> {
		if ([...this.changing].some((other) => other !== life && other.alive)) this.overlaps += 1;
		this.changing.add(life);
		return await work().finally(() => this.changing.delete(life));
	}

	/** One access to a row: a read, and then a write. */
	private statements(scope: Scope, life: Life): Statements {
		const access = this.nextAccess();
		return {
			select: async () => await this.read(access, life, scope),
			insert: async (row) =>
				await this.write(access, life, () => {
					if (this.rows.has(scope)) throw violatedKey(this.accesses);
					this.put(scope, row);
				}),
			update: async (row) =>
				await this.write(access, life, () => {
					if (this.rows.has(scope)) this.put(scope, row);
				}),
		};
	}

	private row(scope: Scope): Row | undefined {
		const text = this.rows.get(scope);
		return text === undefined ? undefined : (JSON.parse(text) as Row);
	}

	private async read({ readMs, fails }: Access, life: Life, scope: Scope): Promise<Row | undefined> {
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

	private async pass(ms: number, life: Life): Promise<void> {
		await this.clock.sleep(ms);
		await goOn(this.clock, life);
	}
}

/** Waits while a process is frozen; never ends if it has died. */
export async function goOn(clock: Clock, life: Life): Promise<void> {
	while (life.frozenUntil > clock.now()) await clock.sleep(life.frozenUntil - clock.now());
	if (!life.alive) await new Promise(() => {});
}

/** The error messages of PostgreSQL and SQLite, in turn. */
function violatedKey(turn: number): Error {
	return turn % 2 === 0
		? Object.assign(new Error('duplicate key value violates unique constraint'), { code: '23505' })
		: Object.assign(new Error('SQLITE_CONSTRAINT: UNIQUE constraint failed: processed_data.context'), {
				code: 'SQLITE_CONSTRAINT',
			});
}
