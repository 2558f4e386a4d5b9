/** The faulty services, which record every request that arrives. */
import { createServer, type Server as HttpServer, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createRawServer, type Server, type Socket } from 'node:net';
import {
	createService,
	type Ending,
	type Exchange as Asked,
	type ServiceOptions,
} from '../../dev/sandbox/service.mts';
import { certificateOf, listening, type RawServer } from '../raw-server.mts';

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
	readonly #guests = new Map<string, Guest>();
	readonly #servers = new Map<string, RawServer>();

	async start(): Promise<void> {
		const [trusted, stranger] = await Promise.all([certificateOf('localhost'), certificateOf('localhost')]);
		this.certificate = trusted.cert;
		const servers: Partial<Record<Place, Server>> = {
			http: await this.#serve(createServer),
			tls: await this.#serve((listener) => createTlsServer(trusted, listener)),
			'certificate of a stranger': await this.#serve((listener) => createTlsServer(stranger, listener)),
			'tls closed': createRawServer((socket) => socket.end()),
			'tls silent': createRawServer(),
			'reset on request': createRawServer((socket) => socket.once('data', () => socket.resetAndDestroy())),
			'closed port': createRawServer(),
		};
		for (const [name, server] of Object.entries(servers)) this.#servers.set(name, await listening(server));
		this.#servers.get('closed port')?.refuse();
	}

	async stop(): Promise<void> {
		await Promise.all([...this.#servers.values()].map(async (server) => await server.close()));
	}

	/** How many connections were made to each of the servers. */
	get connections(): ReadonlyMap<string, number> {
		return new Map([...this.#servers].map(([name, server]) => [name, server.connections()]));
	}

	/** Starts to accept a cell's requests. */
	welcome(cell: string, guest: Guest): void {
		this.#guests.set(cell, guest);
	}

	/** The Base URL for a cell at a place. */
	urlOf(place: Place, cell: string): string {
		const [origin, server = place] = origins[place] ?? ['http://127.0.0.1'];
		return `${origin}:${this.#servers.get(server)?.port ?? 80}/${cell}`;
	}

	/** A service whose requests name their cell first, on a server that is made for it. */
	async #serve(server: NonNullable<ServiceOptions['server']>): Promise<HttpServer> {
		const app = createService({
			server,
			prefix: (path) => /^\/[^/]*/.exec(path)?.[0] ?? '',
			hook: (exchange) => this.#end(exchange),
		});
		await app.ready();
		return app.server;
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
