import { type INode, NodeApiError } from 'n8n-workflow';

import { defined } from '../shared/json';
import type { Failure } from './endings';

/** What an error says of a failure. */
export type FailureWords = Pick<Failure, 'message' | 'description' | 'statusCode' | 'problem'>;

/** A failure as the error that n8n shows of it: the reason in the service's words, and the way out. */
export function apiError(
	node: INode,
	{ message, description, statusCode, problem }: FailureWords,
): NodeApiError {
	// What n8n would find in a problem is given: to search a long one takes it seconds.
	const error = new NodeApiError(
		node,
		{},
		{
			message,
			description,
			...defined<{ httpCode?: string }>({ httpCode: statusCode === null ? undefined : String(statusCode) }),
		},
	);
	// n8n replaces messages in which it finds words that it knows: the service's own stay.
	error.message = message;
	if (problem !== null) error.context.data = problem;
	return error;
}
