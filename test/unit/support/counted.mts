/** Counts reads, and stops the test rather than running forever. */
export class Counted {
	reads = 0;

	constructor(private readonly most: number) {}

	/** The same value, with reads of its members counted at any depth. */
	watch<T>(value: T): T {
		if (typeof value !== 'object' || value === null) return value;
		const tick = (): void => {
			this.reads += 1;
			if (this.reads > this.most) throw new Error(`More than ${this.most} reads`);
		};
		const members = new Map<PropertyKey, unknown>();
		return new Proxy<T & object>(value, {
			get: (target, name, receiver) => {
				tick();
				const member: unknown = Reflect.get(target, name, receiver);
				if (typeof member !== 'object') return member;
				if (!members.has(name)) members.set(name, this.watch(member));
				return members.get(name);
			},
			getOwnPropertyDescriptor: (target, name) => {
				tick();
				return Reflect.getOwnPropertyDescriptor(target, name);
			},
		});
	}
}
