/** The one way to have a server that is more, or less, than the stand-in service: broken HTTP, TLS, proxies, bytes. */
import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { generate } from 'selfsigned';

/** A server that listens on this machine. */
export interface RawServer {
	readonly port: number;
	/** How many connections it has had. */
	connections(): number;
	/** Takes no more connections; those that are open stay. */
	refuse(): void;
	/** Ends it with all its connections. */
	close(): Promise<void>;
}

/** The length of the accept queue: more connections than all tests of a file make at once. */
const BACKLOG = 4096;

/** Has a server listen: on this port, or on a free one. */
export async function listening(server: Server, port = 0): Promise<RawServer> {
	const sockets = new Set<Socket>();
	let connections = 0;
	server.on('connection', (socket: Socket) => {
		connections += 1;
		sockets.add(socket);
		socket.on('error', () => {});
		socket.on('close', () => sockets.delete(socket));
	});
	server.on('tlsClientError', () => {});
	await once(server.listen({ port, host: '127.0.0.1', backlog: BACKLOG }), 'listening');
	return {
		port: (server.address() as AddressInfo).port,
		connections: () => connections,
		refuse: () => void server.close(),
		close: async () => {
			const closed = server.listening ? once(server, 'close') : undefined;
			server.close();
			for (const socket of sockets) socket.destroy();
			await closed;
		},
	};
}

/** A certificate for a host, and its key: the options of a TLS server. */
export async function certificateOf(host: string): Promise<{ key: string; cert: string }> {
	const altNames = [{ type: 2 as const, value: host }];
	const extensions = [{ name: 'subjectAltName' as const, altNames }];
	const { cert, private: key } = await generate([{ name: 'commonName', value: host }], { extensions });
	return { key, cert };
}
