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

/** Parameters and those in their collections, each with its path in the saved node: `options.onceKey`. */
export function withMembers(fields: Properties): Array<{ field: INodeProperties; path: string }> {
	return fields.flatMap((field) => {
		const options = field.type === 'collection' ? (field.options ?? []) : [];
		const members = options.flatMap((option) => ('type' in option ? [option] : []));
		return [
			{ field, path: field.name },
			...members.map((member) => ({ field: member, path: `${field.name}.${member.name}` })),
		];
	});
}
