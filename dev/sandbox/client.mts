import { request } from 'undici';
import type { Received } from './incoming.mts';
import type { ChannelView } from './records/model.mts';
import type {
	FaultReport,
	FaultRule,
	IncomingMessage,
	LoggedRequest,
	PlanSettings,
	SandboxState,
} from './types.mts';

type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';

/** A client of the sandbox's control endpoints. */
export class SandboxClient {
	readonly #control: string;

	/** `control` is the address of the control endpoints, as the sandbox prints it. */
	constructor(control: string) {
		this.#control = control;
	}

	/** The whole state, with unmasked tokens. */
	state(): Promise<SandboxState> {
		return this.#call('GET', '/state');
	}

	/** Every API request received, in the order of arrival. */
	requests(): Promise<LoggedRequest[]> {
		return this.#call('GET', '/requests');
	}

	async clearRequests(): Promise<void> {
		await this.#send('DELETE', '/requests');
	}

	/** Back to the seeded state; gives the tokens, which are new ones under another seed. */
	reset(seed?: number): Promise<{ seed: number; tokens: { org: string; acc: string } }> {
		return this.#call('POST', '/reset', seed === undefined ? {} : { seed });
	}

	/** The faults that are switched on, and how often each applied. */
	faults(): Promise<FaultReport[]> {
		return this.#call('GET', '/faults');
	}

	/** Replaces the faults. */
	setFaults(rules: FaultRule[]): Promise<FaultReport[]> {
		return this.#call('PUT', '/faults', rules);
	}

	async clearFaults(): Promise<void> {
		await this.#send('DELETE', '/faults');
	}

	/** Sets the plan of one key or of all keys. */
	setPlan(settings: PlanSettings): Promise<PlanSettings> {
		return this.#call('PUT', '/plan', settings);
	}

	/** Connects or disconnects a channel, or changes its status or feedback channel. */
	changeChannel(
		channelId: string,
		change: { isConnected?: boolean; channelStatusId?: number; feedbackChannelId?: string | null },
	): Promise<ChannelView> {
		return this.#call('PATCH', `/channels/${channelId}`, change);
	}

	/** A customer writes to a channel. */
	receive(message: IncomingMessage): Promise<Received> {
		return this.#call('POST', '/incoming', message);
	}

	/** Delivers every pending outbox entry of the connected channels, and waits for the answers. */
	async deliverOutbox(): Promise<void> {
		await this.#send('POST', '/outbox/deliver');
	}

	async #call<T>(method: Method, path: string, body?: unknown): Promise<T> {
		return JSON.parse(await this.#send(method, path, body));
	}

	async #send(method: Method, path: string, body?: unknown): Promise<string> {
		const content =
			body === undefined
				? {}
				: { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
		const response = await request(this.#control + path, { method, ...content });
		const text = await response.body.text();
		if (response.statusCode >= 300) {
			throw new Error(`The sandbox answered ${response.statusCode} to ${method} ${path}: ${text}`);
		}
		return text;
	}
}
