/** The interface as data: what `api/openapi.yaml` says, for the build and the tests. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** The parts of a schema that the project looks at. */
export interface Schema {
	$ref?: string;
	type?: string | string[];
	format?: string;
	properties?: Record<string, Schema>;
	additionalProperties?: boolean | Schema;
	items?: Schema;
	anyOf?: Schema[];
	'x-gap'?: string;
}

/** One endpoint. */
export interface Endpoint {
	/** `<resource>.<operation>`. */
	id: string;
	method: string;
	/** The path with its ids in braces. */
	template: string;
	/** Whether it takes query parameters. */
	takesQuery: boolean;
	/** The schema of its JSON body, `undefined` for an endpoint without one. */
	body: Schema | undefined;
	/** The schema of what it answers to a success. */
	answer: Schema;
	/** What the interface leaves open about it. */
	gaps: readonly string[];
}

interface WithContent {
	content: Record<string, { schema: Schema }>;
}

interface Described {
	operationId: string;
	parameters?: Array<{ $ref: string }>;
	requestBody?: { $ref: string };
	responses: Record<string, { $ref: string }>;
	'x-gaps'?: string[];
}

interface Document {
	paths: Record<string, Record<string, Described>>;
	components: {
		parameters: Record<string, { name: string; in: string; schema: Schema }>;
		requestBodies: Record<string, WithContent>;
		responses: Record<string, WithContent>;
		schemas: Record<string, Schema>;
	};
}

const JSON_TYPE = 'application/json; v=1.0';

const document = parse(readFileSync(join(process.cwd(), 'api', 'openapi.yaml'), 'utf8')) as Document;
const { parameters, requestBodies, responses } = document.components;

/** All schemas of the interface, by their names. */
export const { schemas } = document.components;

/** The endpoints of the interface. */
export const endpoints: readonly Endpoint[] = Object.entries(document.paths).flatMap(([template, methods]) =>
	Object.entries(methods).map(([method, described]) => ({
		id: described.operationId,
		method: method.toUpperCase(),
		template,
		takesQuery: (described.parameters ?? []).some(({ $ref }) => found(parameters, $ref).in === 'query'),
		body:
			described.requestBody && found(requestBodies, described.requestBody.$ref).content[JSON_TYPE]?.schema,
		answer: answerOf(described),
		gaps: described['x-gaps'] ?? [],
	})),
);

/**
 * The endpoint of an operation.
 *
 * @param id `<resource>.<operation>`
 * @throws when the interface has none
 */
export function endpointOf(id: string): Endpoint {
	const endpoint = endpoints.find((candidate) => candidate.id === id);
	if (endpoint === undefined) throw new Error(`The interface has no ${id}`);
	return endpoint;
}

/** A schema of the interface, by its name or by a reference to it. */
export function schemaNamed(reference: string): Schema {
	return found(schemas, reference);
}

/** Whether the interface says anything about what an endpoint answers. */
export function isShown({ answer }: Endpoint): boolean {
	return answer.$ref !== '#/components/schemas/NotShown';
}

/** A record with a value in every field that a schema describes, at every depth; objects of the user's own are empty. */
export function fullRecord(name: string): Record<string, unknown> {
	return fullValue(schemaNamed(name)) as Record<string, unknown>;
}

/** A value with something in every field that a schema describes. */
export function fullValue(schema: Schema): unknown {
	const [first] = schema.anyOf ?? [];
	if (schema.$ref !== undefined) return fullValue(schemaNamed(schema.$ref));
	if (first !== undefined) return fullValue(first);
	const types = [schema.type ?? []].flat();
	if (types.includes('array')) return [fullValue(schema.items ?? {})];
	if (types.includes('boolean')) return true;
	if (types.includes('integer')) return 7;
	if (types.includes('number')) return 0.5;
	if (types.includes('string')) return 'text';
	const members = Object.entries(schema.properties ?? {});
	return Object.fromEntries(members.map(([member, of]) => [member, fullValue(of)]));
}

function answerOf({ operationId, responses: offered }: Described): Schema {
	const success = Object.entries(offered).find(([status]) => status.startsWith('2'));
	const schema = success && found(responses, success[1].$ref).content[JSON_TYPE]?.schema;
	if (schema === undefined) throw new Error(`The interface does not say what ${operationId} answers`);
	return schema;
}

function found<T>(map: Record<string, T>, reference: string): T {
	const name = reference.slice(reference.lastIndexOf('/') + 1);
	const value = map[name];
	if (value === undefined) throw new Error(`The interface has no ${name}`);
	return value;
}
