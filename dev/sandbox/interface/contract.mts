import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { isOfType, negotiate, parseMediaType } from './media-types.mts';
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
	readonly #operations = new Map<OperationId, Operation>();
	readonly #negotiated = new Map<string, string | null>();
	readonly #bodyTypes = new Map<string, boolean>();

	constructor(document: OpenApiDocument) {
		this.#paths = compileDocument(document);
		for (const { methods } of this.#paths) {
			for (const operation of methods.values()) this.#operations.set(operation.id, operation);
		}
	}

	/** Checks one request against the interface; `prefix` is the path that the service address carries. */
	check(call: IncomingCall, prefix = ''): Verdict {
		const found = call.path.startsWith(`${prefix}/`) ? this.#find(call.path.slice(prefix.length)) : null;
		const operation = found?.path.methods.get(call.method);
		const verdict: Verdict = {
			operationId: operation?.id ?? null,
			parameters: found?.parameters ?? {},
			answerType: 'application/json; v=1.0',
			problems: [],
			status: 400,
		};
		if (header(call, 'x-api-key') === undefined) verdict.problems.push('X-API-KEY: missing');
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
			verdict.problems.push(...check(verdict.parameters[name], `path ${name}`));
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
		this.#checkBody(operation, call, verdict.problems);
		return verdict;
	}

	/** The deviations of an answer from the interface; empty when it conforms. For the sandbox's own tests. */
	answerProblems(operationId: OperationId, status: number, contentType: string, body: unknown): string[] {
		const answers = this.#operations.get(operationId)?.answers;
		const answer =
			answers?.get(String(status)) ??
			answers?.get(`${Math.floor(status / 100)}XX`) ??
			answers?.get('default');
		if (answer === undefined) return [`status: ${status} is not shown for ${operationId}`];
		if (body === undefined) return [];
		const problems = answer.types.includes(contentType)
			? []
			: [`Content-Type: ${contentType} is not offered`];
		return [...problems, ...answer.check(body, 'body')];
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
		return remembered(this.#negotiated, `${operation.id} ${accept ?? ''}`, () =>
			negotiate(accept, operation.answerTypes),
		);
	}

	#checkBody(operation: Operation, call: IncomingCall, problems: string[]): void {
		const contentType = header(call, 'content-type');
		const { body } = operation;
		if (body === null) {
			const length = header(call, 'content-length');
			const announced =
				(length !== undefined && length !== '0') || header(call, 'transfer-encoding') !== undefined;
			if (contentType !== undefined) problems.push('Content-Type: the operation has no body');
			if (call.bodyText !== '' || announced) problems.push('body: the operation has none');
			return;
		}
		const typeFits = remembered(this.#bodyTypes, `${operation.id} ${contentType ?? ''}`, () => {
			const given = contentType === undefined ? null : parseMediaType(contentType);
			return given !== null && body.types.some((declared) => isOfType(given, declared));
		});
		if (!typeFits) {
			problems.push(`Content-Type: ${contentType ?? 'missing'}, expected one of ${body.names.join(', ')}`);
		}
		if (call.bodyText === '') problems.push('body: missing');
		else if (call.body === undefined) problems.push('body: is not valid JSON');
		else problems.push(...body.check(call.body, 'body'));
	}
}

/** Reads the interface from `api/openapi.yaml` under the project's root. */
export function loadContract(root: string): Contract {
	const document: OpenApiDocument = parseYaml(readFileSync(join(root, 'api', 'openapi.yaml'), 'utf8'));
	return new Contract(document);
}

/** Clients repeat their headers, so results are cached, with a limit. */
function remembered<T>(known: Map<string, T>, key: string, workOut: () => T): T {
	const found = known.get(key);
	if (found !== undefined) return found;
	const value = workOut();
	if (known.size < 1000) known.set(key, value);
	return value;
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
