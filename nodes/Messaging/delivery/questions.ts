import type { Completion, Guard } from '../contract/operation';
import { type Failure, isFailure, unsent } from '../service/endings';
import type { Reply } from '../service/reply';
import { refusal } from './jobs';

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
	const answer = once(ask);
	return async (facts) => {
		if (!guard.applies(facts)) return undefined;
		const asked = await answer();
		if (isFailure(asked)) return notAnswered(asked);
		const objection = guard.objection(asked.body, facts);
		return objection && unsent(objection.message, objection.hint);
	};
}

/**
 * Completes what items leave open from a list of the service, which is asked for once in a run and not before an item
 * needs it.
 *
 * @param ask makes the completion's call
 * @returns completes the facts of one item, or says why that can't be done
 */
export function completeWith(
	completion: Completion,
	ask: () => Promise<Reply | Failure>,
): (facts: unknown) => Promise<{ facts: unknown } | Failure> {
	const answer = once(async () => {
		const asked = await ask();
		return isFailure(asked) ? asked : completion.read(asked.body);
	});
	return async (facts) => {
		if (!completion.applies(facts)) return { facts };
		const list = await answer();
		if (isFailure(list)) return notAnswered(list);
		try {
			return { facts: list.complete(facts) };
		} catch (error) {
			return refusal(error);
		}
	};
}

function once<T>(ask: () => Promise<T>): () => Promise<T> {
	let answer: Promise<T> | undefined;
	return () => (answer ??= ask());
}

function notAnswered(failure: Failure): Failure {
	return {
		...failure,
		outcome: 'unsent',
		cause: 'withheld',
		message: `Nothing was changed, because a question before it failed: ${failure.message}`,
	};
}
