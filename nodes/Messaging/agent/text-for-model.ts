import { DONE, type Effect } from '../service/api-call';
import type { Failure } from '../service/endings';
import { asSentence, cut } from '../shared/text';

/** How many characters of what happened a model reads. With what is around it, that makes about 60 tokens at most. */
const LONGEST = 130;

/** What a model reads if an earlier call had the same key, perhaps for another message. */
export const USED_KEY = 'An earlier call with this key went through. This one did nothing. Do not repeat it.';

/**
 * A failure for a model, which reads nothing else of it: the outcome, what happened, and what to do. It can't see
 * executions, options or credentials, so none of the advice for a person is part of it.
 *
 * @param call what it does, and whether a repetition does no harm
 */
export function textForModel(failure: Failure, call: { effect: Effect; isRepeatSafe: boolean }): string {
	const { fields, message, outcome } = failure;
	const done = DONE[call.effect].toUpperCase();
	const happened = fields === undefined ? message : `${message}: ${fields}`;
	const what = asSentence(cut(happened.replace(/\s+/g, ' '), LONGEST));
	const next =
		outcome === 'unknown' && !call.isRepeatSafe
			? 'Do not call again; tell a person.'
			: 'Correct it, or tell a person.';
	return `${outcome === 'unknown' ? 'MAYBE' : 'NOT'} ${done} (outcome: ${outcome}): ${what} ${next}`;
}
