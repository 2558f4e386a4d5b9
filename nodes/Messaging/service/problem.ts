import type { IDataObject } from 'n8n-workflow';

import { isPlainObject } from '../shared/json';
import { cut, said } from '../shared/text';
import type { Reply } from './reply';

/** How much of a title stands before the detail. */
const LONGEST_TITLE = 200;

/** The error body of the interface (problem details), as received; `null` when the answer holds none. */
export function problemOf(reply: Reply): IDataObject | null {
	return isPlainObject(reply.body) ? (reply.body as IDataObject) : null;
}

/**
 * What happened in the service's own words, as much of them as one reads: title and detail, a short text, or the
 * status alone.
 */
export function wordsOf(reply: Reply): string {
	const { title, detail } = isPlainObject(reply.body) ? reply.body : {};
	const words = [title, detail].filter(
		(part): part is string => typeof part === 'string' && part.trim() !== '',
	);
	if (words.length === 2 && words[0] !== words[1]) {
		return said(`${cut(words[0] ?? '', LONGEST_TITLE).replace(/[.:。：।۔]\s*$/, '')}: ${words[1]}`);
	}
	if (words[0] !== undefined) return said(words[0]);
	const text = typeof reply.body === 'string' && reply.body.length <= 300 ? reply.body.trim() : '';
	if (text !== '' && !text.startsWith('<')) return said(text);
	return `The service answered with status ${reply.status} and gave no reason`;
}
