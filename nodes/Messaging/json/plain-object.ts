/** A plain JSON object. */
export type JsonObject = Record<string, unknown>;

/** Whether the value is an object with named fields (no list, no date, no other class). */
export function isPlainObject(value: unknown): value is JsonObject {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
	const prototype: unknown = Object.getPrototypeOf(value);
	// Expressions are evaluated in another realm: its Object.prototype is not ours, but nothing stands above it.
	return prototype === null || Object.getPrototypeOf(prototype) === null;
}
