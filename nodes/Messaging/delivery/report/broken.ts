import { type ApiCall, readsOnly } from '../../service/api-call';
import { type Failure, failureBy, unsent } from '../../service/endings';
import { said } from '../../text/readable';

/**
 * What stands for an item when this node itself fails, which it should not: the item still ends, and with the truth
 * about what has been sent.
 */

/** The node failed before anything was sent for the item. */
export function brokenBefore(error: unknown): Failure {
	return unsent(
		'The item was not sent: this node failed while it prepared it',
		`${REPORT} (${wordsOf(error)})`,
	);
}

/** The node failed while the call was on its way. */
export function brokenDuring(error: unknown, call: ApiCall): Failure {
	const done = readsOnly(call)
		? 'Nothing was changed by this call.'
		: 'The service may have processed this call: check there before you repeat it.';
	return failureBy('doubtful', {
		message: 'This node failed while the call was on its way',
		description: `${done} ${REPORT} (${wordsOf(error)})`,
	});
}

/** The node failed over the answer: the service has done what it was asked to. */
export function brokenAfter(error: unknown, call: ApiCall): Failure {
	const done = readsOnly(call)
		? 'The service has answered, and nothing was changed by this call.'
		: 'The service has accepted this call: do not repeat it.';
	return failureBy(readsOnly(call) ? 'refused' : 'doubtful', {
		message: 'The call went through, but this node failed over its answer',
		description: `${done} ${REPORT} (${wordsOf(error)})`,
	});
}

const REPORT = 'Please report this to the maintainers of the node.';

function wordsOf(error: unknown): string {
	return said(error instanceof Error ? error.message : String(error));
}
