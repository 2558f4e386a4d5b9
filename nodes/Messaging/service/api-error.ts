import { type INode, NodeApiError } from 'n8n-workflow';

import { defined } from '../shared/json';
import type { Failure } from './endings';

/** What an error says of a failure. */
export type FailureWords = Pick<Failure, 'message' | 'description' | 'statusCode' | 'problem'>;

/** The error with which n8n shows a failure: the reason in the service's words, and what to do. */
export function apiError(
	node: INode,
	{ message, description, statusCode, problem }: FailureWords,
): NodeApiError {
	// n8n gets the words instead of the problem, because searching a long problem takes it seconds.
	const error = new NodeApiError(
		node,
		{},
		{
			message,
			description,
			...defined<{ httpCode?: string }>({ httpCode: statusCode === null ? undefined : String(statusCode) }),
		},
	);
	// n8n replaces messages that contain certain words. The service's own message must stay.
	error.message = message;
	if (problem !== null) error.context.data = problem;
	return error;
}
