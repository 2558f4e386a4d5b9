import { createWindow, type Window, type WindowAlgorithm } from '../../../../dev/sandbox/rate-limit.mts';
import type { FakeClock } from '../fake-clock.mts';
import { type Arrival, FailingService, type Latency, type Treatment } from './failing-service.mts';

/** How a simulated service counts and answers. */
export interface SimulationSettings {
	limit: number;
	seconds: number;
	algorithm: WindowAlgorithm;
	/** Where its windows begin. */
	phaseMs?: number;
	latency: Latency;
	/** Whether /Me shows the plan. */
	visible: boolean;
	retryAfter?: 'seconds' | 'date' | 'none';
}

/** The service's own time when the fake clock begins. */
const epoch = Date.UTC(2026, 0, 1);

/** A service with a plan, in simulated time: it counts each request on arrival, including /Me. */
export class SimulatedService extends FailingService {
	/** Arrival times of requests within the plan, of those among them that are sends, and of requests refused with 429. */
	readonly counted: number[] = [];
	readonly accepted: number[] = [];
	readonly refused: number[] = [];
	readonly #window: Window;
	readonly #settings: SimulationSettings;

	constructor(clock: FakeClock, settings: SimulationSettings) {
		super(clock, (arrival) => this.#answer(arrival), settings.latency);
		this.#settings = settings;
		this.#window = createWindow(settings.algorithm, settings.limit, settings.seconds);
	}

	#answer({ isMe, now }: Arrival): Treatment {
		const { limit, phaseMs = 0, seconds, visible } = this.#settings;
		const waitMs = this.#window.take(now + phaseMs);
		if (waitMs > 0) {
			this.refused.push(now);
			return { status: 429, headers: this.#retryAfter(now, waitMs), body: { title: 'Too many requests' } };
		}
		this.counted.push(now);
		if (!isMe) this.accepted.push(now);
		const body = isMe && visible ? { resourcePlan: { limit, seconds } } : {};
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
