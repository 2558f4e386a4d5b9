import { type INode, type JsonObject, NodeApiError } from 'n8n-workflow';

import { defined } from '../json/defined';
import type { Failure } from './endings';

/** What an error says of a failure. */
export type FailureWords = Pick<Failure, 'message' | 'description' | 'statusCode' | 'problem'>;

/** A failure as the error that n8n shows of it: the reason in the service's words, and the way out. */
export function apiError(
	node: INode,
	{ message, description, statusCode, problem }: FailureWords,
): NodeApiError {
	const error = new NodeApiError(node, (problem ?? {}) as JsonObject, {
		message,
		description,
		...defined<{ httpCode?: string }>({ httpCode: statusCode === null ? undefined : String(statusCode) }),
	});
	// n8n replaces messages in which it finds words that it knows: the service's own stay.
	error.message = message;
	return error;
}
