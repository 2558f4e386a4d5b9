import type { Reply } from './reply';

/**
 * How long the service asks to wait, in milliseconds: `Retry-After` in seconds or as a date. A date is read by the
 * service's clock. `undefined` when it does not say.
 *
 * Source: RFC 9110, 10.2.3. The interface shows no such header; it is honoured where it comes.
 *
 * @param now the time here in milliseconds
 */
export function retryAfterMs({ headers }: Reply, now = Date.now()): number | undefined {
	const value = headers['retry-after']?.trim() ?? '';
	if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
	const until = Date.parse(value);
	if (Number.isNaN(until)) return undefined;
	return Math.max(0, until - timeThere(headers.date ?? '', now));
}

/** How late an answer may come for its `Date` to be that of a clock which agrees with the one here. */
const AGREES_WITHIN_MS = 2000;

/**
 * The time at the service when it answered. Its `Date` has whole seconds only: when the clock here agrees with it,
 * that tells how far into the second it was. A clock that is off does no harm.
 */
function timeThere(date: string, now: number): number {
	const second = Date.parse(date);
	if (Number.isNaN(second)) return now;
	const since = now - second;
	return since >= 0 && since < AGREES_WITHIN_MS ? second + Math.min(since, 999) : second;
}
