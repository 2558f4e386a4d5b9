/** The service of the fuzz: checks every request against the API description, and records its real outcome. */
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadContract, type Contract } from '../../dev/sandbox/interface/contract.mts';
import type { Fate } from './fates.mts';
import type { Told } from './scenario.mts';
import type { World } from './world.mts';

/** Requested by the fuzz itself, see `caughtUp`. */
const caughtUpPath = '/caught-up';

/** Length of the accept queue: more connections than all rounds make together. */
const backlog = 4096;

/** A server shared by all rounds. */
export class FuzzService {
	readonly #contract: Contract;
	readonly #server: Server;
	readonly #worlds = new Map<string, World>();
	/** Requests without the API key of a round that is played. */
	readonly strays: string[] = [];
	readonly #closed = new Set<string>();

	constructor() {
		this.#contract = loadContract(process.cwd());
		this.#server = createServer((request, response) => {
			response.on('error', () => {});
			this.#receive(request, response).catch((error: unknown) => {
				this.strays.push(String(error));
				response.destroy();
			});
		});
	}

	async start(): Promise<void> {
		this.#server.listen(0, '127.0.0.1', backlog);
		await once(this.#server, 'listening');
	}

	get url(): string {
		return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
	}

	async stop(): Promise<void> {
		this.#server.closeAllConnections();
		this.#server.close();
		await once(this.#server, 'close');
	}

	/** Starts to accept a round's requests. */
	open(world: World): void {
		for (const key of world.keys) this.#worlds.set(key, world);
	}

	/** Forgets a round. */
	close(world: World): void {
		for (const key of world.keys) {
			this.#worlds.delete(key);
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
				get(`${this.url}${caughtUpPath}`, { agent: false }, (response) => {
					response.resume().once('close', resolve);
				}).once('error', reject);
			});
		}
	}

	async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const { method = '', url = '', headers } = request;
		if (url === caughtUpPath) return void response.writeHead(204).end();
		const key = String(headers['x-api-key']);
		const world = this.#worlds.get(key);
		const bodyText = await readAll(request);
		if (bodyText === undefined) {
			if (world !== undefined) world.brokenOff += 1;
			return;
		}
		if (world === undefined) {
			// The gate's own question belongs to no run: the run for which it is asked may have given up waiting.
			const isLate = method === 'GET' && url === '/api/v1/Me' && this.#closed.has(key);
			if (!isLate) this.strays.push(`${method} ${url} with the key ${key}`);
			return void response.writeHead(401).end();
		}
		const [path = '', text] = url.split('?');
		const body = parse(bodyText);
		const query = text === undefined ? {} : { query: text };
		const { operationId, parameters, problems } = this.#contract.check({
			...{ method, path, query, headers, bodyText, body },
		});
		const { kind, items } = world.scenario;
		if (problems.length === 0) {
			if (operationId === 'apiKey.getCurrent') return tell(response, world.tellPlan());
			if (operationId === 'channel.getAll' && kind.sharesCalls) return tell(response, world.tellChannels());
		}
		const asked =
			operationId === kind.id && problems.length === 0
				? kind.read(body, parameters, items)
				: [...problems, `not what ${kind.id} asks for`];
		if (Array.isArray(asked)) {
			world.violations.push(
				`does not conform: ${method} ${url} ${bodyText.slice(0, 300)}: ${asked.join('; ')}`,
			);
			return tell(response, { status: 400, text: '{}' });
		}
		const arrival = world.take(asked);
		const over = (): void => {
			arrival.isCutOff ||= !response.writableFinished;
			arrival.isOpen = false;
		};
		if (response.closed) over();
		else response.once('close', over);
		await world.held(arrival);
		const { fate } = arrival;
		if (fate.slowMs > 0) await sleep(fate.slowMs);
		if (response.destroyed || fate.kind === 'silent') return;
		arrival.answeredAt = world.tick();
		answer(response, fate, key, { ...kind.reply(body), note: `for ${key}` });
	}
}

const json = { 'content-type': 'application/json; v=1.0' };

/** The whole body; undefined when the request breaks off before. */
async function readAll(request: IncomingMessage): Promise<string | undefined> {
	const chunks: Buffer[] = [];
	try {
		for await (const chunk of request) chunks.push(chunk as Buffer);
	} catch {
		return undefined;
	}
	return Buffer.concat(chunks).toString('utf8');
}

function tell(response: ServerResponse, { status, text }: Told): void {
	response.writeHead(status, json).end(text);
}

function answer(response: ServerResponse, fate: Fate, key: string, usual: object): void {
	const usualBytes = Buffer.from(JSON.stringify(usual));
	const { socket } = response;
	switch (fate.kind) {
		case 'dropped':
			// Not by a reset: if the client hangs up at the same moment, Node.js never closes the connection.
			socket?.destroy();
			return;
		case 'cut':
			response.writeHead(200, { ...json, 'content-length': usualBytes.length });
			response.write(usualBytes.subarray(0, usualBytes.length / 2));
			setTimeout(() => socket?.destroy(), 1);
			return;
		case 'page':
			response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>${key}</title>`);
			return;
		default: {
			const odd = fate.bytes && Buffer.from(fate.bytes.toString('latin1').replaceAll('KEY', key), 'latin1');
			response.writeHead(fate.status, { ...json, ...fate.headers }).end(odd ?? usualBytes);
		}
	}
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
