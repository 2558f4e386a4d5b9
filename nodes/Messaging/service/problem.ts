import type { IDataObject } from 'n8n-workflow';

import { isPlainObject } from '../shared/json';
import { cut, said } from '../shared/text';
import type { Reply } from './reply';

/** How many characters of a title are shown before the detail. */
const LONGEST_TITLE = 200;

/** The error body of the interface (problem details) as received; `null` if the answer has none. */
export function problemOf(reply: Reply): IDataObject | null {
	return isPlainObject(reply.body) ? (reply.body as IDataObject) : null;
}

/** What happened, in the service's own words: title and detail, a short text, or else the status. */
export function reasonOf(reply: Reply): string {
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

/**
 * How long the service asks to wait, in milliseconds: `Retry-After` in seconds, or as a date by the service's own
 * clock. `undefined` if it does not say.
 *
 * Source: RFC 9110, 10.2.3. The interface does not mention this header, but services may send it.
 *
 * @param now the time on this machine, in milliseconds
 */
export function retryAfterMs({ headers }: Reply, now = Date.now()): number | undefined {
	const value = headers['retry-after']?.trim() ?? '';
	if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
	const [until, answeredAt] = [Date.parse(value), Date.parse(headers.date ?? '')];
	if (Number.isNaN(until)) return undefined;
	return Math.max(0, until - (Number.isNaN(answeredAt) ? now : answeredAt));
}
