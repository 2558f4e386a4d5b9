export type JsonObject = Record<string, unknown>;

/** Whether the value is an object with named fields (no list, no date, no other class). */
export function isPlainObject(value: unknown): value is JsonObject {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
	const prototype: unknown = Object.getPrototypeOf(value);
	// Objects from expressions come from another realm and have another Object.prototype, which has no prototype itself.
	return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/**
 * The value at a path such as `channelType.name`; `undefined` if a part of it is missing.
 *
 * @param path with dots, or already split
 */
export function valueAt(record: unknown, path: string | readonly string[]): unknown {
	let value = record;
	for (const key of typeof path === 'string' ? path.split('.') : path) {
		value = isPlainObject(value) ? value[key] : undefined;
	}
	return value;
}

/** Text at a path, without spaces around it; '' when there is none. */
export function textAt(record: unknown, path: string): string {
	const value = valueAt(record, path);
	return typeof value === 'string' ? value.trim() : '';
}

/** Whether there is nothing: no value, or text of spaces only. */
export function isEmpty(value: unknown): boolean {
	return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

/** An object of type `T` whose optional fields may also be present and undefined. */
type Loose<T> = { [K in keyof T]: object extends Pick<T, K> ? T[K] | undefined : T[K] };

/**
 * The object without its undefined fields. Fields that `T` requires must be present. `T` has to be given: one that the
 * compiler infers would let any field pass.
 */
export function defined<T extends object = never>(fields: Loose<NoInfer<T>>): NoInfer<T> {
	return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

/** The object without the named fields. */
export function without<T extends object, Name extends keyof T>(fields: T, ...names: Name[]): Omit<T, Name> {
	const omitted = new Set<string>(names.map(String));
	return Object.fromEntries(Object.entries(fields).filter(([name]) => !omitted.has(name))) as Omit<T, Name>;
}

/** A value inside JSON. */
interface Place {
	readonly value: unknown;
	/** In a list, the index. */
	readonly name?: string;
	/** What it stands in; `undefined` for the whole. */
	readonly parent?: Place;
}

/** A JSON value and everything inside it, in order. It does not recurse, because JSON may be nested very deeply. */
export function* placesIn(whole: unknown): Generator<Place> {
	const open: Place[] = [{ value: whole }];
	for (let place = open.pop(); place !== undefined; place = open.pop()) {
		yield place;
		const { value } = place;
		if (typeof value !== 'object' || value === null) continue;
		for (const name of Object.keys(value).reverse()) {
			open.push({ value: (value as JsonObject)[name], name, parent: place });
		}
	}
}

/** All texts in a JSON value, or the text that it is, in order. */
export function stringsIn(whole: unknown): string[] {
	const texts: string[] = [];
	for (const { value } of placesIn(whole)) if (typeof value === 'string') texts.push(value);
	return texts;
}

/** The names on the path to a place. */
export function pathTo(place: Place): string[] {
	const names: string[] = [];
	for (let at: Place | undefined = place; at?.name !== undefined; at = at.parent) names.push(at.name);
	return names.reverse();
}

/** JSON for the wire, without the half of an emoji that a cut leaves: strict services refuse the whole call for it. */
export function wireJson(body: object): string {
	const json = JSON.stringify(body);
	// JSON escapes what is left alone of an emoji.
	if (!/\\ud[89a-f]/i.test(json)) return json;
	return JSON.stringify(body, (_name, value: unknown) =>
		typeof value === 'string' ? value.replace(/\p{Surrogate}/gu, '') : value,
	);
}
