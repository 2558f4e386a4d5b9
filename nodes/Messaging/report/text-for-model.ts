import type { Failure } from '../service/endings';
import { asSentence, cut } from '../shared/text';
import type { Ledger } from '../delivery/ledger';
import type { Report } from './report';
import { DONE } from './report-text';

/** How many characters of what happened a model reads. With what is around it, that makes about 60 tokens at most. */
const LONGEST = 130;

/**
 * A report for a model, which reads nothing else of a failure: the outcome, what happened, and what to do. It can't see
 * executions, options or credentials, so none of the advice for a person is part of it.
 */
export function textForModel({ failure, ledger }: Report): string {
	const { fields, message, outcome } = failure;
	const done = DONE[ledger.effect].toUpperCase();
	const happened = fields === undefined ? message : `${message}: ${fields}`;
	// A wrong value is cut after it was masked: a key shows its own end.
	const brief = happened.replace(/\s+/g, ' ').replace(/(it is "[^"]{19})[^"]{2,}/g, '$1…');
	const what = asSentence(cut(brief, LONGEST));
	return `${outcome === 'unknown' ? 'MAYBE' : 'NOT'} ${done} (outcome: ${outcome}): ${what} ${nextStep(failure, ledger)}`;
}

/** Refusals that no other value would change. */
const NOT_ABOUT_VALUES: ReadonlyArray<number | null> = [null, 401, 403, 405, 406, 409, 415];

function nextStep({ cause, forModel, outcome, statusCode }: Failure, { effect, isOnceOnly }: Ledger): string {
	if (forModel !== undefined) return forModel;
	if (outcome === 'unknown' && isOnceOnly)
		return `Do not call this tool again for ${effect === 'sends' ? 'this message' : 'it'}; tell a person.`;
	if (cause === 'unfit') return CORRECT;
	if (cause === 'refused') return NOT_ABOUT_VALUES.includes(statusCode) ? 'Tell a person.' : CORRECT;
	return 'Try once more later, or tell a person.';
}

/** The value may also be one that only the workflow sets. */
const CORRECT = 'Correct the value and call again. If it is not yours, tell a person.';
