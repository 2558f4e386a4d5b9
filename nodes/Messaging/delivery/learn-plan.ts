import { ask, isFailure } from '../service/connect';
import { ME, planOf } from '../service/plan';
import type { CallEnvironment } from './call';

/** How long to wait for /Me, in milliseconds: a run is held up meanwhile. */
const TIMEOUT_MS = 10_000;

/** Has the key's plan found out, unless it is known. */
export function learnPlan({ gate, service }: Pick<CallEnvironment, 'gate' | 'service'>): void {
	gate.learnPlan(async () => {
		const answer = await ask(service, ME, { timeoutMs: TIMEOUT_MS });
		return isFailure(answer) ? 'failed' : planOf(answer.body);
	});
}
