import type { INodeProperties, NodePropertyTypes } from 'n8n-workflow';

/** A list of parameter descriptions, written `as const` so that names and types can be inferred. */
export type Properties = readonly INodeProperties[];

/** The names of the parameters in `P` that have one of the types `T`. */
export type NameOf<P extends Properties, T extends NodePropertyTypes = NodePropertyTypes> = Extract<
	P[number],
	{ type: T }
>['name'];

type Named<P extends Properties, N extends string> = Extract<P[number], { name: N }>;

/** The values that the `options` parameter `N` offers. */
export type ChoiceOf<P extends Properties, N extends string> =
	Named<P, N> extends { options: ReadonlyArray<{ value: infer V }> } ? V : never;

/** The parameters inside the `collection` parameter `N`. */
export type MembersOf<P extends Properties, N extends string> = Extract<
	Named<P, N>,
	{ options: Properties }
>['options'];

/** The parameters inside the one group of the `fixedCollection` parameter `N`. */
export type GroupOf<P extends Properties, N extends string> = Extract<
	Named<P, N>,
	{ options: ReadonlyArray<{ name: string; values: Properties }> }
>['options'][number]['values'];

/** A field, or a member at any depth of a collection. */
export interface Known {
	readonly field: INodeProperties;
	/** Where it is in the saved node: `options.onceKey`. Rows stand in a list: `toRows.values[].name`. */
	readonly path: string;
}

/** Fields and the members of their collections. */
export function knownIn(fields: Properties, before = ''): Known[] {
	return fields.flatMap((field) => {
		const path = `${before}${field.name}`;
		const { group, members } = membersIn(field);
		return [{ field, path }, ...knownIn(members, `${[path, ...group].join('.')}.`)];
	});
}

/** The members of a collection, and the group that they are in, `[]` behind its name if it has rows. Other fields have none. */
export function membersIn({ options = [], type, typeOptions }: INodeProperties): {
	readonly members: Properties;
	readonly group: readonly string[];
} {
	if (type === 'collection') {
		return { group: [], members: options.flatMap((each) => ('type' in each ? [each] : [])) };
	}
	const [only] = type === 'fixedCollection' ? options : [];
	if (only === undefined || !('values' in only)) return { group: [], members: [] };
	return { group: [`${only.name}${typeOptions?.multipleValues === true ? '[]' : ''}`], members: only.values };
}

/** A path as the JSON of a workflow has it: `"options": { "onceKey": ... }`, or `"options": { ... }` for `options.`. */
export function placeOf(path: string): string {
	return path.split('.').reduceRight((inside, name) => {
		if (name === '') return '...';
		const member = inside === '' ? '...' : name.endsWith('[]') ? `[{ ${inside} }]` : `{ ${inside} }`;
		return `"${name.replace('[]', '')}": ${member}`;
	}, '');
}
