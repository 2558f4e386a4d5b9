/** A messaging service that counts what has arrived, fails as it is told, and forgets nothing over a restart. */
import type { FastifyInstance } from 'fastify';
import { setTimeout as sleep } from 'node:timers/promises';
import { createService, type Ending, type Exchange } from '../../dev/sandbox/service.mts';
import { listening, type RawServer } from '../raw-server.mts';
import { LIMIT_SECONDS } from './configurations.mts';

/** How long an answer takes, in milliseconds: one in time, and one that is too late for a gateway. */
const QUICK_MS = 20;
const LATE_MS = 3000 * LIMIT_SECONDS;

const json = { 'content-type': 'application/json; v=1.0' };

interface Sent {
	readonly packageId: string;
	readonly content: { readonly to: { readonly email: string } };
}

export class CountingService {
	/** The `packageId`s that have arrived for each recipient. */
	readonly arrived = new Map<string, string[]>();
	/** Behind so many messages, answers come too late. The messages have arrived before. */
	lateAfter = Infinity;
	readonly #app: FastifyInstance;
	#server: RawServer | undefined;

	constructor() {
		this.#app = createService({ hook: async (exchange) => await this.#handle(exchange) });
	}

	get port(): number {
		return this.#server?.port ?? 0;
	}

	/** How many messages have arrived, each as often as it did. */
	get count(): number {
		return [...this.arrived.values()].reduce((sum, packageIds) => sum + packageIds.length, 0);
	}

	async start(): Promise<void> {
		await this.#app.ready();
		this.#server = await listening(this.#app.server);
	}

	/** Breaks all connections, and refuses new ones for a while. */
	async restart(ms: number): Promise<void> {
		const { port } = this;
		await this.#server?.close();
		await sleep(ms);
		this.#server = await listening(this.#app.server, port);
	}

	async stop(): Promise<void> {
		await this.#server?.close();
		await this.#app.close();
	}

	async #handle({ call, verdict }: Exchange): Promise<Ending> {
		if (verdict.problems.length > 0) return { status: verdict.status, headers: json, body: '{}' };
		if (verdict.operationId !== 'message.send') return { status: 200, headers: json, body: '{}' };
		const { content, packageId } = call.body as Sent;
		const { email } = content.to;
		this.arrived.set(email, [...(this.arrived.get(email) ?? []), packageId]);
		const ms = this.count > this.lateAfter ? LATE_MS : QUICK_MS;
		await sleep(ms, undefined, { ref: false });
		return { status: 200, headers: json, body: call.bodyText };
	}
}
