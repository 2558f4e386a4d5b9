import { schemaNamed, type Schema } from './interface.ts';

/** How deep a record may lie in itself: a channel has an account, which has an organization. */
const MAX_DEPTH = 4;

/** A record with a value in every field that the interface describes, at every depth. */
export function fullRecord(name: string): Record<string, unknown> {
	return valueOf(schemaNamed(name), 0) as Record<string, unknown>;
}

function valueOf(schema: Schema, depth: number): unknown {
	const [first] = schema.anyOf ?? [];
	if (schema.$ref !== undefined) return valueOf(schemaNamed(schema.$ref), depth);
	if (first !== undefined) return valueOf(first, depth);
	const types = [schema.type ?? []].flat();
	if (types.includes('array')) return depth >= MAX_DEPTH ? [] : [valueOf(schema.items ?? {}, depth + 1)];
	if (types.includes('boolean')) return true;
	if (types.includes('integer')) return 7;
	if (types.includes('string')) return 'text';
	if (depth >= MAX_DEPTH) return {};
	const members = Object.entries(schema.properties ?? {});
	return Object.fromEntries(members.map(([member, of]) => [member, valueOf(of, depth + 1)]));
}

/** What must stay where it is: a key's token, by whatever name, and the command line that holds another one. */
const SECRETS = ['apiKey', 'token', 'curlCommand'];

/**
 * The same record with a secret in every object that the interface describes, by each of the names that secrets have.
 * Objects of the user's own, such as the parameters of a channel, are as they were.
 */
export function withSecrets(record: unknown, secret: string): unknown {
	if (Array.isArray(record)) return record.map((member) => withSecrets(member, secret));
	if (typeof record !== 'object' || record === null || Object.keys(record).length === 0) return record;
	const members = Object.entries(record).map(([name, member]) => [name, withSecrets(member, secret)]);
	const planted = SECRETS.map((name) => [name, secret]);
	return Object.fromEntries([...members, ...planted]);
}
