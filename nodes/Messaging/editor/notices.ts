import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { apiError, type FailureWords } from '../service/api-error';

/** The error that a menu shows in place of its entries when they can't be read: the reason, and the way out. */
export function readingError(context: ILoadOptionsFunctions, failure: FailureWords): Error {
	return notice(context, failure);
}

/**
 * What a menu says when there is nothing to pick from. n8n shows "No results" for an empty list and has no place for
 * a text of the node's own but the one for errors.
 *
 * @param message what there is not, such as "No channels yet"
 * @param description what to do about it
 */
export function nothingToPick(context: ILoadOptionsFunctions, message: string, description: string): Error {
	return notice(context, { message, description, statusCode: null, problem: null });
}

/**
 * What a menu says when the service lists entries and none of them can be picked.
 *
 * @param what the entries, in the plural
 */
export function noUsableId(context: ILoadOptionsFunctions, what: string): Error {
	return nothingToPick(
		context,
		`None of the ${what} has an ID that can be picked`,
		'The service lists them without a UUID. Tell its operator.',
	);
}

/** Of all errors, n8n hands the description of a NodeApiError alone on to the editor. */
function notice(context: ILoadOptionsFunctions, words: FailureWords): Error {
	// n8n's menus cut a message up at its hyphens and drop them: these look the same and stay.
	const message = words.message.replace(/-/g, '\u2011');
	return apiError(context.getNode(), { ...words, message });
}
