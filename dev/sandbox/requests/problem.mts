import type { components } from '../../../api/schema.d.ts';

type ProblemDetails = Required<components['schemas']['ProblemDetails']>;

const titles: Readonly<Record<number, string>> = {
	400: 'Bad Request',
	401: 'Unauthorized',
	403: 'Forbidden',
	404: 'Not Found',
	405: 'Method Not Allowed',
	409: 'Conflict',
	413: 'Content Too Large',
	429: 'Too Many Requests',
	500: 'Internal Server Error',
	502: 'Bad Gateway',
	503: 'Service Unavailable',
	504: 'Gateway Timeout',
};

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
export function problemDetails(status: number, detail: string, instance: string): ProblemDetails {
	return {
		type: `https://httpstatuses.io/${status}`,
		title: titles[status] ?? 'Error',
		status,
		detail,
		instance,
	};
}

/** 400: the request breaks a rule; every broken rule names its field. */
export const invalid = (...problems: string[]): Problem => new Problem(400, problems.join('; '));

/** 404: it does not exist, or the key does not reach it. The answer is the same for both. */
export const notFound = (what: string, id: string): Problem => new Problem(404, `No ${what} with id ${id}.`);

/** 403: the key's type does not go with the operation. */
export const forbidden = (detail: string): Problem => new Problem(403, detail);

/** 409: its state does not allow this. */
export const conflict = (detail: string): Problem => new Problem(409, detail);
