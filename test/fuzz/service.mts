/** The service of the fuzz: checks every request against the API description, and records its real outcome. */
import type { FastifyInstance } from 'fastify';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createService, type Ending, type Exchange, listen } from '../../dev/sandbox/service.mts';
import { readRequest, usualAnswer } from './messages.mts';
import type { Treatment } from './treatments.mts';
import type { World } from './world.mts';

/** Requested by the fuzz itself, see `caughtUp`. */
const caughtUpPath = '/caught-up';

/** Length of the accept queue: more connections than all rounds make together. */
const backlog = 4096;

/** A service shared by all rounds. */
export class FuzzService {
	readonly #app: FastifyInstance;
	readonly #worlds = new Map<string, World>();
	/** Requests without the API key of a round that is played. */
	readonly strays: string[] = [];
	readonly #closed = new Set<string>();
	url = '';

	constructor() {
		const hook = async (exchange: Exchange): Promise<Ending> => {
			try {
				return await this.#end(exchange);
			} catch (error) {
				this.strays.push(String(error));
				return 'closed';
			}
		};
		this.#app = createService({ hook });
	}

	async start(): Promise<void> {
		this.url = await listen(this.#app, { backlog });
	}

	async stop(): Promise<void> {
		await this.#app.close();
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

	async #end({ call, verdict, response, unreadable }: Exchange): Promise<Ending> {
		const { method, path, headers, bodyText, body } = call;
		const { operationId, problems } = verdict;
		if (path === caughtUpPath) return { status: 204 };
		const key = String(headers['x-api-key']);
		const world = this.#worlds.get(key);
		if (unreadable !== undefined) {
			if (world !== undefined) world.brokenOff += 1;
			return 'open';
		}
		if (world === undefined) {
			// The gate's own question belongs to no run: the run for which it is asked may have given up waiting.
			const isLate = operationId === 'apiKey.getCurrent' && this.#closed.has(key);
			if (!isLate) this.strays.push(`${method} ${path} with the key ${key}`);
			return { status: 401 };
		}
		if (problems.length === 0 && operationId === 'apiKey.getCurrent') {
			const { body: told, headers: more, status } = world.tellPlan();
			return { status, headers: { ...json, ...more }, body: told.replaceAll('KEY', key) };
		}
		const isSend = operationId === 'message.send' && problems.length === 0;
		const asked = isSend ? readRequest(body, world.scenario.items) : undefined;
		if (asked === undefined) {
			const what = `${method} ${path} ${bodyText.slice(0, 300)}`;
			const why = problems.join('; ') || 'correlationId, channelId, to or text: not as given';
			world.violations.push(`does not conform: ${what}: ${why}`);
			return { status: 400, headers: json, body: '{}' };
		}
		const arrival = world.take(asked);
		const over = (): void => {
			arrival.isCutOff ||= !response.writableFinished;
			arrival.isOpen = false;
		};
		if (response.closed) over();
		else response.once('close', over);
		await world.held(arrival);
		const { treatment } = arrival;
		if (treatment.slowMs > 0) await sleep(treatment.slowMs);
		if (response.destroyed || treatment.kind === 'silent') return 'open';
		arrival.answeredAt = world.tick();
		return endingOf(treatment, key, { ...usualAnswer(body), note: `for ${key}` });
	}
}

const json = { 'content-type': 'application/json; v=1.0' };

/** How a treatment ends a request. */
function endingOf({ kind, status, headers, bytes }: Treatment, key: string, usual: object): Ending {
	const body = JSON.stringify(usual);
	// Not by a reset: if the client hangs up at the same moment, Node.js never closes the connection.
	if (kind === 'dropped') return 'closed';
	if (kind === 'cut') return { status: 200, headers: json, body, isCut: true };
	if (kind === 'page')
		return { status: 200, headers: { 'content-type': 'text/html' }, body: `<title>${key}</title>` };
	const odd = bytes && Buffer.from(bytes.toString('latin1').replaceAll('KEY', key), 'latin1');
	return { status, headers: { ...json, ...headers }, body: odd ?? body };
}
