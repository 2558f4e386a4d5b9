import type { Failure } from '../service/failure';
import type { Remembered } from './memory';
import type { CallSettings } from './settings';

/** Whether something remembered may go out again: only what is unknown, and only if the user allows it. */
export function mayResend(
	remembered: Remembered,
	{ resendUnknown }: Pick<CallSettings, 'resendUnknown'>,
): boolean {
	return 'failure' in remembered && resendUnknown;
}

/** The failure of something that may have gone out in an earlier try of this execution, and stays where it is. */
export function notSentAgain(failure: Failure): Failure {
	return {
		...failure,
		message: `Not sent again, because an earlier try may have been processed: ${failure.message}`,
		description:
			'Check at the service whether it was processed. If it was not, switch on the option Resend Unknown, save, and retry this execution with the currently saved workflow.',
		again: 'pointless',
	};
}
