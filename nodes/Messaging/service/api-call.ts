import type { components, paths } from '../../../api/schema';
import { defined } from '../shared/json';

/** The interface's schemas, generated from `api/openapi.yaml`. */
export type Schemas = components['schemas'];

/** One request to the service, complete except for the base URL and the key. */
export interface ApiCall {
	method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
	/** Path below the base URL, ids encoded. */
	path: string;
	/** Query parameters in the order given; names may repeat. */
	query?: ReadonlyArray<readonly [name: string, value: string]>;
	/** JSON body; absent if the operation has none. */
	body?: object;
	/** Of an endpoint that the interface may not show: whether a list in its answer is what it is about. */
	lists?: boolean;
}

/** The two lists in which the node looks things up. */
export const LIST_OF = {
	account: { method: 'GET', path: '/api/v1/Admin/Account' },
	channel: { method: 'GET', path: '/api/v1/Admin/Channel' },
} as const satisfies Record<string, ApiCall>;

/** What calls do: send a message, change something else, or only read. */
export type Effect = 'sends' | 'changes' | 'reads';

/** The same of what has been done, as a participle. */
export const DONE = { sends: 'sent', changes: 'done', reads: 'done' } as const satisfies Record<
	Effect,
	string
>;

/** Whether a call changes nothing, even if it is repeated. */
export function readsOnly({ method }: ApiCall): boolean {
	return method === 'GET';
}

type Path = keyof paths;
type MethodOf<P extends Path> = Extract<
	{ [M in keyof paths[P]]-?: [Exclude<paths[P][M], undefined>] extends [never] ? never : M }[keyof paths[P]],
	Lowercase<ApiCall['method']>
>;
type IdNames<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
	? Name | IdNames<Rest>
	: never;
type BodyOf<P extends Path, M extends keyof paths[P]> = paths[P][M] extends {
	requestBody: { content: { 'application/json; v=1.0': infer Body } };
}
	? { body: Body }
	: { body?: never };
type IdsOf<P extends string> = [IdNames<P>] extends [never]
	? { ids?: never }
	: { ids: Record<IdNames<P>, string> };
type Parts<P extends Path, M extends keyof paths[P]> = BodyOf<P, M> &
	IdsOf<P> & { query?: NonNullable<ApiCall['query']> };

/** Builds the call of one endpoint. The compiler checks method, path, ids and body against the interface. */
export function apiCall<P extends Path, M extends MethodOf<P>>(
	method: M,
	path: P,
	parts: Parts<P, M>,
): ApiCall {
	const ids: Partial<Record<string, string>> = parts.ids ?? {};
	const body: object | undefined = parts.body ?? undefined;
	return defined<ApiCall>({
		method: method.toUpperCase() as ApiCall['method'],
		path: path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? '')),
		query: parts.query,
		body,
	});
}
