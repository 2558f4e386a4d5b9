import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** How a request is answered; without a body, the answer is empty. */
export interface Answer {
	status: number;
	body?: unknown;
	headers?: Record<string, string>;
	/** Closes the connection, or leaves it open, in place of an answer. */
	silent?: 'close' | 'wait';
}

/** A request that arrived. */
export interface Arrived {
	name: string;
	key: string | undefined;
	headers: IncomingHttpHeaders;
	/** In milliseconds. */
	at: number;
	body: string;
}

export const KEY = 'acc_0123456789abcdefghij';

const RECORD = {
	channelId: '7d9d3a55-3a0c-4c58-a5cc-0f2b2ef3a001',
	name: 'Post',
	createdAt: '2026-01-01T10:00:00Z',
};
const unknown: Answer = { status: 404, body: { title: 'Not Found', detail: 'There is no such thing' } };

/** Each endpoint, by the name that the check has for it, and an answer that fits. */
const ENDPOINTS = {
	'GET /Me': [
		'GET',
		/\/Me$/,
		{ status: 200, body: { type: 'account', resourcePlan: { limit: 100, seconds: 60 } } },
	],
	Channels: ['GET', /\/Admin\/Channel$/, { status: 200, body: [RECORD] }],
	Accounts: ['GET', /\/Admin\/Account$/, { status: 200, body: [{ accountId: RECORD.channelId }] }],
	'Send a message': ['POST', /\/SendMessage$/, { status: 202 }],
	'Edit a message': ['PUT', /\/EditMessage$/, unknown],
	'Delete a message': ['DELETE', /\/DeleteMessage$/, unknown],
	'Get an outbox entry': ['GET', /\/outbox\/[^/]+$/, unknown],
	'Cancel an outbox entry': ['PATCH', /\/cancel$/, unknown],
	'Requeue an outbox entry': ['POST', /\/requeue$/, unknown],
	'Update channel parameters': ['PUT', /\/parameters$/, unknown],
	'Update an API key': ['PUT', /\/ApiKey\/[^/]+$/, unknown],
	'Revoke an API key': ['DELETE', /\/ApiKey\/[^/]+$/, unknown],
} as const satisfies Record<string, readonly [method: string, path: RegExp, fitting: Answer]>;

/** What a service does otherwise: one answer, or one for each request, of which the last repeats. */
export type Variant = Partial<Record<keyof typeof ENDPOINTS | 'A wrong key', Answer | Answer[]>>;

/** A small service that fits, by other habits than the sandbox's, except where a variant says otherwise. */
export async function startOther(variant: Variant = {}) {
	const arrived: Arrived[] = [];
	const server = createServer((request, response) => void answer(request, response));
	const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
		const key = request.headers['x-api-key'] as string | undefined;
		const { method = '', url = '' } = request;
		const [name, [, , fitting]] = Object.entries(ENDPOINTS).find(
			([, [itsMethod, path]]) => method === itsMethod && path.test(url),
		) ?? [`${method} ${url}`, ['', /^/, { status: 404 }]];
		const asked = key === KEY ? name : 'A wrong key';
		const before = arrived.filter((each) => each.name === asked).length;
		const { headers: sent } = request;
		arrived.push({ name: asked, key, headers: sent, at: performance.now(), body: await text(request) });
		const usual =
			key === KEY ? fitting : { status: 401, body: { message: 'Invalid authentication credentials' } };
		const given = [variant[asked as keyof Variant] ?? usual].flat();
		const { status, body, headers, silent }: Answer = given[Math.min(before, given.length - 1)] ?? usual;
		if (silent === 'wait') return;
		if (silent === 'close') return void request.socket.destroy();
		const type = typeof body === 'string' ? 'text/html' : 'application/json; charset=utf-8';
		response.writeHead(status, { ...(body !== undefined && { 'content-type': type }), ...headers });
		response.end(typeof body === 'string' || body === undefined ? body : JSON.stringify(body));
	};
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/prefix`,
		arrived,
		async close() {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		},
	};
}
