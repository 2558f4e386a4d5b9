import { type Properties, knownIn } from './parameter-types';

/**
 * The parameters of those request fields whose parameter has another name. The keys are paths in lower case, such as
 * `content.to.email`; '' is the whole body.
 */
export type Sources = Readonly<Record<string, string>>;

/**
 * The editor's name for a field of a request: the label of its parameter, and the path inside that parameter. A field
 * without a parameter keeps the service's name.
 *
 * @param path as the service writes it, with dots; case does not matter
 */
export function editorName(properties: Properties, path: string, sources: Sources = {}): string {
	const parameters = new Map(Object.entries(sources));
	const parts = path.split('.').filter((part) => part !== '');
	const whole = parameters.get('');
	if (whole !== undefined) return labelled(properties, whole, [parts.join('.')]) ?? path;
	// The longest part of the path whose parameter has another name.
	for (let length = parts.length; length > 0; length--) {
		const parameter = parameters.get(withoutPositions(parts.slice(0, length)));
		const name = parameter === undefined ? undefined : labelled(properties, parameter, parts.slice(length));
		if (name !== undefined) return name;
	}
	// Otherwise, the first name in the path that is also the name of a parameter.
	for (const [index, part] of parts.entries()) {
		const name = labelled(properties, part, parts.slice(index + 1));
		if (name !== undefined) return name;
	}
	return path;
}

/** A path without list indexes, in lower case. */
function withoutPositions(parts: readonly string[]): string {
	return parts
		.filter((part) => !/^\d+$/.test(part))
		.join('.')
		.toLowerCase();
}

/** The label of a parameter and of what is inside it; `undefined` if no parameter has this name, in any case of letters. */
function labelled(properties: Properties, parameter: string, inside: readonly string[]): string | undefined {
	// Options are not part of the request.
	const all = knownIn(properties.filter(({ name }) => name !== 'options'));
	const found = all.find(({ field }) => field.name.toLowerCase() === parameter.toLowerCase());
	return found && [found.field.displayName, ...inside.filter((part) => part !== '')].join(' > ');
}
