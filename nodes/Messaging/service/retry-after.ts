import type { Reply } from './reply';

/**
 * How long the service asks to wait, in milliseconds: `Retry-After` in seconds or as a date. A date is read against
 * the answer's own `Date`, so that a clock that is off does no harm. `undefined` when it does not say.
 *
 * Source: RFC 9110, 10.2.3. The interface shows no such header; it is honoured where it comes.
 *
 * @param now the time here in milliseconds, used when the answer carries no date
 */
export function retryAfterMs({ headers }: Reply, now = Date.now()): number | undefined {
	const value = headers['retry-after']?.trim() ?? '';
	if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
	const until = Date.parse(value);
	if (Number.isNaN(until)) return undefined;
	const from = Date.parse(headers.date ?? '');
	return Math.max(0, until - (Number.isNaN(from) ? now : from));
}
