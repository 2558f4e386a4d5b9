import { type INode, NodeApiError } from 'n8n-workflow';

import { defined } from '../shared/json';
import type { Failure } from './endings';

/** The parts of a failure that an error shows. */
export type FailureWords = Pick<Failure, 'message' | 'description' | 'statusCode' | 'problem'>;

/** The n8n error for a failure: the reason in the service's words, and what to do. */
export function apiError(
	node: INode,
	{ message, description, statusCode, problem }: FailureWords,
): NodeApiError {
	// n8n gets these words instead of the problem: it takes seconds to search a long problem.
	const error = new NodeApiError(
		node,
		{},
		{
			message,
			description,
			...defined<{ httpCode?: string }>({ httpCode: statusCode === null ? undefined : String(statusCode) }),
		},
	);
	// n8n replaces messages that contain certain words, but the service's own message must stay.
	error.message = message;
	if (problem !== null) error.context.data = problem;
	return error;
}
