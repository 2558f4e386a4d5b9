import { createHash } from 'node:crypto';

/**
 * A name-based UUID (version 5, RFC 9562): the same for the same namespace and name, anywhere.
 *
 * @param namespace a UUID
 */
export function nameUuid(namespace: string, name: string): string {
	const bytes = createHash('sha1')
		.update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
		.update(name)
		.digest()
		.subarray(0, 16);
	bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
	bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
	return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
