import type { Reply } from './reply';

/** Answers that ask to come back later, and when that is. */

/**
 * Whether an answer that proves that the call was not processed asks to come back later. Some gateways say with 403 that
 * a quota is used up, and when it begins anew.
 */
export function isLater({ status, headers }: Reply): boolean {
	return status === 429 || status === 503 || (status === 403 && headers['retry-after'] !== undefined);
}

/** Headers that name a time to come back. The interface mentions none of them. */
const TIMES = ['retry-after', 'ratelimit-reset', 'x-ratelimit-reset', 'x-rate-limit-reset'];

/**
 * How long an answer asks to wait, in milliseconds; `undefined` if it does not say. If several headers name a time, the
 * earliest counts that is not past: coming too early costs one refusal, giving up costs all messages of the run.
 *
 * @param isLate whether the call was turned away. Otherwise only `Retry-After` is about that: some services send the
 * others with every answer
 */
export function waitMsIn({ headers }: Reply, isLate: boolean): number | undefined {
	const answeredAt = Date.parse(headers.date ?? '');
	const now = Number.isNaN(answeredAt) ? Date.now() : answeredAt;
	const waits = (isLate ? TIMES : TIMES.slice(0, 1))
		.map((name) => waitMs(headers[name]?.trim() ?? '', now))
		.filter((ms) => ms >= 0);
	return waits.length === 0 ? undefined : Math.min(...waits);
}

/**
 * The wait in one header: seconds or an HTTP date (RFC 9110, 10.2.3), or a Unix time in seconds or milliseconds, which
 * are told apart by their digits. Dates are by the clock of the server that answered. NaN if it is none of these.
 */
function waitMs(value: string, now: number): number {
	if (/^\d{1,9}(?:\.\d{1,9})?$/.test(value)) return Number(value) * 1000;
	if (/^\d{10}(?:\.\d{1,9})?$/.test(value)) return Number(value) * 1000 - now;
	if (/^\d{13}$/.test(value)) return Number(value) - now;
	return /^[a-z]{3,9},? /i.test(value) ? Date.parse(value) - now : NaN;
}
