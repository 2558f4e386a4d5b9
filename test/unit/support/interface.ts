import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';

import type { ApiCall } from '../../../nodes/Messaging/service/api-call.ts';

/** The parts of a schema that the tests look at. */
export interface Schema {
	$ref?: string;
	type?: string | string[];
	format?: string;
	properties?: Record<string, Schema>;
	additionalProperties?: boolean | Schema;
	items?: Schema;
	anyOf?: Schema[];
}

/** One endpoint as `api/openapi.yaml` describes it. */
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
}

interface Described {
	operationId: string;
	parameters?: Array<{ $ref: string }>;
	requestBody?: { $ref: string };
}

interface Document {
	paths: Record<string, Record<string, Described>>;
	components: {
		parameters: Record<string, { name: string; in: string; schema: Schema }>;
		requestBodies: Record<string, { content: Record<string, { schema: Schema }> }>;
		schemas: Record<string, Schema>;
	};
}

const document = parse(readFileSync(join(process.cwd(), 'api', 'openapi.yaml'), 'utf8')) as Document;
const { parameters, requestBodies, schemas } = document.components;

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
addFormats.default(ajv);
ajv.addVocabulary(['components', 'x-gap', 'x-gaps']);
ajv.addSchema({ $id: 'interface', components: { schemas } });

/** A schema of the interface, by its name or by a reference to it. */
export function schemaNamed(reference: string): Schema {
	return found(schemas, reference);
}

/** The endpoints of the interface. */
export const endpoints: readonly Endpoint[] = Object.entries(document.paths).flatMap(([template, methods]) =>
	Object.entries(methods).map(([method, described]) => ({
		id: described.operationId,
		method: method.toUpperCase(),
		template,
		takesQuery: (described.parameters ?? []).some(({ $ref }) => found(parameters, $ref).in === 'query'),
		body:
			described.requestBody &&
			found(requestBodies, described.requestBody.$ref).content['application/json; v=1.0']?.schema,
	})),
);

/** The endpoint of an operation. */
export function endpointOf(id: string): Endpoint {
	const endpoint = endpoints.find((candidate) => candidate.id === id);
	if (endpoint === undefined) throw new Error(`The interface has no ${id}`);
	return endpoint;
}

const bodyChecks = new Map<string, ValidateFunction>();

/** Everything about a call that the interface does not have; empty when it conforms. */
export function problemsOf(id: string, call: ApiCall): string[] {
	const { method, template, takesQuery, body } = endpointOf(id);
	const problems: string[] = [];
	if (call.method !== method) problems.push(`method ${call.method}`);
	if (!pathPattern(template).test(call.path)) problems.push(`path ${call.path}`);
	if (!takesQuery && call.query !== undefined) problems.push('query');
	for (const part of (call.query ?? []).flat()) {
		if (typeof part !== 'string') problems.push(`query ${String(part)}`);
	}
	if (body === undefined) return call.body === undefined ? problems : [...problems, 'body'];
	const check = bodyChecks.get(id) ?? ajv.compile({ $ref: `interface${body.$ref}` });
	bodyChecks.set(id, check);
	if (!check(wire(call.body)))
		problems.push(...(check.errors ?? []).map((error) => `body${error.instancePath} ${error.message}`));
	return problems;
}

/** A value as it arrives after its way as JSON. */
export function wire(value: unknown): unknown {
	const text = JSON.stringify(value) as string | undefined;
	return text === undefined ? undefined : JSON.parse(text);
}

/** The places in a body that JSON has no words for: there something would get lost on the way. */
export function unwritable(value: unknown, place = ''): string[] {
	if (value === null || typeof value === 'string' || typeof value === 'boolean') return [];
	if (typeof value === 'number') return Number.isFinite(value) ? [] : [place];
	const prototypes: unknown[] = [null, Object.prototype, Array.prototype];
	if (typeof value !== 'object' || !prototypes.includes(Object.getPrototypeOf(value))) return [place];
	return Object.entries(value).flatMap(([name, member]) => unwritable(member, `${place}/${name}`));
}

/** Every id in a path of the interface is a UUID. */
function pathPattern(template: string): RegExp {
	const uuid = '[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}';
	return new RegExp(`^${template.replace(/\{\w+\}/g, uuid)}$`);
}

function found<T>(map: Record<string, T>, reference: string): T {
	const name = reference.slice(reference.lastIndexOf('/') + 1);
	const value = map[name];
	if (value === undefined) throw new Error(`The interface has no ${name}`);
	return value;
}
