import type { FastifyRequest } from 'fastify';
import type { IncomingCall } from '../interface/contract.mts';
import type { StoredKey } from '../records/model.mts';
import type { State } from '../records/state.mts';

/** A request of the HTTP server in the form that the checks take. */
export function incomingCall(request: FastifyRequest): IncomingCall {
	const url = request.raw.url ?? '/';
	const mark = url.indexOf('?');
	const bodyText = typeof request.body === 'string' ? request.body : '';
	return {
		method: request.method,
		path: mark < 0 ? url : url.slice(0, mark),
		query: mark < 0 ? {} : queryOf(url.slice(mark + 1)),
		headers: request.headers,
		bodyText,
		body: parse(bodyText),
	};
}

function queryOf(text: string): IncomingCall['query'] {
	const query: IncomingCall['query'] = {};
	for (const [name, value] of new URLSearchParams(text)) {
		const known = query[name];
		if (known === undefined) query[name] = value;
		else query[name] = Array.isArray(known) ? [...known, value] : [known, value];
	}
	return query;
}

function parse(text: string): unknown {
	if (text === '') return undefined;
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** The valid key that a request carries. */
export function keyOf(state: State, call: IncomingCall): StoredKey | undefined {
	const token = call.headers['x-api-key'];
	return typeof token === 'string' ? state.keyByToken(token) : undefined;
}

/** The headers for the log, with the key's id in place of its token. */
export function withoutToken(
	headers: IncomingCall['headers'],
	key: StoredKey | undefined,
): IncomingCall['headers'] {
	const shown = { ...headers };
	if (shown['x-api-key'] !== undefined) shown['x-api-key'] = key?.id ?? 'unknown';
	return shown;
}
