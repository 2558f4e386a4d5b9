import { setTimeout as sleep } from 'node:timers/promises';
import { EnvHttpProxyAgent, request } from 'undici';

import { addKey } from '../../credentials/api-key.ts';
import type { ApiCall } from '../../nodes/Messaging/service/api-call.ts';
import { ask, serviceOf } from '../../nodes/Messaging/service/connect.ts';
import { type Failure, isFailure, unsent } from '../../nodes/Messaging/service/endings.ts';
import type { Plan } from '../../nodes/Messaging/service/plan.ts';
import type { Reply } from '../../nodes/Messaging/service/reply.ts';

/** What came of a call, as the node understands it. `withheld`: it was not sent, or not answered in time. */
export type Result = Reply | Failure;

/** How long all requests may take together, and each alone, in milliseconds. None leaves with less time than LEAST_MS. */
const [ALL_MS, ONE_MS, LEAST_MS] = [7000, 3000, 1000];

/** The credential without its key, which differs from call to call. */
export interface Credential {
	baseUrl: string;
	header?: boolean;
	headerName?: string;
	headerValue?: string;
}

/** Calls a service as the node does, one call after the other. Only the transport is undici's. */
export class Client {
	/** The plan to keep to, as soon as it is known. */
	plan: Plan = { limit: Infinity, windowMs: 0 };
	/** Why no more requests leave. */
	stopped: string | undefined;

	readonly #credential: Credential;
	readonly #endsAt = performance.now() + ALL_MS;
	readonly #agent = new EnvHttpProxyAgent();
	readonly #answeredAt: number[] = [];

	constructor(credential: Credential) {
		this.#credential = credential;
	}

	/**
	 * Sends one call, once.
	 *
	 * @throws if the address, the key or the custom header can't be one
	 */
	async call(call: ApiCall, apiKey: string): Promise<Result> {
		let late: AbortSignal | undefined;
		const credential = { ...this.#credential, apiKey };
		const service = serviceOf(credential, async (options, signal) => {
			late = signal;
			const { url, method = 'GET', headers, body } = await addKey(credential, options);
			return await request(url, {
				...{ method, signal, dispatcher: this.#agent, headers: headers as Record<string, string> },
				...(typeof body === 'string' && { body }),
			});
		});
		if (isFailure(service)) throw new Error(service.message.replace(' in the credential', ''));
		this.stopped ??= await this.#turn();
		if (this.stopped !== undefined) return unsent('Not asked', this.stopped);
		const result = await ask(service, call, {
			timeoutMs: Math.min(ONE_MS, Math.floor(this.#endsAt - performance.now())),
		});
		this.#answeredAt.push(performance.now());
		if (!isFailure(result)) return result;
		if (result.statusCode === null && late?.aborted === true) {
			return unsent('No answer', 'The check waits for 3 seconds at most.');
		}
		if (result.cause !== 'throttled') return result;
		this.stopped = `The service asked to come back later (${result.statusCode}).`;
		return unsent(result.message, this.stopped);
	}

	/** Ends its connections. */
	async close(): Promise<void> {
		await this.#agent.destroy();
	}

	/**
	 * Waits until one more request keeps to half of the plan: the other half is for those who use the key at this moment.
	 *
	 * @returns why the request can't leave, if it can't
	 */
	async #turn(): Promise<string | undefined> {
		const { limit, windowMs } = this.plan;
		const before = this.#answeredAt.at(-Math.max(1, Math.floor(limit / 2))) ?? -Infinity;
		const waitMs = Math.max(0, before + windowMs - performance.now());
		if (performance.now() + waitMs + LEAST_MS <= this.#endsAt) return void (await sleep(waitMs));
		return waitMs === 0
			? 'The service is too slow for the check to ask everything.'
			: 'The check uses half of the plan of the key, which is too little. Use a key with a larger plan.';
	}
}
