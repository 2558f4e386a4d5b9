import { type Failure, unsent } from '../../service/endings';

/** What stands for items that were not sent, or not sent again, and what options can be done about it. */

/** The turn of an item never came, because the execution was cancelled. */
export const NOT_STARTED = unsent('The item was not sent', 'The execution was stopped before its turn came.');

/** The turn of a call never came, because its run was over before. */
export const STOPPED = unsent('The item was not sent', 'The run was stopped before its turn came.');

/** The service said "later" for longer than the call may wait. */
export const TOO_LONG = unsent(
	'The item was not sent: the service keeps asking to come back later',
	'The API key has used up its plan, or the service is overloaded. Wait before you send it, or raise the option Max Wait.',
);

/** What to do about a service that always takes too long. */
export const RAISE_TIMEOUT = 'If it is always slow, raise the option Timeout.';

/** The failure of something that may have gone out in an earlier try of this execution, and stays where it is. */
export function notSentAgain(failure: Failure): Failure {
	return {
		...failure,
		message: `Not sent again, because an earlier try may have been processed: ${failure.message}`,
		description:
			'Check at the service whether it was processed. If it was not, switch on the option Resend Unknown, save, and retry this execution with the currently saved workflow.',
	};
}
