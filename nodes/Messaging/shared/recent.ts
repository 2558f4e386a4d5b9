/** A map that keeps only what was used lately. */
export class Recent<Value> {
	private readonly values = new Map<string, Value>();

	constructor(
		private readonly most: number,
		private readonly make: (key: string) => Value,
	) {}

	/** The value for a key; `undefined` if it was never used, or too many others have been used since. */
	peek(key: string): Value | undefined {
		return this.values.get(key);
	}

	/** All values that are kept. */
	all(): Iterable<Value> {
		return this.values.values();
	}

	/** Uses the value for a key, made if there is none. The one that was used least recently may be dropped. */
	use(key: string): Value {
		const value = this.values.get(key) ?? this.make(key);
		this.values.delete(key);
		this.values.set(key, value);
		const [oldest = key] = this.values.keys();
		if (this.values.size > this.most) this.values.delete(oldest);
		return value;
	}
}
