import { DONE, type Effect } from '../service/api-call';
import type { Failure } from '../service/endings';
import { asSentence, cut } from '../shared/text';

/** How many characters of what happened a model reads. With what is around it, that makes about 60 tokens at most. */
const LONGEST = 130;

/** Refusals that no other value would change. */
const NOT_ABOUT_VALUES: ReadonlyArray<number | null> = [null, 401, 403, 405, 406, 409, 415];

/** The value may also be one that only the workflow sets. */
const CORRECT = 'Correct the value and call again. If it is not yours, tell a person.';

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
	// Shortened only after masking, because a masked key shows its last characters.
	const brief = happened.replace(/\s+/g, ' ').replace(/(it is "[^"]{19})[^"]{2,}/g, '$1…');
	const what = asSentence(cut(brief, LONGEST));
	return `${outcome === 'unknown' ? 'MAYBE' : 'NOT'} ${done} (outcome: ${outcome}): ${what} ${adviceFor(failure, call.effect, call.isRepeatSafe)}`;
}

function adviceFor(
	{ cause, isForPerson, outcome, statusCode }: Failure,
	effect: Effect,
	isRepeatSafe: boolean,
): string {
	if ((outcome === 'unknown' && !isRepeatSafe) || (outcome === 'unsent' && isForPerson === true))
		return `Do not call this tool again for ${effect === 'sends' ? 'this message' : 'it'}; tell a person.`;
	if (isForPerson === true) return 'Tell a person.';
	if (cause === 'invalid') return CORRECT;
	if (cause === 'refused') return NOT_ABOUT_VALUES.includes(statusCode) ? 'Tell a person.' : CORRECT;
	return 'Try once more later, or tell a person.';
}
