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
	/** Names of fields in its body that the user has entered as JSON, and the interface does not show. */
	others?: readonly string[];
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
type Method = Lowercase<ApiCall['method']>;
/** The generated types name every method of a path, also those that the interface does not have. */
type MethodOf<P extends Path> = { [M in Method]: paths[P][M] extends undefined ? never : M }[Method];
type BodyOf<P extends Path, M extends Method> = paths[P][M] extends {
	requestBody: { content: { 'application/json; v=1.0': infer Body extends object } };
}
	? { body: Body }
	: { body?: never };

/**
 * Builds the call of one endpoint. The compiler checks method, path and body against the interface.
 *
 * @param parts `ids`: what to put in the braces of the path
 */
export function apiCall<P extends Path, M extends MethodOf<P>>(
	method: M,
	path: P,
	parts: BodyOf<P, M> & { ids?: Record<string, string>; query?: NonNullable<ApiCall['query']> },
): ApiCall {
	const { ids = {}, query, body } = parts;
	return defined<ApiCall>({
		method: method.toUpperCase() as ApiCall['method'],
		path: path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? '')),
		query,
		body,
	});
}
