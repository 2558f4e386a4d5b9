import type { ApiCall } from '../../../../nodes/Messaging/service/api-call.ts';
import type { Service } from '../../../../nodes/Messaging/service/connect.ts';
import type { Reply } from '../../../../nodes/Messaging/service/reply.ts';
import { createWindow, type Window, type WindowAlgorithm } from '../../../../dev/sandbox/rate-limit.mts';
import type { FakeClock } from '../fake-clock.mts';

/** How a simulated service counts and answers. */
export interface SimulationSettings {
	limit: number;
	seconds: number;
	algorithm: WindowAlgorithm;
	/** Where its windows begin. */
	phaseMs?: number;
	/** The round trip of a request; random for each. */
	latency: () => { thereMs: number; backMs: number };
	/** Whether /Me shows the plan. */
	visible: boolean;
	retryAfter?: 'seconds' | 'date' | 'none';
}

/** The service's own time when the fake clock begins. */
const epoch = Date.UTC(2026, 0, 1);

/** A service with a plan, in simulated time: it counts each request on arrival, including /Me. */
export class SimulatedService implements Service {
	readonly id = 'simulated';
	/** Arrival times of requests within the plan. */
	readonly counted: number[] = [];
	/** Arrival times of accepted sends. */
	readonly accepted: number[] = [];
	/** Arrival times of requests refused with 429. */
	readonly refused: number[] = [];
	asked = 0;
	readonly #window: Window;
	readonly #clock: FakeClock;
	readonly #settings: SimulationSettings;

	constructor(clock: FakeClock, settings: SimulationSettings) {
		this.#clock = clock;
		this.#settings = settings;
		this.#window = createWindow(settings.algorithm, settings.limit, settings.seconds);
	}

	async request(call: ApiCall): Promise<Reply> {
		const { thereMs, backMs } = this.#settings.latency();
		await this.#clock.sleep(thereMs);
		const reply = this.#answer(call);
		await this.#clock.sleep(backMs);
		return reply;
	}

	#answer({ method, path }: ApiCall): Reply {
		const now = this.#clock.now();
		const isMe = path.endsWith('/Me');
		if (isMe) this.asked += 1;
		const waitMs = this.#window.take(now + (this.#settings.phaseMs ?? 0));
		if (waitMs > 0) {
			this.refused.push(now);
			return { status: 429, headers: this.#retryAfter(now, waitMs), body: { title: 'Too many requests' } };
		}
		this.counted.push(now);
		if (!isMe) this.accepted.push(now);
		const { limit, seconds, visible } = this.#settings;
		const body = isMe && visible ? { resourcePlan: { limit, seconds } } : { method };
		return { status: 200, headers: {}, body };
	}

	/** As the sandbox and n8n handle it: whole seconds, rounded up; dates in whole seconds. */
	#retryAfter(now: number, waitMs: number): Record<string, string> {
		const { retryAfter = 'seconds' } = this.#settings;
		if (retryAfter === 'none') return {};
		if (retryAfter === 'seconds') return { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) };
		const until = Math.ceil((epoch + now + waitMs) / 1000) * 1000;
		return { 'retry-after': new Date(until).toUTCString(), date: new Date(epoch + now).toUTCString() };
	}
}

/** The maximum number of requests in any window of this length, wherever it begins. */
export function mostInAnyWindow(moments: readonly number[], windowMs: number): number {
	const sorted = [...moments].sort((one, other) => one - other);
	let most = 0;
	let first = 0;
	for (const [index, moment] of sorted.entries()) {
		while ((sorted[first] ?? moment) <= moment - windowMs) first += 1;
		most = Math.max(most, index - first + 1);
	}
	return most;
}
