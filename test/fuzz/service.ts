/** The service of the fuzz: checks every request against the interface, and writes down what has really become of it. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadContract, type Contract } from '../../sandbox/interface/contract.ts';
import type { Fate, Scenario } from './scenario.ts';

/** One request of a message, as the service knows it. */
export interface Arrival {
	/** Which execution's message it is, and which item's. */
	readonly label: string;
	readonly execution: number;
	readonly item: number;
	readonly packageId: string;
	readonly to: string;
	readonly text: string;
	readonly fate: Fate;
	/** When it came and when its answer began, by the world's count; undefined without an answer. */
	readonly cameAt: number;
	answeredAt: number | undefined;
	/** Whether the other end hung up before the answer was out. */
	isCutOff: boolean;
	/** Whether it still waits for its answer. */
	isOpen: boolean;
}

const plain: Fate = { kind: 'ok', taken: true, status: 200, headers: {}, slowMs: 0 };

/** What is the service's in one round: its keys, its messages, what goes wrong. */
export class World {
	readonly keys: readonly [string, string];
	readonly arrivals: Arrival[] = [];
	/** What no request may be. */
	readonly violations: string[] = [];
	/** Whether nothing goes wrong any more. */
	isWell = false;
	readonly #scenario: Scenario;
	/** From which request on answers are held back. */
	#holdFrom = Infinity;
	#reached = Promise.withResolvers<void>();
	#released = Promise.withResolvers<void>();
	#now = 0;

	constructor(scenario: Scenario) {
		this.#scenario = scenario;
		const number = String(scenario.seed).padStart(10, '0');
		this.keys = [`acc_fuzz${number}aAbBcCdD`, `acc_fuzz${number}eEfFgGhH`];
	}

	get me(): Scenario['me'] {
		return this.#scenario.me;
	}

	/** A moment; each is later than the one before. */
	tick(): number {
		return ++this.#now;
	}

	/** What the next request under a label meets. */
	fateOf(label: string, item: number): Fate {
		if (this.isWell) return plain;
		const before = this.arrivals.filter((arrival) => arrival.label === label).length;
		return this.#scenario.fates[item]?.[before] ?? plain;
	}

	/** Holds answers back after so many more requests. */
	holdAfter(more: number): void {
		this.#holdFrom = this.arrivals.length + more;
		this.#reached = Promise.withResolvers();
		this.#released = Promise.withResolvers();
	}

	/** Waits until an answer is held back. */
	get holds(): Promise<void> {
		return this.#reached.promise;
	}

	/** Waits, where answers are held back. */
	async held(number: number): Promise<void> {
		if (number < this.#holdFrom) return;
		this.#reached.resolve();
		await this.#released.promise;
	}

	/** Holds back no answer any more. */
	release(): void {
		this.#holdFrom = Infinity;
		this.#released.resolve();
	}
}

/** The server that all rounds share. */
export class FuzzService {
	readonly #contract: Contract;
	readonly #server: Server;
	readonly #sockets = new Set<Socket>();
	readonly #worlds = new Map<string, World>();
	/** Requests that nobody can be told of: they carry no key that is known. */
	readonly strays: string[] = [];

	constructor() {
		this.#contract = loadContract(process.cwd());
		this.#server = createServer((request, response) => {
			response.on('error', () => {});
			this.#receive(request, response).catch((error: unknown) => {
				this.strays.push(String(error));
				response.destroy();
			});
		});
		this.#server.on('connection', (socket) => {
			this.#sockets.add(socket);
			socket.on('error', () => {});
			socket.on('close', () => this.#sockets.delete(socket));
		});
	}

	async start(): Promise<void> {
		this.#server.listen(0, '127.0.0.1');
		await once(this.#server, 'listening');
	}

	get url(): string {
		return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
	}

	async stop(): Promise<void> {
		for (const socket of this.#sockets) socket.destroy();
		this.#server.close();
		await once(this.#server, 'close');
	}

	/** Takes a round's requests from now on. */
	open(world: World): void {
		for (const key of world.keys) this.#worlds.set(key, world);
	}

	/** Knows a round no longer. */
	close(world: World): void {
		for (const key of world.keys) this.#worlds.delete(key);
	}

	async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const chunks: Buffer[] = [];
		try {
			for await (const chunk of request) chunks.push(chunk as Buffer);
		} catch {
			// It broke off before it was whole: nothing has arrived.
			return;
		}
		const bodyText = Buffer.concat(chunks).toString('utf8');
		const key = String(request.headers['x-api-key']);
		const world = this.#worlds.get(key);
		const { method = '', url = '' } = request;
		if (world === undefined) {
			this.strays.push(`${method} ${url} with the key ${key}`);
			return void response.writeHead(401).end();
		}
		const [path = '', query] = url.split('?');
		const body = parse(bodyText);
		const { headers } = request;
		const verdict = this.#contract.check({
			method,
			path,
			query: query === undefined ? {} : { query },
			headers,
			bodyText,
			body,
		});
		if (verdict.operationId === 'apiKey.getCurrent' && verdict.problems.length === 0) {
			return void response.writeHead(world.me.status, json).end(world.me.text);
		}
		const message = body as MessageBody;
		const problems = [...verdict.problems, ...problemsOf(message)];
		if (verdict.operationId !== 'message.send' || problems.length > 0) {
			world.violations.push(
				`does not conform: ${method} ${url} ${bodyText.slice(0, 300)}: ${problems.join('; ')}`,
			);
			return void response.writeHead(400, json).end('{}');
		}
		await this.#take(world, message, { key, response });
	}

	async #take(
		world: World,
		body: MessageBody,
		{ key, response }: { key: string; response: ServerResponse },
	): Promise<void> {
		const label = body.correlationId ?? '';
		const [, execution = NaN, item = NaN] = (/^e(\d+)i(\d+)$/.exec(label) ?? []).map(Number);
		const fate = world.fateOf(label, item);
		const arrival: Arrival = {
			label,
			execution,
			item,
			packageId: body.packageId ?? '',
			to: body.content?.to?.email ?? '',
			text: body.content?.text ?? '',
			fate,
			cameAt: world.tick(),
			answeredAt: undefined,
			isCutOff: false,
			isOpen: true,
		};
		const number = world.arrivals.push(arrival) - 1;
		const over = (): void => {
			arrival.isCutOff ||= !response.writableFinished;
			arrival.isOpen = false;
		};
		if (response.closed) over();
		else response.once('close', over);
		await world.held(number);
		if (fate.slowMs > 0) await sleep(fate.slowMs);
		if (response.destroyed) return;
		if (fate.kind === 'silent') return;
		arrival.answeredAt = world.tick();
		answer(response, fate, key, body);
	}
}

const json = { 'content-type': 'application/json; v=1.0' };

interface MessageBody {
	packageId?: string;
	correlationId?: string;
	channelId?: string;
	content?: { text?: string; type?: string; to?: { type?: string; email?: string } };
}

/** What the sandbox refuses besides. */
function problemsOf(body: MessageBody | undefined): string[] {
	const { channelId, content, correlationId } = body ?? {};
	const { email = '' } = content?.to ?? {};
	return [
		...(channelId === undefined ? ['channelId: missing'] : []),
		...(/^e\d+i\d+$/.test(correlationId ?? '') ? [] : ['correlationId: not as given']),
		...(/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email) ? [] : ['content.to.email: must be an e-mail address']),
		...((content?.text ?? '') === '' ? ['content.text: must not be empty'] : []),
	];
}

function answer(response: ServerResponse, fate: Fate, key: string, body: MessageBody): void {
	const usual = Buffer.from(
		JSON.stringify({
			...body,
			content: { ...body.content, messageId: `m-${body.packageId}` },
			note: `for ${key}`,
		}),
	);
	const bytes =
		fate.bytes === undefined
			? usual
			: Buffer.from(fate.bytes.toString('latin1').replaceAll('KEY', key), 'latin1');
	const { socket } = response;
	switch (fate.kind) {
		case 'dropped':
			// Not by a reset: where the other end hangs up at this moment, Node.js never closes such a connection.
			socket?.destroy();
			return;
		case 'cut':
			response.writeHead(200, { ...json, 'content-length': usual.length });
			response.write(usual.subarray(0, usual.length / 2));
			setTimeout(() => socket?.destroy(), 1);
			return;
		case 'page':
			response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>${key}</title>`);
			return;
		default:
			response.writeHead(fate.status, { ...json, ...fate.headers }).end(bytes);
	}
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
