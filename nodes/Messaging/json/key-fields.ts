/** The fields that hold an API key, by their plain names. */
export const KEY_NAMES: ReadonlySet<string> = new Set(['apikey', 'xapikey']);

/** Fields that hold the token in an object that is itself called a key. */
const INSIDE_KEY: ReadonlySet<string> = new Set([
	'full',
	'key',
	'plain',
	'plaintext',
	'raw',
	'secret',
	'value',
]);

/** A name without case, hyphens and underscores. */
export function plainName(name: string): string {
	return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/**
 * Whether a field holds a token.
 *
 * @param name its plain name; in a list that of the list
 * @param above the plain name of the field that the object around it stands in
 * @param names the fields that do
 */
export function holdsToken(name: string, above: string, names = KEY_NAMES): boolean {
	return names.has(name) || (INSIDE_KEY.has(name) && names.has(above));
}
