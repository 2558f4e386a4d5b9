import fastify, {
	type FastifyInstance,
	type FastifyReply,
	type FastifyRequest,
	type FastifyServerOptions,
} from 'fastify';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { loadContract, type IncomingCall, type Verdict } from './interface/contract.mts';

/** One request, with what the interface says about it. */
export interface Exchange {
	call: IncomingCall;
	verdict: Verdict;
	request: IncomingMessage;
	response: ServerResponse;
	/** Why the request could not be read, if so: it broke off, for example. */
	unreadable?: string;
}

/** An answer as it goes over the wire. */
export interface Reply {
	status: number;
	headers?: Record<string, string>;
	body?: string | Buffer;
	/** Announces the whole body, sends half of it, and closes the connection. */
	isCut?: boolean;
}

/** Bytes as they go over the wire, whether or not they are HTTP: each part a moment after the one before. */
export interface Bytes {
	parts: readonly string[];
	/** Afterwards the connection ends, stays open, or gets the last part again and again. */
	then: 'end' | 'open' | 'again';
}

/** Without an answer: the connection is reset, closed, or left open. */
export type Unanswered = 'reset' | 'closed' | 'open';

/** How an exchange ends. */
export type Ending = Reply | Bytes | Unanswered;

/**
 * What becomes of each request: what it is answered, when (as soon as the promise resolves), and whether the work was done
 * (the hook does it, or not). Each suite has its own.
 */
export type Hook = (exchange: Exchange) => Ending | Promise<Ending>;

/** How a service is served. */
export interface ServiceOptions {
	hook: Hook;
	/** The path that the service address carries; depends on the request where many share the service. */
	prefix?: string | ((path: string) => string);
	/** Makes the server, such as one with TLS; one for plain HTTP unless given. */
	server?: (listener: RequestListener) => Server;
}

/** A messaging service without any work: it checks each request against the interface, and the hook does the rest. */
export function createService(options: ServiceOptions): FastifyInstance {
	const { hook, prefix = '', server } = options;
	const contract = loadContract();
	const answer = async (request: FastifyRequest, reply: FastifyReply, error?: Error): Promise<void> => {
		reply.hijack();
		reply.raw.on('error', () => {});
		const call = callOf(request);
		const verdict = contract.check(call, typeof prefix === 'string' ? prefix : prefix(call.path));
		const exchange: Exchange = { call, verdict, request: request.raw, response: reply.raw };
		if (error !== undefined) {
			exchange.unreadable = error.message;
			verdict.problems.push(`request: ${exchange.unreadable}`);
		}
		finish(reply.raw, await hook(exchange));
	};
	const settings: FastifyServerOptions<Server> = {
		bodyLimit: 16 * 1024 * 1024,
		// Requests that hang on purpose must not keep the service from stopping.
		forceCloseConnections: true,
		exposeHeadRoutes: false,
		frameworkErrors: (error, request, reply) => void answer(request, reply, error),
	};
	if (server !== undefined) {
		settings.serverFactory = (handler) => server(handler);
		// Such a server says nothing to what is no HTTP.
		settings.clientErrorHandler = (_error, socket) => void socket.destroy();
	}
	const app: FastifyInstance = fastify(settings);
	// Bodies stay text: the contract says what is wrong with them, and logs show them as they came.
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
	app.setErrorHandler(async (error: Error, request, reply) => await answer(request, reply, error));
	// Unknown paths and methods are the hook's, too.
	app.setNotFoundHandler(async (request, reply) => await answer(request, reply));
	app.all('/*', async (request, reply) => await answer(request, reply));
	return app;
}

/** Starts to listen, and returns the origin. */
export async function listen(app: FastifyInstance, { port = 0, backlog = 511 } = {}): Promise<string> {
	await app.listen({ port, host: '127.0.0.1', backlog });
	const { port: taken } = app.server.address() as AddressInfo;
	return `http://127.0.0.1:${taken}`;
}

function finish(response: ServerResponse, ending: Ending): void {
	if (ending === 'open' || response.destroyed) return;
	if (ending === 'closed') return void response.destroy();
	if (ending === 'reset') return void belowTls(response.socket)?.resetAndDestroy();
	if ('parts' in ending) return write(response.socket, ending);
	const { status, headers = {}, isCut = false } = ending;
	const body = Buffer.from(ending.body ?? '');
	if (!isCut) {
		const length = status === 204 || status === 304 ? {} : { 'content-length': body.length };
		return void response.writeHead(status, { ...length, ...headers }).end(body);
	}
	// An empty body can't be cut: announce a body that never comes.
	const whole = body.length > 0 ? body : Buffer.from('{}');
	response.writeHead(status, { ...headers, 'content-length': whole.length });
	response.write(whole.subarray(0, Math.floor(whole.length / 2)), () => response.destroy());
}

/** A connection below its encryption, which can't be reset itself. */
function belowTls(socket: (Socket & { _parent?: Socket | null }) | null): Socket | null {
	return socket?._parent ?? socket;
}

function write(socket: Socket | null, { parts: [first = '', ...more], then }: Bytes): void {
	const isLast = more.length === 0;
	if (isLast && then === 'end') return void socket?.end(first);
	socket?.write(first);
	if (isLast && then === 'open') return;
	const next = { parts: isLast ? [first] : more, then };
	setTimeout(() => socket?.destroyed === false && write(socket, next), 50);
}

function callOf({ method, headers, raw, body }: FastifyRequest): IncomingCall {
	const [path = '/', ...rest] = (raw.url ?? '/').split('?');
	const bodyText = typeof body === 'string' ? body : '';
	const query: IncomingCall['query'] = {};
	const search = new URLSearchParams(rest.join('?'));
	for (const name of search.keys()) {
		const values = search.getAll(name);
		query[name] = values.length === 1 ? String(values[0]) : values;
	}
	return { method, path, query, headers, bodyText, body: parse(bodyText) };
}

function parse(text: string): unknown {
	try {
		return text === '' ? undefined : JSON.parse(text);
	} catch {
		return undefined;
	}
}
