import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { operations } from '../../../api/schema.d.ts';
import { parseMediaType, type MediaType } from './media-types.mts';

/** The name of one of the interface's operations, e.g. `message.send`. */
export type OperationId = keyof operations;

/** The parts of an OpenAPI document that the checks read. */
export interface OpenApiDocument {
	paths: Record<string, Record<string, OpenApiOperation | undefined>>;
	components: {
		parameters: Record<string, { name: string; in: string; schema: object }>;
		requestBodies: Record<string, { content: Record<string, unknown> }>;
		responses: Record<string, { content: Record<string, unknown> }>;
		schemas: Record<string, object>;
	};
}

interface Reference {
	$ref: string;
}

interface OpenApiOperation {
	operationId: OperationId;
	parameters?: Reference[];
	requestBody?: Reference;
	responses: Record<string, Reference>;
}

/** Checks a value. Returns one line for each problem, naming its field or the whole value. */
export type Check = (value: unknown, whole: string) => string[];

/** One operation with its checks. */
export interface Operation {
	id: OperationId;
	parameters: Array<{ name: string; check: Check }>;
	takesAnyQuery: boolean;
	body: { types: MediaType[]; names: string[]; check: Check } | null;
	answers: Map<string, { types: string[]; check: Check }>;
	answerTypes: string[];
}

/** One path with the operations at it. */
export interface Path {
	pattern: RegExp;
	names: string[];
	methods: Map<string, Operation>;
}

/** Reads every operation of an OpenAPI document. A check is compiled when it is first needed: few tests need all. */
export function compileDocument(document: OpenApiDocument): Path[] {
	const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
	addFormats(ajv);
	ajv.addVocabulary(['components', 'x-gap', 'x-gaps']);
	ajv.addSchema({ $id: 'contract', components: { ...document.components } });
	// Paths without a parameter come first, as OpenAPI asks: `…/outbox/requeue` is not `…/outbox/{id}`.
	const templates = Object.keys(document.paths).sort((a, b) => parameterCount(a) - parameterCount(b));
	return templates.map((template) => {
		const methods = new Map<string, Operation>();
		for (const [method, described] of Object.entries(document.paths[template] ?? {})) {
			if (described !== undefined) methods.set(method.toUpperCase(), compile(ajv, document, described));
		}
		return { ...compileTemplate(template), methods };
	});
}

function compile(ajv: Ajv2020, document: OpenApiDocument, described: OpenApiOperation): Operation {
	const { parameters, requestBodies, responses } = document.components;
	const declared = (described.parameters ?? []).map((reference) => named(parameters, reference));
	const checkOf = (schema: object): Check => {
		let validate: ValidateFunction | undefined;
		return (value, whole) => {
			validate ??= ajv.compile(schema);
			return validate(value) ? [] : describe(validate.errors, whole);
		};
	};
	const schemaAt = (pointer: string): Check => checkOf({ $ref: `contract#/components/${pointer}/schema` });
	const body = described.requestBody && {
		name: lastPart(described.requestBody),
		types: Object.keys(named(requestBodies, described.requestBody).content),
	};
	const answers = new Map(
		Object.entries(described.responses).map(([status, reference]) => {
			const types = Object.keys(named(responses, reference).content);
			const check = schemaAt(`responses/${lastPart(reference)}/content/${escapePointer(types[0] ?? '')}`);
			return [status, { types, check }];
		}),
	);
	return {
		id: described.operationId,
		parameters: declared
			.filter((parameter) => parameter.in === 'path')
			.map(({ name, schema }) => ({ name, check: checkOf(schema) })),
		takesAnyQuery: declared.some((parameter) => parameter.in === 'query'),
		body: body
			? {
					types: body.types.map(parseMediaType).filter((type) => type !== null),
					names: body.types,
					check: schemaAt(`requestBodies/${body.name}/content/${escapePointer(body.types[0] ?? '')}`),
				}
			: null,
		answers,
		answerTypes: [...new Set([...answers.values()].flatMap(({ types }) => types))],
	};
}

/** One line for each schema error, each naming its field by its path, e.g. `content.to.email: must be string`. */
function describe(errors: ErrorObject[] | null | undefined, whole: string): string[] {
	return (errors ?? []).map((error) => {
		const parts = error.instancePath.split('/').slice(1).map(unescapePointer);
		const extra: unknown = error.params['additionalProperty'];
		if (typeof extra === 'string') return `${[...parts, extra].join('.')}: the interface has no such field`;
		return `${parts.length > 0 ? parts.join('.') : whole}: ${error.message ?? error.keyword}`;
	});
}

function compileTemplate(template: string): { pattern: RegExp; names: string[] } {
	const names: string[] = [];
	const source = template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{(\w+)\}/g, (_, name: string) => {
		names.push(name);
		return '([^/]+)';
	});
	return { pattern: new RegExp(`^${source}$`), names };
}

function named<T>(map: Record<string, T>, reference: Reference): T {
	const found = map[lastPart(reference)];
	if (found === undefined) throw new Error(`${reference.$ref} leads nowhere`);
	return found;
}

const parameterCount = (template: string): number => template.split('{').length - 1;
const lastPart = (reference: Reference): string => reference.$ref.slice(reference.$ref.lastIndexOf('/') + 1);
const escapePointer = (part: string): string =>
	encodeURIComponent(part.replace(/~/g, '~0').replace(/\//g, '~1'));
const unescapePointer = (part: string): string => part.replace(/~1/g, '/').replace(/~0/g, '~');
