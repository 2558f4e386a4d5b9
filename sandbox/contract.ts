import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse as parseYaml } from 'yaml';
import type { operations } from '../api/schema.d.ts';
import { isOfType, negotiate, parseMediaType, type MediaType } from './media-types.ts';

/** The name of one of the interface's operations, e.g. `message.send`. */
export type OperationId = keyof operations;

/** One request as it came in, before anything was made of it. */
export interface IncomingCall {
	method: string;
	/** The path as sent, percent-encoding and all, without the query. */
	path: string;
	query: Record<string, string | string[]>;
	headers: Record<string, string | string[] | undefined>;
	bodyText: string;
	/** The parsed body, undefined when there is none or it is no JSON. */
	body: unknown;
}

/** What the interface says about one request. */
export interface Verdict {
	operationId: OperationId | null;
	parameters: Record<string, string>;
	/** The media type of the answer. */
	answerType: string;
	/** Everything about the request that the interface does not have; empty when it conforms. */
	problems: string[];
	/** The status to refuse it with: 404 unknown path, 405 unknown method, 400 everything else. */
	status: 400 | 404 | 405;
}

/** The parts of an OpenAPI document that the checks read. */
interface OpenApiDocument {
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

interface Operation {
	id: OperationId;
	parameters: Array<{ name: string; check: ValidateFunction }>;
	takesAnyQuery: boolean;
	body: { types: MediaType[]; names: string[]; check: ValidateFunction } | null;
	answers: Map<string, { types: string[]; check: ValidateFunction }>;
	answerTypes: string[];
}

interface Path {
	pattern: RegExp;
	names: string[];
	methods: Map<string, Operation>;
}

/** Every check that `api/openapi.yaml` gives, compiled once. */
export class Contract {
	readonly #paths: Path[];
	readonly #operations = new Map<OperationId, Operation>();
	readonly #negotiated = new Map<string, string | null>();

	constructor(document: OpenApiDocument) {
		const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
		addFormats(ajv);
		ajv.addVocabulary(['components', 'x-gap', 'x-gaps']);
		ajv.addSchema({ $id: 'contract', components: { ...document.components } });
		// Paths without a parameter come first, as OpenAPI asks: `…/outbox/requeue` is not `…/outbox/{id}`.
		const templates = Object.keys(document.paths).sort((a, b) => parameterCount(a) - parameterCount(b));
		this.#paths = templates.map((template) => {
			const methods = new Map<string, Operation>();
			for (const [method, described] of Object.entries(document.paths[template] ?? {})) {
				if (described === undefined) continue;
				const operation = compile(ajv, document, described);
				methods.set(method.toUpperCase(), operation);
				this.#operations.set(operation.id, operation);
			}
			const { pattern, names } = compileTemplate(template);
			return { pattern, names, methods };
		});
	}

	/** Checks one request against the interface. */
	check(call: IncomingCall): Verdict {
		const found = this.#find(call.path);
		const operation = found?.path.methods.get(call.method);
		const verdict: Verdict = {
			operationId: operation?.id ?? null,
			parameters: found?.parameters ?? {},
			answerType: 'application/json; v=1.0',
			problems: [],
			status: 400,
		};
		if (found === null) {
			verdict.status = 404;
			verdict.problems.push(`path: the interface has no ${call.path} (paths are case-sensitive)`);
			return verdict;
		}
		if (operation === undefined) {
			verdict.status = 405;
			verdict.problems.push(`method: the interface has no ${call.method} at ${call.path}`);
			return verdict;
		}
		for (const { name, check } of operation.parameters) {
			if (!check(verdict.parameters[name])) verdict.problems.push(...describe(check.errors, `path ${name}`));
		}
		if (!operation.takesAnyQuery) {
			for (const name of Object.keys(call.query)) {
				verdict.problems.push(`query ${name}: the operation takes no query parameters`);
			}
		}
		const answerType = this.#answerType(call, operation);
		if (answerType === null) {
			verdict.problems.push(`Accept: takes none of ${operation.answerTypes.join(', ')}`);
		} else {
			verdict.answerType = answerType;
		}
		checkBody(operation, call, verdict.problems);
		return verdict;
	}

	/** What is wrong with an answer by the interface; empty when it conforms. For the sandbox's own tests. */
	answerProblems(operationId: OperationId, status: number, contentType: string, body: unknown): string[] {
		const answers = this.#operations.get(operationId)?.answers;
		const answer =
			answers?.get(String(status)) ?? answers?.get(`${Math.floor(status / 100)}XX`) ?? answers?.get('default');
		if (answer === undefined) return [`status: ${status} is not shown for ${operationId}`];
		if (body === undefined) return [];
		const problems = answer.types.includes(contentType) ? [] : [`Content-Type: ${contentType} is not offered`];
		if (!answer.check(body)) problems.push(...describe(answer.check.errors, 'body'));
		return problems;
	}

	#find(path: string): { path: Path; parameters: Record<string, string> } | null {
		for (const candidate of this.#paths) {
			const match = candidate.pattern.exec(path);
			if (match === null) continue;
			const parameters: Record<string, string> = {};
			candidate.names.forEach((name, index) => {
				parameters[name] = decode(match[index + 1] ?? '');
			});
			return { path: candidate, parameters };
		}
		return null;
	}

	#answerType(call: IncomingCall, operation: Operation): string | null {
		const accept = header(call, 'accept');
		// Clients repeat themselves: remember what was worked out, but not without a bound.
		const key = `${operation.id} ${accept ?? ''}`;
		let known = this.#negotiated.get(key);
		if (known === undefined) {
			known = negotiate(accept, operation.answerTypes);
			if (this.#negotiated.size < 1000) this.#negotiated.set(key, known);
		}
		return known;
	}
}

/** Reads the interface from `api/openapi.yaml` under the project's root. */
export function loadContract(root: string): Contract {
	const document: OpenApiDocument = parseYaml(readFileSync(join(root, 'api', 'openapi.yaml'), 'utf8'));
	return new Contract(document);
}

function compile(ajv: Ajv2020, document: OpenApiDocument, described: OpenApiOperation): Operation {
	const { parameters, requestBodies, responses } = document.components;
	const declared = (described.parameters ?? []).map((reference) => named(parameters, reference));
	const schemaAt = (pointer: string): ValidateFunction =>
		ajv.compile({ $ref: `contract#/components/${pointer}/schema` });
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
			.map(({ name, schema }) => ({ name, check: ajv.compile(schema) })),
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

function checkBody(operation: Operation, call: IncomingCall, problems: string[]): void {
	const contentType = header(call, 'content-type');
	const length = header(call, 'content-length');
	if (operation.body === null) {
		if (contentType !== undefined) problems.push('Content-Type: the operation has no body');
		const announced = (length !== undefined && length !== '0') || header(call, 'transfer-encoding') !== undefined;
		if (call.bodyText !== '' || announced) problems.push('body: the operation has none');
		return;
	}
	const given = contentType === undefined ? null : parseMediaType(contentType);
	if (given === null || !operation.body.types.some((declared) => isOfType(given, declared))) {
		const expected = operation.body.names.join(', ');
		problems.push(`Content-Type: ${contentType ?? 'missing'}, expected one of ${expected}`);
	}
	if (call.bodyText === '') problems.push('body: missing');
	else if (call.body === undefined) problems.push('body: is not valid JSON');
	else if (!operation.body.check(call.body)) problems.push(...describe(operation.body.check.errors, 'body'));
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

function header(call: IncomingCall, name: string): string | undefined {
	const value = call.headers[name];
	return Array.isArray(value) ? value.join(', ') : value;
}

function named<T>(map: Record<string, T>, reference: Reference): T {
	const found = map[lastPart(reference)];
	if (found === undefined) throw new Error(`${reference.$ref} leads nowhere`);
	return found;
}

function decode(segment: string): string {
	try {
		return decodeURIComponent(segment);
	} catch {
		return segment;
	}
}

const parameterCount = (template: string): number => template.split('{').length - 1;
const lastPart = (reference: Reference): string => reference.$ref.slice(reference.$ref.lastIndexOf('/') + 1);
const escapePointer = (part: string): string =>
	encodeURIComponent(part.replace(/~/g, '~0').replace(/\//g, '~1'));
const unescapePointer = (part: string): string => part.replace(/~1/g, '/').replace(/~0/g, '~');
