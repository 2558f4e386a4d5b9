/** A media type to compare: in lower case, without spaces and without a character set. */
function plain(type: string): string {
	return type.toLowerCase().replace(/\s|;\s*charset=[^;]*/g, '');
}

/** Whether a request's content type is the declared one; `application/*+json` stands for any such suffix. */
export function isOfType(given: string, declared: string): boolean {
	const [start = '', end] = plain(declared).split('*');
	return end === undefined
		? plain(given) === start
		: plain(given).startsWith(start) && plain(given).endsWith(end);
}

/**
 * The first offered media type that an `Accept` header names, with or without its version. Any will do if there is no
 * header, or a range for all.
 */
export function negotiate(accept: string | undefined, offered: readonly string[]): string | undefined {
	const ranges = plain(accept ?? '*/*').split(',');
	return offered.find((offer) => {
		const [type = ''] = plain(offer).split(';');
		return [plain(offer), type, '*/*'].some((range) => ranges.includes(range));
	});
}
