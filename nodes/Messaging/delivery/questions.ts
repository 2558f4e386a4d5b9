import type { AnyOperation, Prepared } from '../contract/any-operation';
import type { Steps } from '../contract/operation';
import type { ApiCall } from '../service/api-call';
import { type Failure, isFailure, unsent } from '../service/endings';
import type { Reply } from '../service/reply';
import { Turns } from '../time/turns';
import { refusal } from './jobs';

/** Makes the call of a question. */
type Ask = (call: ApiCall) => Promise<Reply | Failure>;

/**
 * The questions of an operation that come before its calls. Each is asked once in a run, and not before an item needs
 * the answer.
 */
export class Questions {
	private readonly guarding: () => Promise<Reply | Failure | undefined>;

	private readonly completing: () => Promise<Reply | Failure | undefined>;

	/** @param doubt what it means for an item that it can't be completed, if an earlier try may have done it */
	constructor(
		{ guard, completion }: AnyOperation,
		ask: Ask,
		private readonly doubt: (failure: Failure, prepared: Prepared) => Failure | undefined = () => undefined,
	) {
		this.guarding = once(async () => guard && (await ask(guard.call)));
		this.completing = once(async () => completion && (await ask(completion.call)));
	}

	/** Why the call of an item must not leave; `undefined` when it may. */
	async objectionTo({ guard }: Prepared): Promise<Failure | undefined> {
		if (guard === undefined || !guard.applies()) return undefined;
		const answer = await this.guarding();
		if (answer === undefined) return undefined;
		if (isFailure(answer)) return notAnswered(answer);
		const objection = guard.objection(answer.body);
		return objection && unsent(objection.message, objection.hint);
	}

	/** An item with what it leaves open completed, or why that can't be done. */
	async completed(prepared: Prepared): Promise<Prepared | Failure> {
		const { completion } = prepared;
		if (completion === undefined || !completion.applies()) return prepared;
		const answer = await this.completing();
		if (answer === undefined) return prepared;
		if (isFailure(answer)) return this.doubt(lookedUpInVain(answer), prepared) ?? notAnswered(answer);
		try {
			return await inTurns(completion.complete(answer.body));
		} catch (error) {
			const failure = refusal(error);
			return this.doubt(failure, prepared) ?? failure;
		}
	}
}

/** Does all steps; the event loop turns in between. */
async function inTurns<T>(steps: Steps<T>): Promise<T> {
	const turns = new Turns();
	let step = steps.next();
	while (step.done !== true) {
		if (turns.overAfter(2)) await turns.next();
		step = steps.next();
	}
	return step.value;
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
		message: `Nothing was changed, because ${LOOKED_UP_IN_VAIN}: ${failure.message}`,
	};
}

const LOOKED_UP_IN_VAIN = 'what had to be looked up first could not be';

/** The same, where nobody can say that nothing was changed. */
function lookedUpInVain(failure: Failure): Failure {
	return { ...failure, message: `${LOOKED_UP_IN_VAIN}: ${failure.message}` };
}
