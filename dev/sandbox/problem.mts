import { STATUS_CODES } from 'node:http';
import type { components } from '../../api/schema.d.ts';

/** A refusal that the caller gets as problem details. */
export class Problem extends Error {
	readonly status: number;
	readonly headers: Record<string, string>;

	constructor(status: number, detail: string, headers: Record<string, string> = {}) {
		super(detail);
		this.status = status;
		this.headers = headers;
	}
}

/** The body of an error answer. */
export function problemDetails(
	status: number,
	detail: string,
	instance: string,
): Required<components['schemas']['ProblemDetails']> {
	const title = STATUS_CODES[status] ?? 'Error';
	return { type: `https://httpstatuses.io/${status}`, title, status, detail, instance };
}

/** 400: the request breaks a rule; every broken rule names its field. */
export const invalid = (...problems: string[]): Problem => new Problem(400, problems.join('; '));

/** Refuses what breaks a rule. */
export function refuse(problems: readonly string[]): void {
	if (problems.length > 0) throw invalid(...problems);
}

/** 404: it does not exist, or the key does not reach it. The answer is the same for both. */
export const notFound = (what: string, id: string): Problem => new Problem(404, `No ${what} with id ${id}.`);

/** 409: its state does not allow this. */
export const conflict = (detail: string): Problem => new Problem(409, detail);
