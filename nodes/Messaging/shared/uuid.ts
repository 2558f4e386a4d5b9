import { hash } from 'node:crypto';

/** A UUID for examples. */
export const UUID_EXAMPLE = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

/** Matches a UUID of any version, with spaces around it allowed. */
const UUID = /^\s*[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\s*$/i;

/** Whether a value is the text of a UUID. */
export function isUuid(value: unknown): value is string {
	return typeof value === 'string' && UUID.test(value);
}

/**
 * A name-based UUID (version 5, RFC 9562): the same for the same namespace and name, anywhere.
 *
 * @param namespace a UUID
 */
export function nameUuid(namespace: string, name: string): string {
	const bytes = [Buffer.from(namespace.replaceAll('-', ''), 'hex'), Buffer.from(name)];
	const hex = hash('sha1', Buffer.concat(bytes), 'hex');
	const variant = ((parseInt(hex.charAt(16), 16) & 0b11) | 0b1000).toString(16);
	return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
