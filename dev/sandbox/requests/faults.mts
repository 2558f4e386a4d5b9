import { Random } from '../records/random.mts';
import type { FaultRule } from '../types.mts';

/** What the faults do to one request. */
export interface FaultDecision {
	/** How long to wait before the request is handled. */
	delayMs: number;
	/** Resolves when other faults are set; the request waits for it too. */
	held: Promise<void> | null;
	/** The rule that decides the answer, or null when nothing but the wait applies. */
	rule: FaultRule | null;
	/** The kinds that apply, joined by `+`, or null. */
	name: string | null;
}

interface ArmedRule {
	rule: FaultRule;
	path: RegExp | null;
	matched: number;
	applied: number;
}

/** The faults that are switched on. */
export class Faults {
	#armed: ArmedRule[] = [];
	#random: Random;
	#change = Promise.withResolvers<void>();
	readonly #seed: number;

	constructor(seed: number) {
		this.#seed = seed;
		this.#random = new Random(seed, 'faults');
	}

	/** Replaces the rules, and resets counters and the generator. */
	set(rules: readonly FaultRule[]): void {
		this.release();
		this.#random = new Random(this.#seed, 'faults');
		this.#armed = rules.map((rule) => ({
			rule,
			path: rule.path === undefined ? null : new RegExp(rule.path),
			matched: 0,
			applied: 0,
		}));
	}

	/** Takes away one rule, if it is still on. */
	remove(rule: FaultRule): void {
		this.#armed = this.#armed.filter((armed) => armed.rule !== rule);
	}

	/** Releases held requests. */
	release(): void {
		this.#change.resolve();
		this.#change = Promise.withResolvers();
	}

	/** The rules with their counters. */
	list(): Array<{ rule: FaultRule; matched: number; applied: number }> {
		return this.#armed.map(({ rule, matched, applied }) => ({ rule, matched, applied }));
	}

	/** Applies the rules in order: waits add up, and the first rule of another kind decides. */
	decide(request: { method: string; path: string; bodyText: string }): FaultDecision {
		const decision: FaultDecision = { delayMs: 0, held: null, rule: null, name: null };
		for (const armed of this.#armed) {
			if (!this.#hits(armed, request)) continue;
			decision.name = decision.name === null ? armed.rule.kind : `${decision.name}+${armed.rule.kind}`;
			if (armed.rule.kind === 'latency') {
				decision.delayMs += (armed.rule.ms ?? 0) + (armed.rule.jitterMs ?? 0) * this.#random.next();
			} else if (armed.rule.kind === 'hold') {
				decision.held = this.#change.promise;
			} else {
				decision.rule = armed.rule;
				break;
			}
		}
		return decision;
	}

	#hits(armed: ArmedRule, request: { method: string; path: string; bodyText: string }): boolean {
		const { rule, path } = armed;
		if (rule.method !== undefined && rule.method.toUpperCase() !== request.method) return false;
		if (path !== null && !path.test(request.path)) return false;
		if (rule.bodyContains !== undefined && !request.bodyText.includes(rule.bodyContains)) return false;
		armed.matched++;
		const turn = armed.matched - (rule.skip ?? 0);
		if (turn < 1 || turn % (rule.every ?? 1) !== 0) return false;
		if (rule.times !== undefined && armed.applied >= rule.times) return false;
		if (rule.probability !== undefined && this.#random.next() >= rule.probability) return false;
		armed.applied++;
		return true;
	}
}
