const PREFIX = /^(org_|acc_)?/;

/** An API key as it may be shown: its prefix and its last four characters. */
export function maskToken(token: string): string {
	const prefix = PREFIX.exec(token)?.[0] ?? '';
	const rest = token.slice(prefix.length);
	// What is masked already stays as it is: the key in use is masked before the others.
	if (/^….{0,4}$/.test(rest)) return token;
	return `${prefix}…${rest.length > 8 ? rest.slice(-4) : ''}`;
}

/** The text with every occurrence of the secret masked, also where JSON had to escape it. */
export function redact(text: string, secret: string): string {
	if (secret === '') return text;
	const escaped = JSON.stringify(secret).slice(1, -1);
	const masked = maskToken(secret);
	return text.split(secret).join(masked).split(escaped).join(masked);
}

/** A copy of a response in which the tokens of API keys are masked, at any depth. */
export function maskTokens(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(maskTokens);
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, member]) => [
			name,
			name === 'apiKey' && typeof member === 'string' ? maskToken(member) : maskTokens(member),
		]),
	);
}
