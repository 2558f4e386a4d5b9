import { ask, type Service } from '../../service/connect';
import { type Failure, failureBy, isFailure } from '../../service/endings';
import { isCaller, ME, planOf } from '../../service/plan';
import type { Reply } from '../../service/reply';
import type { Clock } from '../../shared/clock';
import type { PlanSlots } from './slots';
import type { Start } from './queued-call';

/**
 * How long to wait for the answer to GET /Me: runs are held up meanwhile. Half: a slow service shows no plan. Double: where
 * /Me hangs, the first message waits 20 s.
 */
const ME_TIMEOUT_MS = 10_000;
/**
 * For how long the plan is not asked for again: if it was shown, if it was not, and if GET /Me itself was refused. Half:
 * twice as many requests that send nothing. Double: a changed plan is noticed later.
 */
const PLAN_FRESH_MS = 600_000;
const NO_PLAN_MS = 60_000;
const PLAN_REFUSED_MS = 1000;
/**
 * For how long the address is not checked again: a day. Half: one request more a day. Double: an address that changes hands
 * is noticed a day later.
 */
const ADDRESS_FRESH_MS = 86_400_000;

/** An answer that may stand in the place of the service's. */
const NO_ANSWER = failureBy('doubtful', { message: '', description: '' });

/** Asks GET /Me, one at a time, and knows what it has shown: the plan, and whether the address may be the service's. */
export class Me {
	isAsked = false;
	/** What has shown that the address is not that of the service, and when; until GET /Me shows something else. */
	elsewhere: { readonly shownBy: Failure; readonly at: number } | undefined;
	private planFreshUntil = -Infinity;
	private addressFreshUntil = -Infinity;

	constructor(
		private readonly clock: Clock,
		private readonly slots: PlanSlots,
	) {}

	/** Whether the plan has to be asked for before another call starts. */
	isPlanOld(now: number): boolean {
		return now >= this.planFreshUntil;
	}

	/** Whether the address has to be checked before a call starts that changes something. */
	isAddressOld(now: number): boolean {
		return now >= this.addressFreshUntil;
	}

	/** Notes an answer that shows that the address is not that of the service. */
	noteElsewhere(shownBy: Failure, at: number): void {
		this.elsewhere = { shownBy, at };
		this.addressFreshUntil = -Infinity;
	}

	/**
	 * Sends GET /Me, which changes nothing, and learns from the answer. Does nothing if it is being asked already.
	 *
	 * @param start notes that the request starts
	 * @param signal stops it
	 */
	async ask(service: Service, start: () => Start['finish'], signal: AbortSignal): Promise<void> {
		if (this.isAsked) return;
		this.isAsked = true;
		const checksAddress = this.isAddressOld(this.clock.now());
		const finish = start();
		const answer = await ask(service, ME, { timeoutMs: ME_TIMEOUT_MS });
		this.isAsked = false;
		// It was stopped together with its run. The next run sends another.
		if (isFailure(answer) && signal.aborted) return finish({ ...answer, cause: 'cutOff' });
		const now = this.clock.now();
		this.planFreshUntil = now + this.learnPlan(answer);
		this.elsewhere = undefined;
		this.addressFreshUntil = now + ADDRESS_FRESH_MS;
		if (checksAddress && isFailure(answer) && answer.isElsewhere === true) {
			this.noteElsewhere(answer, now);
			// That is no outage: the next run asks again at once.
			return finish({ ...answer, cause: 'cutOff' });
		}
		finish(endOf(answer));
	}

	/** Returns for how long the plan is not asked for again, in milliseconds. */
	private learnPlan(answer: Reply | Failure): number {
		// A plan that is used up is not shown, and a run can't keep to an unknown plan.
		if (isFailure(answer)) return answer.cause === 'throttled' ? PLAN_REFUSED_MS : NO_PLAN_MS;
		this.slots.plan = planOf(answer.body);
		return PLAN_FRESH_MS;
	}
}

/** How GET /Me has ended: whether the service takes calls. What shows nothing counts as no answer. */
function endOf(answer: Reply | Failure): Reply | Failure {
	if (!isFailure(answer)) return isCaller(answer.body) ? answer : NO_ANSWER;
	const showsSomething = ['refused', 'throttled', 'neverLeft'].includes(answer.cause);
	return showsSomething ? answer : { ...answer, cause: 'doubtful' };
}
