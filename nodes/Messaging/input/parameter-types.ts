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

/** A `collection` parameter of `P` that is named `N`. */
export type CollectionOf<P extends Properties, N extends string> = Extract<
	Named<P, N>,
	{ options: Properties }
>;

/** The parameters inside the `collection` parameter `N`. */
export type MembersOf<P extends Properties, N extends string> = CollectionOf<P, N>['options'];

/** A `fixedCollection` parameter of `P` that is named `N` and has one group. */
export type FixedOf<P extends Properties, N extends string> = Extract<
	Named<P, N>,
	{ type: 'fixedCollection'; options: ReadonlyArray<{ name: string; values: Properties }> }
>;

/** The parameters inside the one group of the `fixedCollection` parameter `N`. */
export type GroupOf<P extends Properties, N extends string> = FixedOf<P, N>['options'][number]['values'];
