import { KeyGate } from '../../../../nodes/Messaging/delivery/pace/key-gate.ts';
import type { Service } from '../../../../nodes/Messaging/service/connect.ts';
import { FakeClock } from '../fake-clock.mts';
import { environment, sendAll } from '../run.mts';
import { SimulatedService, type SimulationSettings } from './simulated-service.mts';

interface Worker {
	/** When its requests arrived, and whether they were accepted. */
	readonly log: Array<{ at: number; taken: boolean }>;
	readonly stop: AbortController;
}

/** Pseudorandom numbers from 0 to 1, the same each time. */
export function numbers(seed: number): () => number {
	let state = seed * 7919 + 1;
	return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** Workers that share only a key, each with its own gate, sending as fast as they can. */
export class Workers {
	readonly clock = new FakeClock();
	readonly #service: SimulatedService;
	readonly #settings: SimulationSettings;
	readonly #workers: Worker[] = [];

	constructor(settings: SimulationSettings) {
		this.#settings = settings;
		this.#service = new SimulatedService(this.clock, settings);
	}

	/** Another worker begins to send, this many milliseconds after the first. */
	async startAt(moment: number): Promise<void> {
		await this.clock.pass(moment - this.clock.now());
		const gate = new KeyGate(this.clock, numbers(this.#workers.length + 18));
		const worker: Worker = { log: [], stop: new AbortController() };
		const service: Service = {
			id: 'shared',
			request: async (call) => {
				const reply = await this.#service.request(call);
				worker.log.push({ at: this.clock.now(), taken: reply.status !== 429 });
				return reply;
			},
		};
		const env = environment(this.clock, service, { gate, signal: worker.stop.signal });
		this.#workers.push(worker);
		// More would only wait at the gate, which takes time.
		void sendAll(env, Infinity, { maxWaitMs: Infinity }, { bound: 16 });
	}

	/** Stops all from this one on. */
	stopFrom(first: number): void {
		for (const { stop } of this.#workers.slice(first)) stop.abort();
	}

	/** Lets this much time pass. Returns which share of the plan each used, and all, and which share was refused. */
	async during(ms: number): Promise<{ each: number[]; used: number; refused: number }> {
		const from = this.clock.now();
		await this.clock.pass(ms);
		const { limit, seconds } = this.#settings;
		const whole = (limit * ms) / (seconds * 1000);
		const ended = this.#workers.map(({ log }) => log.filter(({ at }) => at > from));
		const each = ended.map((requests) => requests.filter(({ taken }) => taken).length / whole);
		const all = ended.flat();
		return {
			each,
			used: each.reduce((sum, share) => sum + share, 0),
			refused: all.filter(({ taken }) => !taken).length / all.length,
		};
	}
}
