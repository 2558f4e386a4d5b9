import { type Dispatcher, request } from 'undici';

/** n8n refused a request to its API. */
export class N8nApiError extends Error {
	override readonly name = 'N8nApiError';
	readonly statusCode: number;

	constructor(statusCode: number, method: string, path: string, answer: string) {
		super(`n8n answered ${statusCode} to ${method} ${path}: ${answer.slice(0, 1_000)}`);
		this.statusCode = statusCode;
	}
}

export type Method = Dispatcher.HttpMethod;

/** Even on a busy machine, n8n answers within a minute; a test must not wait longer. */
export const millisecondsToAnswer = 120_000;

/** Requests to n8n's internal API, with the session that it gives. */
export class Rest {
	readonly url: string;
	#cookie: string | undefined;

	/** A client without a session, or with the session of another client. */
	constructor(url: string, session?: string) {
		this.url = url;
		this.#cookie = session;
	}

	/** The session of a client that is logged in, for another client of the same n8n. */
	get session(): string {
		if (this.#cookie === undefined) throw new Error('This client is not logged in to n8n');
		return this.#cookie;
	}

	/** Makes a request, and gives the data of its answer. */
	async call(method: Method, path: string, body?: unknown): Promise<unknown> {
		const answer = await request(this.url + path, {
			method,
			headers: {
				...(this.#cookie === undefined ? {} : { cookie: this.#cookie }),
				...(body === undefined ? {} : { 'content-type': 'application/json' }),
			},
			body: body === undefined ? null : JSON.stringify(body),
			// n8n closes idle connections. On a busy machine, a request on a kept one may come too late.
			reset: true,
			headersTimeout: millisecondsToAnswer,
			bodyTimeout: millisecondsToAnswer,
		});
		const text = await answer.body.text();
		if (answer.statusCode >= 300) throw new N8nApiError(answer.statusCode, method, path, text);
		this.#keepCookie(answer.headers['set-cookie']);
		const value: unknown = JSON.parse(text);
		const wrapped =
			path.startsWith('/rest/') && typeof value === 'object' && value !== null && 'data' in value;
		return wrapped ? value.data : value;
	}

	#keepCookie(header: string | string[] | undefined): void {
		for (const cookie of [header ?? []].flat()) {
			if (cookie.startsWith('n8n-auth=')) this.#cookie = cookie.split(';')[0];
		}
	}
}
