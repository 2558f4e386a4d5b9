import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { operations } from '../../../api/schema.d.ts';

/** The name of one of the interface's operations, e.g. `message.send`. */
export type OperationId = keyof operations;

interface Reference {
	$ref: string;
}

/** The parts of an OpenAPI document that the checks read. */
export interface OpenApiDocument {
	paths: Record<string, Record<string, OpenApiOperation>>;
	components: {
		parameters: Record<string, { name: string; in: string; schema: object }>;
		requestBodies: Record<string, { content: Record<string, unknown> }>;
		responses: Record<string, { content: Record<string, unknown> }>;
		schemas: Record<string, object>;
	};
}

interface OpenApiOperation {
	operationId: OperationId;
	parameters?: Reference[];
	requestBody?: Reference;
	responses: Record<string, Reference>;
}

/** Checks a value. Returns one line for each problem, naming its field or the whole value. */
export type Check = (value: unknown, whole: string) => string[];

/** The media types of a body, and its check. */
interface Content {
	types: string[];
	check: Check;
}

/** One operation with its checks. */
export interface Operation {
	id: OperationId;
	parameters: Array<{ name: string; check: Check }>;
	takesAnyQuery: boolean;
	body: Content | undefined;
	answers: Map<string, Content>;
	answerTypes: string[];
}

/** One path with the operations at it, by their methods. */
export interface Path {
	pattern: RegExp;
	methods: Map<string, Operation>;
}

/** Reads every operation of an OpenAPI document. A check is compiled when it is first needed: few tests need all. */
export function compileDocument({ paths, components }: OpenApiDocument): Path[] {
	const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
	addFormats(ajv);
	ajv.addVocabulary(['components', 'x-gap', 'x-gaps']);
	ajv.addSchema({ $id: 'contract', components });

	const checkOf = (schema: object): Check => {
		let validate: ValidateFunction | undefined;
		return (value, whole) => {
			validate ??= ajv.compile(schema);
			return validate(value) ? [] : describe(validate.errors, whole);
		};
	};
	const contentOf = (kind: 'requestBodies' | 'responses', { $ref }: Reference): Content => {
		const types = Object.keys(components[kind][lastPart($ref)]?.content ?? {});
		const pointer = encodeURIComponent((types[0] ?? '').replace(/\//g, '~1'));
		const schema = { $ref: `contract${$ref}/content/${pointer}/schema` };
		return { types, check: checkOf(schema) };
	};
	const compile = ({ operationId, parameters = [], requestBody, responses }: OpenApiOperation): Operation => {
		const declared = parameters.flatMap(({ $ref }) => components.parameters[lastPart($ref)] ?? []);
		const answers = Object.entries(responses).map(
			([status, reference]) => [status, contentOf('responses', reference)] as const,
		);
		return {
			id: operationId,
			parameters: declared
				.filter((parameter) => parameter.in === 'path')
				.map(({ name, schema }) => ({ name, check: checkOf(schema) })),
			takesAnyQuery: declared.some((parameter) => parameter.in === 'query'),
			body: requestBody && contentOf('requestBodies', requestBody),
			answers: new Map(answers),
			answerTypes: [...new Set(answers.flatMap(([, { types }]) => types))],
		};
	};
	return (
		Object.entries(paths)
			// Paths with few parameters come first, as OpenAPI asks: `…/outbox/requeue` is not `…/outbox/{id}`.
			.sort(([one], [other]) => one.split('{').length - other.split('{').length)
			.map(([template, methods]) => ({
				pattern: new RegExp(`^${template.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
				methods: new Map(Object.entries(methods).map(([name, each]) => [name.toUpperCase(), compile(each)])),
			}))
	);
}

/** One line for each schema error, each naming its field by its path, e.g. `content.to.email: must be string`. */
function describe(errors: ErrorObject[] | null | undefined, whole: string): string[] {
	return (errors ?? []).map((error) => {
		const parts = error.instancePath.split('/').slice(1);
		const path = parts.map((part) => part.replace(/~1/g, '/').replace(/~0/g, '~'));
		const extra: unknown = error.params['additionalProperty'];
		if (typeof extra === 'string') return `${[...path, extra].join('.')}: the interface has no such field`;
		return `${path.length > 0 ? path.join('.') : whole}: ${error.message ?? error.keyword}`;
	});
}

const lastPart = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);
