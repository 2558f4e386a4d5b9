/** Values that JSON does not have, given to the nodes of a test as objects that stand for them. */

/** The name of the only member of an object that stands for a value which JSON does not have. */
export const oddName = 'odd value';

/** Values that JSON does not have, but a node can give its items. */
export const oddValues = {
	date: () => new Date(1_700_000_000_000),
	undefined: () => undefined,
	'not a number': () => NaN,
	infinity: () => Infinity,
	'minus zero': () => -0,
	function: () => () => 'called',
	'without a prototype': () => Object.assign(Object.create(null), { a: 'own' }) as object,
	inherited: () => Object.create({ a: 'inherited', '0': 'inherited' }) as object,
	instance: () =>
		new (class Instance {
			a = 'of an instance';
			get b() {
				return 'of its class';
			}
		})(),
	getter: () => Object.defineProperty({}, 'a', { get: () => 'got', enumerable: true }),
	hidden: () => Object.defineProperty({}, 'a', { value: 'not enumerable' }),
	'with toJSON': () => ({ a: 'own', toJSON: () => ({ a: 'for JSON' }) }),
	list: () => Object.assign(['x', , 'z'], { a: 'of a list' }),
	text: () => Object('an object of text') as object,
	map: () => new Map([['a', 'of a map']]),
	bytes: () => new Uint8Array([1, 2]),
	proxy: () => new Proxy({ a: 'hidden' }, { get: () => 'through a proxy' }),
	frozen: () => Object.freeze({ a: 'frozen' }),
} satisfies Record<string, () => unknown>;

/** A value with the odd values in it made anew. */
export function made(value: unknown): unknown {
	if (typeof value !== 'object' || value === null) return value;
	if (oddName in value) return oddValues[value[oddName] as keyof typeof oddValues]();
	for (const [name, member] of Object.entries(value)) {
		Object.defineProperty(value, name, {
			value: made(member),
			enumerable: true,
			writable: true,
			configurable: true,
		});
	}
	return value;
}
