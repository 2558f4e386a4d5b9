/** A service on this machine that answers as a scenario says, and counts. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createWindow, type Window } from '../../dev/sandbox/rate-limit.mts';
import { nginxPage } from '../cases/answers.mts';
import { listening, type RawServer } from '../raw-server.mts';

/** A send that has arrived: its number, from 1, and what it says. */
export interface Arrival {
	readonly number: number;
	readonly channel: string;
	readonly to: string;
	readonly now: number;
}

/** How a send is answered: accepted, or with a status, or not at all. */
export type Treatment =
	| 'accept'
	| 'reset'
	| 'hang'
	| 'page503'
	| { status: number; retryAfter?: number; isProblem?: boolean };

/** The plan that GET /Me shows, and that is counted in the window that ends now. */
export interface Plan {
	readonly limit: number;
	readonly seconds: number;
}

export class WaitsService {
	/** The texts that were accepted, and when; and how many sends were refused. */
	readonly accepted = new Map<string, number>();
	refused = 0;
	arrived = 0;
	readonly #treat: (arrival: Arrival) => Treatment;
	readonly #plan: Plan | undefined;
	readonly #window: Window | undefined;
	#server!: RawServer;

	constructor(treat: (arrival: Arrival) => Treatment, plan?: Plan) {
		this.#treat = treat;
		this.#plan = plan;
		this.#window = plan && createWindow('sliding', plan.limit, plan.seconds);
	}

	async start(): Promise<this> {
		this.#server = await listening(
			createServer((request, response) => void this.#answer(request, response).catch(() => {})),
		);
		return this;
	}

	get url(): string {
		return `http://127.0.0.1:${this.#server.port}`;
	}

	async stop(): Promise<void> {
		await this.#server.close();
	}

	async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const text = (await request.toArray()).join('');
		const now = performance.now();
		const json = (status: number, body: object, headers = {}): void =>
			void response
				.writeHead(status, { 'content-type': 'application/json', ...headers })
				.end(JSON.stringify(body));
		const waitMs = this.#window?.take(now) ?? 0;
		if (request.url?.endsWith('/Me') === true && waitMs === 0) {
			return json(200, { id: '1', type: 'account', ...(this.#plan && { resourcePlan: this.#plan }) });
		}
		// It works for a moment.
		await sleep(20);
		if (waitMs > 0) {
			this.refused += 1;
			return json(429, { title: 'Later' }, { 'retry-after': String(Math.ceil(waitMs / 1000)) });
		}
		if (request.method === 'GET') return json(200, []);
		const sent = JSON.parse(text) as {
			channelId: string;
			to?: { email?: string };
			content?: { text?: string };
		};
		const arrival = { number: ++this.arrived, channel: sent.channelId, to: text, now };
		const treatment = this.#treat(arrival);
		if (treatment === 'accept') {
			this.accepted.set(sent.content?.text ?? '', now);
			return json(200, { ...sent, messageId: String(arrival.number) });
		}
		this.refused += 1;
		if (treatment === 'hang') return;
		if (treatment === 'reset') return void request.socket.destroy();
		if (treatment === 'page503') {
			const page = nginxPage(503, 'Service Temporarily Unavailable');
			return void response.writeHead(503, { 'content-type': 'text/html' }).end(page);
		}
		const { isProblem = false, retryAfter, status } = treatment;
		const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
		json(status, isProblem ? { title: 'Later', status } : {}, headers);
	}
}
