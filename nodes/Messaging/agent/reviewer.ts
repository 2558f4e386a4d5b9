import type { IExecuteFunctions } from 'n8n-workflow';

import { isPlainObject } from '../shared/json';
import { isReviewer } from './caller';

/** What a reviewer passes on if its question was asked before, under the same key. The model knows how that one ended. */
export const ASKED_UNDER_KEY =
	'A person was asked before, under the same key, and is not asked again. The tool was not used now. Tell a person.';

/**
 * Prepares what comes out if nobody answers: n8n then passes the input on, in which an agent would read its own question.
 * Calls that are made at once share the `data` of the agent's input, and n8n passes on the input of all but the first.
 */
export function answerForNobody(context: IExecuteFunctions): void {
	const isReview = isReviewer(context);
	for (const item of context.getInputData()) {
		const { data } = item.json;
		item.json = isReview ? { chatInput: NOBODY } : { note: NOBODY };
		if (isReview && isPlainObject(data)) delete data.approved;
	}
}

const NOBODY = 'Nobody answered in time. Do not ask again; tell a person.';
