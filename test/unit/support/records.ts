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
