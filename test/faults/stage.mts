/** The faulty services, which record every request that arrives. */
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import {
	createServer as createRawServer,
	type AddressInfo,
	type Server as RawServer,
	type Socket,
} from 'node:net';
import { generate } from 'selfsigned';
import {
	createService,
	type Ending,
	type Exchange as Asked,
	type ServiceOptions,
} from '../../dev/sandbox/service.mts';

/** A request that arrived completely. */
export interface Arrived {
	method: string;
	path: string;
	key: string;
	body: unknown;
}

/** One exchange, for a fault to spoil. */
export interface Exchange {
	response: ServerResponse;
	/** The connection; over TLS, what is written to it is encrypted. */
	socket: Socket;
	/** The connection below TLS. */
	raw: Socket;
	/** A redirect target that must never be followed. */
	trap: string;
}

/** A cell at the services. */
export interface Guest {
	/** How many more requests the fault affects. */
	left: number;
	spoil: (exchange: Exchange) => void;
	/** The body of a normal answer. */
	fine: string;
	arrived: Arrived[];
}

/** Where a cell's requests go. */
export type Place =
	| 'http'
	| 'tls'
	/** Nothing listens. */
	| 'closed port'
	/** Host names of `preload.mts`. */
	| 'unknown host'
	| 'no name server'
	| 'silent name server'
	/** https to a service that speaks http. */
	| 'tls at http'
	/** Ends the connection before TLS is agreed on. */
	| 'tls closed'
	/** Accepts the connection, and never sends anything. */
	| 'tls silent'
	| 'certificate of a stranger'
	| 'certificate of another host'
	/** Resets each connection at the first byte received. */
	| 'reset on request';

/** The scheme and host of a place, and the server there if it is not the place's own. */
const origins: Readonly<Partial<Record<Place, readonly [origin: string, server?: string]>>> = {
	'unknown host': ['http://unknown.invalid'],
	'no name server': ['http://no-name-server.invalid'],
	'silent name server': ['http://silent-name-server.invalid'],
	tls: ['https://localhost'],
	'certificate of another host': ['https://127.0.0.1', 'tls'],
	'certificate of a stranger': ['https://localhost'],
	'tls at http': ['https://127.0.0.1', 'http'],
	'tls closed': ['https://127.0.0.1'],
	'tls silent': ['https://127.0.0.1'],
};

/** The services of one run of the matrix. */
export class Stage {
	/** The certificate that the engine has to trust. */
	certificate = '';
	/** Requests that followed a redirect. */
	followed = 0;
	/** How many connections were made to each of the servers. */
	readonly connections = new Map<string, number>();
	readonly #guests = new Map<string, Guest>();
	readonly #sockets = new Set<Socket>();
	readonly #servers: RawServer[] = [];
	readonly #ports = new Map<string, number>();

	async start(): Promise<void> {
		const [trusted, stranger] = await Promise.all([certificateOf('localhost'), certificateOf('localhost')]);
		this.certificate = trusted.cert;
		const tls = async (certificate: { private: string; cert: string }): Promise<Server> =>
			await this.#serve((listener) =>
				createTlsServer({ key: certificate.private, cert: certificate.cert }, listener),
			);
		await this.#listen('http', await this.#serve(createServer));
		await this.#listen('tls', await tls(trusted));
		await this.#listen('certificate of a stranger', await tls(stranger));
		const tlsClosed = createRawServer((socket) => socket.end());
		await this.#listen('tls closed', tlsClosed);
		await this.#listen('tls silent', createRawServer());
		const resets = createRawServer((socket) => socket.once('data', () => socket.resetAndDestroy()));
		await this.#listen('reset on request', resets);
		const closed = createRawServer();
		await this.#listen('closed port', closed);
		closed.close();
	}

	async stop(): Promise<void> {
		for (const socket of this.#sockets) socket.destroy();
		for (const server of this.#servers) server.close();
		await Promise.all(this.#servers.filter(({ listening }) => listening).map((each) => once(each, 'close')));
	}

	/** Starts to accept a cell's requests. */
	welcome(cell: string, guest: Guest): void {
		this.#guests.set(cell, guest);
	}

	/** The Base URL for a cell at a place. */
	urlOf(place: Place, cell: string): string {
		const [origin, server = place] = origins[place] ?? ['http://127.0.0.1'];
		return `${origin}:${this.#ports.get(server) ?? 80}/${cell}`;
	}

	/** A service whose requests name their cell first, on a server that is made for it. */
	async #serve(server: NonNullable<ServiceOptions['server']>): Promise<Server> {
		const app = createService({
			server,
			prefix: (path) => /^\/[^/]*/.exec(path)?.[0] ?? '',
			hook: (exchange) => this.#end(exchange),
		});
		await app.ready();
		return app.server;
	}

	async #listen(name: string, server: RawServer): Promise<void> {
		this.#servers.push(server);
		server.on('connection', (socket: Socket) => {
			this.connections.set(name, (this.connections.get(name) ?? 0) + 1);
			this.#sockets.add(socket);
			socket.on('error', () => {});
			socket.on('close', () => this.#sockets.delete(socket));
		});
		server.on('tlsClientError', () => {});
		server.listen(0, '127.0.0.1');
		await once(server, 'listening');
		this.#ports.set(name, (server.address() as AddressInfo).port);
	}

	#end({
		call: { method, path: whole, headers, body },
		request: { socket },
		response,
		verdict,
	}: Asked): Ending {
		const json = { 'content-type': 'application/json; v=1.0' };
		const [, cell = '', ...path] = whole.split('/');
		const guest = this.#guests.get(cell);
		if (guest === undefined) {
			this.followed += 1;
			return { status: 200 };
		}
		if (verdict.operationId === 'apiKey.getCurrent') return { status: 200, headers: json, body: '{}' };
		guest.arrived.push({ method, path: `/${path.join('/')}`, key: String(headers['x-api-key']), body });
		if (guest.left <= 0) return { status: 200, headers: json, body: guest.fine };
		guest.left -= 1;
		const { _parent: below } = socket as Socket & { _parent?: Socket | null };
		guest.spoil({ response, socket, raw: below ?? socket, trap: this.urlOf('http', 'trap') });
		return 'open';
	}
}

async function certificateOf(host: string): Promise<{ private: string; cert: string }> {
	return await generate([{ name: 'commonName', value: host }], {
		extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: host }] }],
	});
}
