import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { apiError, type FailureWords } from '../service/api-error';

/** The error that a menu shows in place of its entries when they can't be read: the reason, and the way out. */
export function readingError(context: ILoadOptionsFunctions, words: FailureWords): Error {
	// n8n's menus break a message up at its hyphens and drop them; non-breaking ones look the same and stay.
	const message = words.message.replace(/-/g, '\u2011');
	return apiError(context.getNode(), { ...words, message });
}

/**
 * What a menu says when there is nothing to pick. n8n shows "No results" for an empty list; the only place for a text
 * of the node's own is an error, and of all errors only a NodeApiError's description is shown.
 *
 * @param message what is missing, such as "No channels yet"
 * @param description what to do about it
 */
export function nothingToPick(context: ILoadOptionsFunctions, message: string, description: string): Error {
	return readingError(context, { message, description, statusCode: null, problem: null });
}
