import type { KeyStore } from '../../../../../nodes/Messaging/delivery/memory/once/key-store.ts';
import type { Clock } from '../../../../../nodes/Messaging/time/clock.ts';

/** How one access to the row goes. */
export interface Access {
	/** How long it takes until the row is read, and from there until it is written. */
	readMs: number;
	writeMs: number;
	/** Whether it fails, and whether that is after the row was written. */
	fails?: 'before' | 'after';
}

/**
 * n8n's store for one node as several processes see it: each reads the row, changes it and writes it back, without a
 * lock. Written after what n8n's `DeduplicationHelper` was seen to do.
 */
export class SharedRow {
	/** Oldest first. */
	get marks(): string[] {
		return [...this.row];
	}

	private row: ReadonlySet<string> = new Set();

	/** How often it was read and written. */
	accesses = 0;

	/** The most marks that were noted by one access. */
	largest = 0;

	constructor(
		private readonly clock: Clock,
		private readonly nextAccess: () => Access = () => ({ readMs: 1, writeMs: 1 }),
	) {}

	/** The store as one process has it. */
	store(): KeyStore {
		return {
			place: 'workflow node',
			record: async (marks, most) => {
				this.largest = Math.max(this.largest, marks.length);
				const stood = new Set<string>();
				await this.change((row, before) => {
					for (const mark of marks) {
						if (before.has(mark)) stood.add(mark);
						else row.add(mark);
					}
					for (const oldest of row) {
						if (row.size <= most) break;
						row.delete(oldest);
					}
				});
				return stood;
			},
			remove: async (marks) => {
				await this.change((row) => {
					for (const mark of marks) row.delete(mark);
				});
			},
		};
	}

	private async change(edit: (row: Set<string>, before: ReadonlySet<string>) => void): Promise<void> {
		const { readMs, writeMs, fails } = this.nextAccess();
		this.accesses += 1;
		await this.clock.sleep(readMs);
		if (fails === 'before') throw new Error('The database is not there');
		const before = this.row;
		const row = new Set(before);
		edit(row, before);
		await this.clock.sleep(writeMs);
		this.row = row;
		if (fails === 'after') throw new Error('The connection to the database broke');
	}
}
