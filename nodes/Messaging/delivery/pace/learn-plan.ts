import { ask, type Service } from '../../service/connect';
import { isFailure, requestEnd } from '../../service/endings';
import { ME, planOf } from '../../service/plan';
import type { KeyGate, Visitor } from './key-gate';

/** How long to wait for /Me, in milliseconds: a run is held up meanwhile. */
const TIMEOUT_MS = 10_000;

/** Has the key's plan found out on behalf of a visitor, unless it is known. */
export function learnPlan({ gate, service }: { gate: KeyGate; service: Service }, visitor: Visitor): void {
	gate.learnPlan(visitor, async () => {
		const answer = await ask(service, ME, { timeoutMs: TIMEOUT_MS });
		const end = requestEnd(answer);
		return isFailure(answer) ? { end, waitMs: answer.waitMs } : { end, found: { plan: planOf(answer.body) } };
	});
}
