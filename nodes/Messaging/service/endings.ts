import type { IDataObject } from 'n8n-workflow';

import type { Reply } from './reply';

/**
 * The words for how things end; every other file uses these.
 *
 * A *request* goes out once. It ends with a Reply or a Failure: a Failure has a `Cause`, which decides whether the call
 * may be repeated, and an `Outcome`, which tells the user what to do. The gate of a key needs to know no more of a
 * request than its `RequestEnd`. A *call* is made with as many requests as that takes.
 */

/** What a user acts on. It leaves the node under `error`. */
export type Outcome =
	/** The service said no. */
	| 'rejected'
	/** It never reached the service. */
	| 'unsent'
	/** It may have been processed. */
	| 'unknown';

/** Why a call failed, as far as it matters to whether it may be repeated. */
export type Cause =
	/** The service turned it away at the door and asks to come back. */
	| 'throttled'
	/** The service said no. */
	| 'refused'
	/** Nothing of it has left: no connection could be made. */
	| 'neverLeft'
	/** It was kept back here: it could not be made, was not allowed to leave, or its turn did not come. */
	| 'withheld'
	/** It got no clear answer, and may have been processed. */
	| 'doubtful'
	/** The execution was stopped while it was on its way. */
	| 'cutOff';

const OUTCOMES: Readonly<Record<Cause, Outcome>> = {
	throttled: 'rejected',
	refused: 'rejected',
	neverLeft: 'unsent',
	withheld: 'unsent',
	doubtful: 'unknown',
	cutOff: 'unknown',
};

/** Why a call failed. All but `cause`, `waitMs` and `advice` leaves the node under `error`. */
export interface Failure {
	/** What happened, in the service's own words where it has any. */
	message: string;
	/** How to get unstuck. */
	description: string;
	/** HTTP status, `null` when there was no answer. */
	statusCode: number | null;
	outcome: Outcome;
	/** The problem-details body as received, `null` when there is none. */
	problem: IDataObject | null;
	cause: Cause;
	/** How long the service asks to wait, in milliseconds; only when it is throttled, and only where it says so. */
	waitMs?: number;
	/** What to do once somebody has checked whether it was processed, where the usual advice would be wrong. */
	advice?: string;
}

/** The failure that a cause makes; its outcome follows from the cause. */
export function failureBy(
	cause: Cause,
	{ message, description }: Pick<Failure, 'message' | 'description'>,
	{ statusCode = null, problem = null }: Partial<Pick<Failure, 'statusCode' | 'problem'>> = {},
): Failure {
	return { message, description, statusCode, outcome: OUTCOMES[cause], problem, cause };
}

/** A failure that never reached the service. */
export function unsent(
	message: string,
	description: string,
	cause: 'withheld' | 'neverLeft' = 'withheld',
): Failure {
	return failureBy(cause, { message, description });
}

/** Whether something failed. */
export function isFailure(result: object): result is Failure {
	return 'outcome' in result;
}

/** How one request ended, as far as it tells whether the service takes requests. */
export type RequestEnd =
	/** The service answered it: done, or refused for what it asks. */
	| 'answered'
	/** The service does not accept the key. */
	| 'unauthorized'
	/** The service turned it away because there were too many, and asks to come back. */
	| 'throttled'
	/** The service turned it away because it is not there for anybody, and asks to come back. */
	| 'unavailable'
	/** It got no clear answer, and may have been processed. */
	| 'doubtful'
	/** No connection could be made. */
	| 'unreachable'
	/** It was kept back here, or stopped on its way: that says nothing about the service. */
	| 'silent';

/** How the request ended that got this. */
export function requestEnd(result: Reply | Failure): RequestEnd {
	if (!isFailure(result)) return 'answered';
	const { cause, statusCode } = result;
	if (cause === 'throttled') return statusCode === 503 ? 'unavailable' : 'throttled';
	if (cause === 'refused') return statusCode === 401 ? 'unauthorized' : 'answered';
	if (cause === 'doubtful') return 'doubtful';
	return cause === 'neverLeft' ? 'unreachable' : 'silent';
}

/** Whether a request ended because the service asks to come back. */
export function isTurnedAway(end: RequestEnd): boolean {
	return end === 'throttled' || end === 'unavailable';
}
