import { loadContract, type Contract } from './interface/contract.mts';
import type { StoredKey } from './records/model.mts';
import { deliverDue } from './records/outbox.mts';
import { seededState, type SeededTokens } from './records/seed.mts';
import type { Section, State } from './records/state.mts';
import { Faults } from './requests/faults.mts';
import { Problem } from './requests/problem.mts';
import { createWindow, type Window } from './requests/rate-limit.mts';
import { RequestLog } from './requests/request-log.mts';
import type { FaultRule, LoggedRequest, PlanSettings } from './types.mts';

/** A part of the sandbox that the live page shows. */
export type LiveSection = Section | 'requests' | 'faults';

/** The fixed settings of a sandbox. */
export interface SandboxSettings {
	/** The project's root, where `api/openapi.yaml` is. */
	root: string;
	seed: number;
	/** A path that the service address carries, e.g. `/gateway`; empty for none. */
	prefix: string;
	outboxDelayMs: number;
	/** Called with every request that is over. */
	onRequest: (entry: LoggedRequest) => void;
}

interface Meter {
	window: Window;
	retryAfter: NonNullable<PlanSettings['retryAfter']>;
}

/** The messaging service itself, without its HTTP server. */
export class Sandbox {
	readonly contract: Contract;
	readonly prefix: string;
	readonly outboxDelayMs: number;
	readonly log = new RequestLog();
	state: State;
	tokens: SeededTokens;
	faults: Faults;
	/** Where configuration schemas are served; set as soon as the address is known. */
	schemaBase = '';
	/** Called with each part that changes. */
	onChange: (section: LiveSection) => void = () => undefined;

	readonly #onRequest: SandboxSettings['onRequest'];
	#meters = new Map<string, Meter>();

	constructor(settings: SandboxSettings) {
		this.contract = loadContract(settings.root);
		this.prefix = settings.prefix;
		this.outboxDelayMs = settings.outboxDelayMs;
		this.#onRequest = settings.onRequest;
		({ state: this.state, tokens: this.tokens } = seededState(settings.seed));
		this.faults = new Faults(settings.seed);
		this.#watch();
	}

	/** Back to the seeded state; faults, plans and the request log are gone. */
	reset(seed: number): void {
		({ state: this.state, tokens: this.tokens } = seededState(seed));
		this.faults.release();
		this.faults = new Faults(seed);
		this.log.clear();
		this.#meters.clear();
		this.#watch();
	}

	/** Replaces the faults. */
	setFaults(rules: readonly FaultRule[]): void {
		const { faults } = this;
		faults.set(rules);
		this.onChange('faults');
		for (const rule of rules) {
			if (rule.seconds === undefined) continue;
			const end = (): void => {
				faults.remove(rule);
				this.onChange('faults');
			};
			setTimeout(end, rule.seconds * 1000).unref();
		}
	}

	/** Sets the plan of one key or of all, and restarts its windows. */
	setPlan(settings: PlanSettings): void {
		const { keyId, limit, seconds, algorithm = 'fixed', visible = true, retryAfter = 'seconds' } = settings;
		const keys = [...this.state.keys.values()].filter((key) => keyId === undefined || key.id === keyId);
		if (keys.length === 0) throw new Problem(404, `No API key with id ${keyId}.`);
		for (const key of keys) {
			const name = `${limit} per ${seconds} s`;
			key.plan = {
				...key.plan,
				name,
				description: `Counted by a ${algorithm} window.`,
				limit,
				seconds,
				visible,
			};
			this.#meters.set(key.id, { window: createWindow(algorithm, limit, seconds), retryAfter });
		}
		this.onChange('keys');
	}

	/** Counts one request against the key's plan, or refuses it with 429. */
	takeFromPlan(key: StoredKey): void {
		let meter = this.#meters.get(key.id);
		if (meter === undefined) {
			meter = { window: createWindow('fixed', key.plan.limit, key.plan.seconds), retryAfter: 'seconds' };
			this.#meters.set(key.id, meter);
		}
		const waitMs = meter.window.take(performance.now());
		if (waitMs <= 0) return;
		const detail = `The plan of this key allows ${key.plan.limit} requests in ${key.plan.seconds} seconds.`;
		throw new Problem(429, detail, retryAfterHeader(meter.retryAfter, waitMs));
	}

	/** Updates the live page when a request is over or has had its effect. */
	noteRequest(entry: LoggedRequest): void {
		this.onChange('requests');
		if (entry.inFlightMs !== null) this.#onRequest(entry);
	}

	/** Delivers outbox entries: those that are due, or every pending one. Resolves when their requests are over. */
	async deliver(which: 'due' | 'all'): Promise<void> {
		const now = Date.now();
		await deliverDue(this.state, now, which === 'due' ? now : Infinity);
	}

	#watch(): void {
		this.state.onChange = (section) => this.onChange(section);
		for (const section of [
			'accounts',
			'channels',
			'keys',
			'messages',
			'outbox',
			'requests',
			'faults',
		] as const) {
			this.onChange(section);
		}
	}
}

function retryAfterHeader(form: Meter['retryAfter'], waitMs: number): Record<string, string> {
	if (form === 'none') return {};
	if (form === 'seconds') return { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) };
	const second = Math.ceil((Date.now() + waitMs) / 1000);
	return { 'retry-after': new Date(second * 1000).toUTCString() };
}
