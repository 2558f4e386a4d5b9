/** The servers that the cells of the matrix call: the service by HTTP and TLS, and what is in its place. */
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createRawServer } from 'node:net';
import { certificateOf, listening, type RawServer } from '../raw-server.mts';
import type { Place } from '../service/faults.mts';
import type { FaultyService } from '../service/faulty-service.mts';

/** The scheme and host of a place, and the server there if it is not the place's own. */
const ORIGINS: Readonly<Partial<Record<Place, readonly [origin: string, server?: Place]>>> = {
	tls: ['https://localhost'],
	'certificate of another host': ['https://127.0.0.1', 'tls'],
	'certificate of a stranger': ['https://localhost'],
	'tls at http': ['https://127.0.0.1', 'http'],
	'tls closed': ['https://127.0.0.1'],
	'tls silent': ['https://127.0.0.1'],
};

/** All places of one run. */
export class Places {
	private constructor(
		/** The certificate that the engine has to trust. */
		readonly certificate: string,
		private readonly servers: ReadonlyMap<Place, RawServer>,
	) {}

	static async open(service: FaultyService): Promise<Places> {
		const [trusted, stranger] = await Promise.all([certificateOf('localhost'), certificateOf('localhost')]);
		const closed = await listening(createRawServer());
		closed.refuse();
		const servers = new Map<Place, RawServer>([
			['http', await service.serve(createServer)],
			['tls', await service.serve((listener) => createTlsServer(trusted, listener))],
			['certificate of a stranger', await service.serve((listener) => createTlsServer(stranger, listener))],
			['tls closed', await listening(createRawServer((socket) => socket.end()))],
			['tls silent', await listening(createRawServer())],
			[
				'reset on request',
				await listening(createRawServer((socket) => socket.once('data', () => socket.resetAndDestroy()))),
			],
			['closed port', closed],
		]);
		return new Places(trusted.cert, servers);
	}

	/** How many connections were made to a place. */
	connectionsTo(place: Place): number {
		return this.servers.get(place)?.connections() ?? 0;
	}

	/** The Base URL of a place. */
	urlOf(place: Place): string {
		const [origin, server = place] = ORIGINS[place] ?? ['http://127.0.0.1'];
		return `${origin}:${this.servers.get(server)?.port ?? 80}`;
	}

	async close(): Promise<void> {
		await Promise.all([...this.servers.values()].map(async (server) => await server.close()));
	}
}
