/** A parsed media type or media range; names are in lower case. */
export interface MediaType {
	type: string;
	subtype: string;
	parameters: Map<string, string>;
	quality: number;
}

/** Parses a media type, e.g. `application/json; v=1.0`. Null when it is invalid. */
export function parseMediaType(text: string): MediaType | null {
	const [name = '', ...rest] = text.split(';').map((part) => part.trim());
	const [type, subtype, extra] = name.toLowerCase().split('/');
	if (!type || !subtype || extra !== undefined) return null;
	const parameters = new Map<string, string>();
	let quality = 1;
	for (const part of rest) {
		if (part === '') continue;
		const equals = part.indexOf('=');
		if (equals < 1) return null;
		const key = part.slice(0, equals).trim().toLowerCase();
		const value = part
			.slice(equals + 1)
			.trim()
			.replace(/^"(.*)"$/, '$1');
		if (key === 'q') quality = Number(value);
		else parameters.set(key, value);
	}
	return { type, subtype, parameters, quality };
}

/** Whether a request's content type is the declared one; `application/*+json` stands for any such suffix. */
export function isOfType(given: MediaType, declared: MediaType): boolean {
	if (given.type !== declared.type) return false;
	const subtypeFits = declared.subtype.startsWith('*+')
		? given.subtype.endsWith(declared.subtype.slice(1))
		: given.subtype === declared.subtype;
	return subtypeFits && hasParametersOf(given, declared);
}

/**
 * The offered media type that an `Accept` header prefers, or null when it accepts none of them.
 * A range without parameters accepts every version, as in HTTP; one that names a version accepts only that.
 */
export function negotiate(accept: string | undefined, offered: readonly string[]): string | null {
	if (accept === undefined || accept.trim() === '') return offered[0] ?? null;
	const ranges = accept
		.split(',')
		.map(parseMediaType)
		.filter((range) => range !== null)
		.filter((range) => range.quality > 0)
		.sort((a, b) => b.quality - a.quality);
	for (const range of ranges) {
		const match = offered.find((offer) => {
			const type = parseMediaType(offer);
			return type !== null && takes(range, type);
		});
		if (match !== undefined) return match;
	}
	return null;
}

function takes(range: MediaType, offer: MediaType): boolean {
	if (range.type !== '*' && range.type !== offer.type) return false;
	if (range.subtype !== '*' && range.subtype !== offer.subtype) return false;
	return hasParametersOf(offer, range);
}

/** Whether `holder` has each parameter of `wanted`, apart from the character set. */
function hasParametersOf(holder: MediaType, wanted: MediaType): boolean {
	for (const [name, value] of wanted.parameters) {
		if (name !== 'charset' && holder.parameters.get(name) !== value) return false;
	}
	return true;
}
