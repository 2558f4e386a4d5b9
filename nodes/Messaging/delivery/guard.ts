import type { Guard } from '../operations/operation';
import { isFailure } from '../service/connect';
import { type Failure, unsent } from '../service/failure';
import type { Reply } from '../service/reply';

/**
 * Puts an operation's question to the service, once in a run and not before an item needs the answer.
 *
 * @param ask makes the guard's call
 * @returns asks for one item: the failure that keeps its call from leaving, `undefined` when it may
 */
export function guardWith(
	guard: Guard,
	ask: () => Promise<Reply | Failure>,
): (facts: unknown) => Promise<Failure | undefined> {
	let answer: Promise<Reply | Failure> | undefined;
	return async (facts) => {
		if (!guard.applies(facts)) return undefined;
		const asked = await (answer ??= ask());
		if (isFailure(asked)) {
			return {
				...asked,
				outcome: 'unsent',
				message: `Nothing was changed, because a check before it failed: ${asked.message}`,
			};
		}
		const objection = guard.objection(asked.body, facts);
		return objection && unsent(objection.message, objection.hint);
	};
}
