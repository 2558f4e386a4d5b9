import type { IDataObject, INode } from 'n8n-workflow';

import { nodeError, type NodeError } from '../shared/shown';

/**
 * The terms for how things end. A *request* is sent once; a *call* takes one or more. A Failure has a `Cause`, which
 * decides whether the call may be repeated, and an `Outcome`, which tells the user what to do.
 */

/** The outcome that a user acts on. It is part of `error` in the output. */
export type Outcome =
	/** The service refused it. */
	| 'rejected'
	/** It never reached the service. */
	| 'unsent'
	/** It may have been processed. */
	| 'unknown';

/** Why a call failed, as far as it matters for repeating the call. */
export type Cause =
	/** The service turned it away unprocessed and asks to come back later. */
	| 'throttled'
	/** The service refused it. */
	| 'refused'
	/** Nothing was sent, because no connection could be made. */
	| 'neverLeft'
	/** This node did not send it, because something forbids it. */
	| 'withheld'
	/** This node did not send it, because its turn did not come: the run was stopped, or it had waited for too long. */
	| 'noTurn'
	/** A value of the item does not fit, so there was nothing to send. */
	| 'invalid'
	/** It got no clear answer, and may have been processed. */
	| 'doubtful'
	/** The execution was stopped while it was in flight. */
	| 'cutOff';

/** What each cause means for the user: the outcome, and whether the same item can succeed later, unchanged. */
const MEANINGS: Readonly<Record<Cause, Pick<Failure, 'outcome' | 'retryable'>>> = {
	throttled: { outcome: 'rejected', retryable: true },
	refused: { outcome: 'rejected', retryable: false },
	neverLeft: { outcome: 'unsent', retryable: true },
	withheld: { outcome: 'unsent', retryable: true },
	noTurn: { outcome: 'unsent', retryable: true },
	invalid: { outcome: 'unsent', retryable: false },
	// The service may have it.
	doubtful: { outcome: 'unknown', retryable: false },
	cutOff: { outcome: 'unknown', retryable: false },
};

/** Why a call failed. Its message, status, outcome and problem become `error` in the output. */
export interface Failure {
	/** What happened, in the service's own words where it has any. */
	message: string;
	/** What the user can do about it. */
	description: string;
	/** HTTP status, `null` when there was no answer. */
	statusCode: number | null;
	outcome: Outcome;
	/** Whether the same item can succeed later, unchanged: it was not refused for what it holds, and is not in doubt. */
	retryable: boolean;
	/** The problem-details body as received; `null` if there is none. */
	problem: IDataObject | null;
	/** The ID by which the operator of the service or its gateway finds the request; `null` if the answer has none. */
	requestId: string | null;
	cause: Cause;
	/** How long the answer asks to wait, in milliseconds: of a throttled call, or one in doubt, if it says so. */
	waitMs?: number;
	/** Somebody in front of the service wrote the answer. */
	byGateway?: true;
	/** The answer looks as if the Base URL did not lead to the service. */
	isElsewhere?: true;
	/** What the service says about single fields, as sentences. */
	fields?: string;
	/** The code of a broken connection, such as ECONNRESET. */
	code?: string;
}

/**
 * A failure with the outcome that follows from its cause.
 *
 * @param from what else is known of it, as from an earlier failure
 */
export function failureBy(
	cause: Cause,
	words: Pick<Failure, 'message' | 'description'>,
	from: Partial<Failure> = {},
): Failure {
	return {
		statusCode: null,
		problem: null,
		requestId: null,
		...from,
		...words,
		cause,
		...MEANINGS[cause],
	};
}

/** A failure of a call that never reached the service. */
export function unsent(message: string, description: string, from?: Partial<Failure>): Failure {
	return failureBy('withheld', { message, description }, from);
}

/** The parts of a failure that an error shows. */
export type FailureWords = Pick<Failure, 'message' | 'description'> & Partial<Failure>;

/** What to do about a failure, and what others can find it by. */
export function adviceOn(words: Pick<FailureWords, 'code' | 'description' | 'requestId'>): string {
	return [words.description, ...tracesOf(words)].join(' ');
}

/** What a failure can be found by: its code, for those who search for it, and the request's ID, for the operator. */
export function tracesOf({ code, requestId }: Pick<FailureWords, 'code' | 'requestId'>): string[] {
	return [code && `(${code})`, requestId && `(request ${requestId})`].filter(
		(trace) => typeof trace === 'string',
	);
}

/** The n8n error for a failure: the reason in the service's words, and what to do. */
export function apiError(node: INode, words: FailureWords): NodeError {
	const { message, problem = null, statusCode = null } = words;
	const error = nodeError(node, { message, description: adviceOn(words) }, statusCode);
	// n8n gets the problem only now: it would take seconds to search a long one.
	if (problem !== null) error.context.data = problem;
	return error;
}

/** Whether a result is a failure. */
export function isFailure(result: object): result is Failure {
	return 'outcome' in result;
}
