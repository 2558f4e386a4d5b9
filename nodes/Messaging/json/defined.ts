/** An object of type `T` whose optional fields may also be there and undefined. */
type Loose<T> = { [K in keyof T]: object extends Pick<T, K> ? T[K] | undefined : T[K] };

/** The object without its fields that are undefined. What `T` requires has to be there. */
export function defined<T extends object>(fields: Loose<NoInfer<T>>): T {
	return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
