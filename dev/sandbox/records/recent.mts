/** The few records that changed last, at a cost that does not depend on the number of records. */
export class Recent<T> {
	readonly #kept: number;
	readonly #records = new Set<T>();

	/** @param kept how many records are remembered */
	constructor(kept: number) {
		this.#kept = kept;
	}

	/** Notes that a record is new or has changed. */
	note(record: T): void {
		this.#records.delete(record);
		this.#records.add(record);
		if (this.#records.size <= this.#kept) return;
		for (const oldest of this.#records) {
			this.#records.delete(oldest);
			return;
		}
	}

	/** Forgets a record that is gone. */
	forget(record: T): void {
		this.#records.delete(record);
	}

	/** Forgets all records. */
	clear(): void {
		this.#records.clear();
	}

	/** The records, the latest change first. */
	latestFirst(): T[] {
		return [...this.#records].reverse();
	}
}
