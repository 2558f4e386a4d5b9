import { type Properties, withMembers } from './parameter-types';

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
	const parts = path.split('.').filter((part) => part !== '');
	// A service may name a field like a member that all objects have.
	const sourceOf = (name: string): string | undefined =>
		Object.hasOwn(sources, name) ? sources[name] : undefined;
	const whole = sourceOf('');
	if (whole !== undefined) return labelled(properties, whole, [parts.join('.')]) ?? path;
	for (let length = parts.length; length > 0; length--) {
		const source = sourceOf(withoutPositions(parts.slice(0, length)));
		const name = source && labelled(properties, source, parts.slice(length));
		if (name !== undefined && name !== '') return name;
	}
	for (let length = 1; length <= parts.length; length++) {
		const name = labelled(properties, parts[length - 1] ?? '', parts.slice(length));
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

function labelled(properties: Properties, parameter: string, inside: readonly string[]): string | undefined {
	// Options are not part of the request.
	const all = withMembers(properties.filter(({ name }) => name !== 'options'));
	const found = all.find(({ field }) => field.name.toLowerCase() === parameter.toLowerCase());
	return found && [found.field.displayName, ...inside.filter((part) => part !== '')].join(' > ');
}
