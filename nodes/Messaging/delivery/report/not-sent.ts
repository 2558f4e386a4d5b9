import { type Failure, failureBy, unsent } from '../../service/endings';
import { quoted, said } from '../../text/readable';

/** What stands for items that were not sent, or not sent again, and what options can be done about it. */

/** The turn of an item never came, because the execution was cancelled. */
export const NOT_STARTED = unsent('The item was not sent', 'The execution was stopped before its turn came.');

/** The turn of a call never came, because its run was over before. */
export const STOPPED = unsent('The item was not sent', 'The run was stopped before its turn came.');

/** The question went out in an execution that is over: its link is dead, and asking again would be asking twice. */
export const ASKED_BEFORE = unsent(
	'Nobody was asked: an earlier try of this execution had sent the question',
	'The link in that message does not work any more. Execute the workflow anew to ask with a new one.',
);

/** The service said "later" for longer than the call may wait. */
export const TOO_LONG = unsent(
	'The item was not sent: the service keeps asking to come back later',
	'The API key has used up its plan, or the service is overloaded. Wait before you send it, or raise the option Max Wait.',
);

/** What to do about a service that always takes too long. */
export const RAISE_TIMEOUT = 'If it is always slow, raise the option Timeout.';

/**
 * The failure of something that may have gone out in an earlier try of this execution, and stays where it is.
 *
 * @param isToolCall whether an AI agent asked for it
 */
export function notSentAgain(failure: Failure, { isToolCall }: { isToolCall: boolean }): Failure {
	return {
		...failure,
		message: `Not sent again, because an earlier try may have been processed: ${failure.message}`,
		description: isToolCall
			? 'It may have arrived. Do not call this tool again for it before somebody has checked at the service. A retry of the execution starts the agent anew, and with it everything that the agent does.'
			: 'Check at the service whether it was processed. If it was not, switch on the option Resend Unknown, save, and retry this execution with the currently saved workflow.',
	};
}

/**
 * A failure of this try, where an earlier one may have done the item and what that was can't be looked up.
 *
 * @param isToolCall whether an AI agent asked for it
 */
export function mayBeDone(failure: Failure, { isToolCall }: { isToolCall: boolean }): Failure {
	const advice = isToolCall
		? 'An earlier try of this call may have done this item. Do not call this tool again for it before somebody has checked at the service.'
		: 'An earlier try of this execution may have done this item: check at the service before you repeat it elsewhere. A retry of this execution repeats nothing that was done.';
	return {
		...failure,
		outcome: 'unknown',
		cause: 'doubtful',
		message: `Not sent, but an earlier try may have been processed: ${failure.message}`,
		description: `${failure.description} ${advice}`,
	};
}

/** What stands for an item whose once key may have been used: an earlier try has no known end. */
export function keyIsOpen(key: string): Failure {
	return failureBy('doubtful', {
		message: 'Not sent again: an item with the same key may have gone out before',
		description: `An earlier try with the key ${quoted(key)} has no known end: n8n was stopped in the middle of it, the service gave no clear answer, or another execution is at it right now. Check at the service whether it arrived. If it did, nothing is left to do for this item. If it did not, add the option Resend Unknown, with an expression that is true for this item only.`,
	});
}

/** What stands for an item whose once key another execution is using for longer than this one may wait. */
export function keyIsBusy(key: string): Failure {
	return failureBy('doubtful', {
		message: 'Not sent again: another execution is sending an item with the same key',
		description: `It has not ended within the time of the option Max Wait. Look at the other executions of this workflow to see how the item with the key ${quoted(key)} ended.`,
	});
}

/** What stands for an item whose once key n8n could not note. */
export function notNoted(error: unknown): Failure {
	const words = error instanceof Error ? error.message : String(error);
	return unsent(
		'The item was not sent: n8n could not note its key',
		`Without the note it could go out twice later, so it was held back. Look into n8n's log for trouble with its database. (${said(words, 200)})`,
	);
}

/** The most keys that a warning names. */
const MOST_NAMED = 20;

/** What to know of keys whose end n8n did not note; '' when there are none. */
export function unnotedText(keys: readonly string[]): string {
	if (keys.length === 0) return '';
	const named = keys
		.slice(0, MOST_NAMED)
		.map((key) => quoted(key))
		.join(', ');
	const more = keys.length > MOST_NAMED ? ` and ${keys.length - MOST_NAMED} more` : '';
	return `n8n could not note how these keys ended: ${named}${more}. The output says what became of the items. If they come again they are not sent, and fail as "may have gone out before".`;
}
