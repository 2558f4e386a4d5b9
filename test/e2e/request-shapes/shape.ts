import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { World } from '../../../harness/world.ts';

/** One kind of request that the node makes: what is set in the editor, what goes out, what comes back. */
export interface RequestShape {
	readonly title: string;
	/** The operation in api/openapi.yaml. */
	readonly operationId: string;
	prepare(world: World): Expectation | Promise<Expectation>;
}

/** A request shape with the sandbox's ids filled in. */
export interface Expectation {
	readonly parameters: INodeParameters;
	/** The input items; one empty item by default. */
	readonly items?: readonly IDataObject[];
	/** The requests that the sandbox must receive, in any order. */
	readonly requests: ReadonlyArray<{ method: string; path: string; query?: object; body: unknown }>;
	/** What must stand in the json of the output items (they may hold more), and what they are paired with. */
	readonly output: ReadonlyArray<{ json: object; pairedItem: unknown }>;
}

/** Any UUID. */
export const uuid: unknown = expect.stringMatching(
	/^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
);

/** Paired with the first input item. */
export const first = { item: 0 };

/** Ends a test whose sandbox lacks what it needs. */
export function missing(what: string): never {
	throw new Error(`The sandbox has no ${what}`);
}
