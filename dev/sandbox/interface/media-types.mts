import { MIMEType } from 'node:util';

/** Parses a media type, e.g. `application/json; v=1.0`. Undefined when it is invalid. */
function parse(text: string): MIMEType | undefined {
	try {
		return new MIMEType(text.trim());
	} catch {
		return undefined;
	}
}

/** Whether `holder` has each parameter of `wanted`, apart from the character set and the quality. */
function hasParametersOf(holder: MIMEType, wanted: MIMEType): boolean {
	return [...wanted.params].every(
		([name, value]) => name === 'charset' || name === 'q' || holder.params.get(name) === value,
	);
}

/** Whether a request's content type is the declared one; `application/*+json` stands for any such suffix. */
export function isOfType(given: string, declared: string): boolean {
	const [one, other] = [parse(given), parse(declared)];
	if (one === undefined || other === undefined || one.type !== other.type) return false;
	const subtypeFits = other.subtype.startsWith('*+')
		? one.subtype.endsWith(other.subtype.slice(1))
		: one.subtype === other.subtype;
	return subtypeFits && hasParametersOf(one, other);
}

/**
 * The offered media type that an `Accept` header prefers, or undefined when it accepts none of them.
 * A range without parameters accepts every version, as in HTTP; one that names a version accepts only that.
 */
export function negotiate(accept: string | undefined, offered: readonly string[]): string | undefined {
	if (accept === undefined || accept.trim() === '') return offered[0];
	const quality = ({ params }: MIMEType): number => Number(params.get('q') ?? 1);
	return accept
		.split(',')
		.flatMap((range) => parse(range) ?? [])
		.filter((range) => quality(range) > 0)
		.sort((one, other) => quality(other) - quality(one))
		.map((range) => offered.find((offer) => takes(range, parse(offer))))
		.find((offer) => offer !== undefined);
}

function takes(range: MIMEType, offer: MIMEType | undefined): boolean {
	const fits = (part: 'type' | 'subtype'): boolean => range[part] === '*' || range[part] === offer?.[part];
	return offer !== undefined && fits('type') && fits('subtype') && hasParametersOf(offer, range);
}
