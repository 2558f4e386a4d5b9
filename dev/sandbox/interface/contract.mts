import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { isOfType, negotiate } from './media-types.mts';
import {
	compileDocument,
	type OpenApiDocument,
	type Operation,
	type OperationId,
	type Path,
} from './openapi.mts';

/** One request as received. */
export interface IncomingCall {
	method: string;
	/** The path as sent, percent-encoding and all, without the query. */
	path: string;
	query: Record<string, string | string[]>;
	headers: Record<string, string | string[] | undefined>;
	bodyText: string;
	/** The parsed body, undefined when there is none or it is not JSON. */
	body: unknown;
}

/** What the interface says about one request. */
export interface Verdict {
	operationId: OperationId | null;
	parameters: Record<string, string>;
	/** The media type of the answer. */
	answerType: string;
	/** All deviations of the request from the interface; empty when it conforms. */
	problems: string[];
	/** The status to refuse it with: 404 unknown path, 405 unknown method, 400 everything else. */
	status: 400 | 404 | 405;
}

/** Every check that `api/openapi.yaml` gives, compiled once. */
export class Contract {
	readonly #paths: Path[];

	constructor(document: OpenApiDocument) {
		this.#paths = compileDocument(document);
	}

	/** Checks one request against the interface; `prefix` is the path that the service address carries. */
	check(call: IncomingCall, prefix = ''): Verdict {
		const own = call.path.startsWith(`${prefix}/`) ? call.path.slice(prefix.length) : '';
		const path = this.#paths.find(({ pattern }) => pattern.test(own));
		const operation = path?.methods.get(call.method);
		const segments = Object.entries(path?.pattern.exec(own)?.groups ?? {});
		const verdict: Verdict = {
			operationId: operation?.id ?? null,
			parameters: Object.fromEntries(segments.map(([name, segment]) => [name, decode(segment)])),
			answerType: 'application/json; v=1.0',
			problems: call.headers['x-api-key'] === undefined ? ['X-API-KEY: missing'] : [],
			status: path === undefined ? 404 : operation === undefined ? 405 : 400,
		};
		if (path === undefined) {
			verdict.problems.push(`path: the interface has no ${call.path} (paths are case-sensitive)`);
		} else if (operation === undefined) {
			verdict.problems.push(`method: the interface has no ${call.method} at ${call.path}`);
		} else {
			verdict.answerType = negotiate(header(call, 'accept'), operation.answerTypes) ?? verdict.answerType;
			verdict.problems.push(...problemsOf(operation, call, verdict.parameters));
		}
		return verdict;
	}

	/** The deviations of an answer from the interface; empty when it conforms. */
	answerProblems(operationId: OperationId, status: number, contentType: string, body: unknown): string[] {
		const operations = this.#paths.flatMap(({ methods }) => [...methods.values()]);
		const answers = operations.find(({ id }) => id === operationId)?.answers;
		const names = [String(status), `${Math.floor(status / 100)}XX`, 'default'];
		const answer = names.map((name) => answers?.get(name)).find((each) => each !== undefined);
		if (answer === undefined) return [`status: ${status} is not shown for ${operationId}`];
		if (body === undefined) return [];
		const isOffered = answer.types.includes(contentType);
		return [
			...(isOffered ? [] : [`Content-Type: ${contentType} is not offered`]),
			...answer.check(body, 'body'),
		];
	}
}

function problemsOf(operation: Operation, call: IncomingCall, parameters: Record<string, string>): string[] {
	const accepts = negotiate(header(call, 'accept'), operation.answerTypes) !== undefined;
	const queries = operation.takesAnyQuery ? [] : Object.keys(call.query);
	return [
		...operation.parameters.flatMap(({ name, check }) => check(parameters[name], `path ${name}`)),
		...queries.map((name) => `query ${name}: the operation takes no query parameters`),
		...(accepts ? [] : [`Accept: takes none of ${operation.answerTypes.join(', ')}`]),
		...bodyProblems(operation, call),
	];
}

function bodyProblems({ body }: Operation, call: IncomingCall): string[] {
	const contentType = header(call, 'content-type');
	if (body === undefined) {
		const length = header(call, 'content-length') ?? '0';
		const isThere = call.bodyText !== '' || length !== '0' || header(call, 'transfer-encoding') !== undefined;
		return [
			...(contentType === undefined ? [] : ['Content-Type: the operation has no body']),
			...(isThere ? ['body: the operation has none'] : []),
		];
	}
	const typeFits = body.types.some((declared) => isOfType(contentType ?? '', declared));
	const expected = `Content-Type: ${contentType ?? 'missing'}, expected one of ${body.types.join(', ')}`;
	const problems = typeFits ? [] : [expected];
	if (call.bodyText === '') return [...problems, 'body: missing'];
	if (call.body === undefined) return [...problems, 'body: is not valid JSON'];
	return [...problems, ...body.check(call.body, 'body')];
}

/** Reads the interface from `api/openapi.yaml`; the project's root is the working directory. */
export function loadContract(): Contract {
	const document: OpenApiDocument = parseYaml(readFileSync(join('api', 'openapi.yaml'), 'utf8'));
	return new Contract(document);
}

function header(call: IncomingCall, name: string): string | undefined {
	const value = call.headers[name];
	return Array.isArray(value) ? value.join(', ') : value;
}

function decode(segment: string): string {
	try {
		return decodeURIComponent(segment);
	} catch {
		return segment;
	}
}
