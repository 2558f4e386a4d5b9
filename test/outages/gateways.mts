/** What stands between n8n and the service while an outage is played. */
import { createServer as createHttpServer, request } from 'node:http';
import { connect, createServer, type Server } from 'node:net';
import { varnishHeaders, varnishPage } from '../cases/answers.mts';
import { listening } from '../raw-server.mts';

/** A gateway in front of the service. */
export interface Gateway {
	/** Where n8n reaches it, on 127.0.0.1. */
	readonly port: number;
	close(): Promise<void>;
}

/** Opens a gateway to the service on a port. A port of its own is chosen if none is given. */
export type OpenGateway = (target: number, port?: number) => Promise<Gateway>;

/** Passes on bytes. While it is closed, connections are refused; those that are open stay. */
export const openDoor: OpenGateway = async (target, port = 0) => {
	const door = createServer((socket) => {
		const onwards = connect(target, '127.0.0.1');
		socket.pipe(onwards).pipe(socket);
		socket.on('error', () => onwards.destroy());
		// Pass a reset on as a reset.
		onwards.on('error', () => socket.resetAndDestroy());
	});
	return await opened(door, port);
};

/**
 * A cache that passes requests on, and writes a 503 of its own if the service's answer breaks off: the page and headers
 * of Varnish in its default configuration, which asks to come back after a moment.
 */
export const openCache: OpenGateway = async (target, port = 0) => {
	const cache = createHttpServer((incoming, outgoing) => {
		const { headers, method, url: path } = incoming;
		const onwards = request({ host: '127.0.0.1', port: target, agent: false, method, path, headers });
		onwards.on('response', (answer) => {
			outgoing.writeHead(answer.statusCode ?? 502, { ...answer.headers, via: '1.1 varnish (Varnish/7.1)' });
			answer.pipe(outgoing);
		});
		onwards.on('error', () => {
			const head = { ...varnishHeaders, 'retry-after': '1' };
			outgoing.writeHead(503, head).end(varnishPage(503, 'Backend fetch failed'));
		});
		incoming.pipe(onwards);
	});
	return await opened(cache, port);
};

/** Closed, it refuses connections, and keeps those that are open. */
async function opened(server: Server, port: number): Promise<Gateway> {
	const gateway = await listening(server, port);
	return { port: gateway.port, close: async () => Promise.resolve(gateway.refuse()) };
}
