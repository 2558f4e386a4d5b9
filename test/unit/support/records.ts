/** Fields that must not leak: a key's token, under any name, and the command line that contains one. */
const SECRETS = ['apiKey', 'token', 'curlCommand'];

/**
 * The same record with a secret in every object that the API describes, under each name that secrets have. The user's
 * own objects, such as a channel's parameters, stay unchanged.
 */
export function withSecrets(record: unknown, secret: string): unknown {
	if (Array.isArray(record)) return record.map((member) => withSecrets(member, secret));
	if (typeof record !== 'object' || record === null || Object.keys(record).length === 0) return record;
	const members = Object.entries(record).map(([name, member]) => [name, withSecrets(member, secret)]);
	const planted = SECRETS.map((name) => [name, secret]);
	return Object.fromEntries([...members, ...planted]);
}
