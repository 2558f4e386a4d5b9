/** The object without its fields that are undefined; what may be undefined in it may be missing from the result. */
export function defined<T extends object>(fields: T): Defined<T> {
	return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
	[K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};
