/** The messaging service that fails as it is told, for the matrix of faults and the fuzz. */
import { get } from 'node:http';
import { createService, type Ending, type Exchange, type Reply } from '../../dev/sandbox/service.mts';
import type { ServiceOptions } from '../../dev/sandbox/service.mts';
import { listening, type RawServer } from '../raw-server.mts';

/** Whoever calls the service with API keys of its own: a cell of the matrix, a round of the fuzz. */
export interface Party {
	readonly keys: readonly string[];
	/** The answer to GET /Me. */
	me(): Reply;
	/** Records any other request, and says how it ends. */
	meet(exchange: Exchange): Ending | Promise<Ending>;
	/** Called for a request that broke off before it was complete. */
	broke(): void;
}

/** Where redirects lead. No request may follow one. */
export const TRAP = '/trap';

/** Requested by the tests themselves, see `caughtUp`. */
const CAUGHT_UP = '/caught-up';

/** One service for all parties, which tells them apart by their API keys. */
export class FaultyService {
	readonly #parties = new Map<string, Party>();
	readonly #closed = new Set<string>();
	readonly #servers: RawServer[] = [];
	/** Requests of nobody who is played. */
	readonly strays: string[] = [];

	/** Serves it: by HTTP, unless another kind of server is given. */
	async serve(server?: ServiceOptions['server']): Promise<RawServer> {
		const hook = async (exchange: Exchange): Promise<Ending> => {
			try {
				return await this.#end(exchange);
			} catch (error) {
				this.strays.push(String(error));
				return 'closed';
			}
		};
		const app = createService({ hook, ...(server && { server }) });
		await app.ready();
		const served = await listening(app.server);
		this.#servers.push(served);
		return served;
	}

	async stop(): Promise<void> {
		await Promise.all(this.#servers.map(async (server) => await server.close()));
	}

	/** Where it is served first, by HTTP. */
	get url(): string {
		return `http://127.0.0.1:${this.#servers[0]?.port}`;
	}

	/** Starts to accept a party's requests. */
	open(party: Party): void {
		for (const key of party.keys) this.#parties.set(key, party);
	}

	/** Forgets a party. */
	close({ keys }: Party): void {
		for (const key of keys) {
			this.#parties.delete(key);
			this.#closed.add(key);
		}
	}

	/**
	 * Waits until it has read everything sent so far: a request that n8n sent and gave up may still be in the network
	 * stack. Connections are accepted and read in the order in which they were made.
	 */
	async caughtUp(): Promise<void> {
		for (let time = 0; time < 2; time++) {
			await new Promise<void>((resolve, reject) => {
				get(`${this.url}${CAUGHT_UP}`, { agent: false }, (response) => {
					response.resume().once('close', resolve);
				}).once('error', reject);
			});
		}
	}

	async #end(exchange: Exchange): Promise<Ending> {
		const { call, unreadable, verdict } = exchange;
		if (call.path === CAUGHT_UP) return { status: 204 };
		const key = String(call.headers['x-api-key']);
		const party = this.#parties.get(key);
		if (unreadable !== undefined) {
			party?.broke();
			return 'open';
		}
		const asksMe = verdict.operationId === 'apiKey.getCurrent' && verdict.problems.length === 0;
		if (party === undefined || call.path === TRAP) {
			// The gate's own question belongs to no run: the run for which it is asked may have given up waiting.
			const isLate = asksMe && this.#closed.has(key);
			if (!isLate) this.strays.push(`${call.method} ${call.path} with the key ${key}`);
			return { status: 401 };
		}
		return withKey(asksMe ? party.me() : await party.meet(exchange), key);
	}
}

/** An answer with the API key of its request in the place of `KEY`. */
function withKey(ending: Ending, key: string): Ending {
	if (typeof ending === 'string' || 'parts' in ending || !ending.body?.includes('KEY')) return ending;
	const text = Buffer.from(ending.body).toString('latin1').replaceAll('KEY', key);
	return { ...ending, body: Buffer.from(text, 'latin1') };
}
