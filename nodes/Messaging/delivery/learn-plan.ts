import { ask, isFailure } from '../service/connect';
import { ME, planOf } from '../service/plan';
import { type CallEnvironment, endingOf } from './call';
import type { Visitor } from './key-gate';

/** How long to wait for /Me, in milliseconds: a run is held up meanwhile. */
const TIMEOUT_MS = 10_000;

/** Has the key's plan found out on behalf of a visitor, unless it is known. */
export function learnPlan(
	{ gate, service }: Pick<CallEnvironment, 'gate' | 'service'>,
	visitor: Visitor,
): void {
	gate.learnPlan(visitor, async () => {
		const answer = await ask(service, ME, { timeoutMs: TIMEOUT_MS });
		const ending = endingOf(answer);
		return isFailure(answer) ? { ending, waitMs: answer.waitMs } : { ending, plan: planOf(answer.body) };
	});
}
