import { setTimeout as sleep } from 'node:timers/promises';
import type { IncomingCall, Verdict } from './interface/contract.mts';
import { problemDetails } from './problem.mts';
import type { Reply, Unanswered } from './service.mts';
import type { FaultReport, FaultRule } from './types.mts';

/** A rule that is on, and how often it matched and applied. */
type Armed = FaultReport & { path: RegExp };

/** What the faults do to one request. */
export interface Decision {
	/** Resolves when the request is handled. */
	ready: Promise<unknown>;
	/** The rule that decides the answer; none when nothing but the wait applies. */
	rule: FaultRule | undefined;
	/** The kinds that apply, joined by `+`, or null. */
	name: string | null;
}

/** The faults that are switched on. */
export class Faults {
	#armed: Armed[] = [];
	#change = Promise.withResolvers<void>();

	/** Replaces the rules, releases held requests, and resets the counters. */
	set(rules: readonly FaultRule[]): void {
		this.#change.resolve();
		this.#change = Promise.withResolvers();
		this.#armed = rules.map((rule) => ({ rule, path: new RegExp(rule.path ?? ''), matched: 0, applied: 0 }));
		for (const { rule } of this.#armed) {
			if (rule.seconds !== undefined) setTimeout(() => this.#remove(rule), rule.seconds * 1000).unref();
		}
	}

	#remove(rule: FaultRule): void {
		this.#armed = this.#armed.filter((armed) => armed.rule !== rule);
	}

	/** The rules with their counters. */
	list(): FaultReport[] {
		return this.#armed.map(({ path: _, ...report }) => report);
	}

	/** Applies the rules in order: waits add up, and the first rule of another kind decides. */
	decide(call: IncomingCall): Decision {
		const waits: Array<Promise<unknown>> = [];
		const names: string[] = [];
		let decisive: FaultRule | undefined;
		for (const armed of this.#armed) {
			if (!this.#hits(armed, call)) continue;
			const { kind, ms = 0, jitterMs = 0 } = armed.rule;
			names.push(kind);
			if (kind === 'latency') {
				waits.push(sleep(ms + jitterMs * Math.random(), undefined, { ref: false }));
			} else if (kind === 'hold') {
				waits.push(this.#change.promise);
			} else {
				decisive = armed.rule;
				break;
			}
		}
		return { ready: Promise.all(waits), rule: decisive, name: names.join('+') || null };
	}

	#hits(armed: Armed, call: IncomingCall): boolean {
		const { method = call.method, bodyContains = '', skip = 0, every = 1, times = Infinity } = armed.rule;
		if (method.toUpperCase() !== call.method || !armed.path.test(call.path)) return false;
		if (!call.bodyText.includes(bodyContains)) return false;
		armed.matched++;
		const turn = armed.matched - skip;
		if (turn < 1 || turn % every !== 0 || armed.applied >= times) return false;
		armed.applied++;
		return true;
	}
}

/**
 * How a rule ends a request: without the work, or with it.
 *
 * @param work does the work, and gives its answer
 */
export function endingBy(
	rule: FaultRule | undefined,
	{ path }: IncomingCall,
	{ answerType }: Verdict,
	work: () => Reply,
): Reply | Unanswered {
	/** The answer that the rule gives in place of this one. */
	const instead = (usual?: Reply): Reply => {
		const { status = usual?.status ?? 503, headers, body } = rule ?? {};
		if (body === null) return { status, ...(headers && { headers }) };
		const isText = typeof body === 'string';
		const type = isText ? 'text/plain; v=1.0' : answerType;
		const details = problemDetails(status, 'The sandbox was told to fail here.', path);
		const standard = usual?.body ?? JSON.stringify(details);
		const own = isText ? body : JSON.stringify(body);
		return { status, headers: { 'content-type': type, ...headers }, body: own ?? standard };
	};
	switch (rule?.kind) {
		case 'hang':
			return 'open';
		case 'reset':
			return 'reset';
		case 'status':
			return instead();
		case 'lostResponse':
			work();
			return 'closed';
		case 'truncate':
			return { ...work(), isCut: true };
		case 'reply':
			return instead(work());
		default:
			return work();
	}
}
