import { Agent, request } from 'undici';

import type { JsonObject, StoredOutboxEntry } from './model.mts';

/** Nothing that somebody enters in the sandbox may reach another machine. */
const OWN_HOSTS = ['127.0.0.1', 'localhost', '[::1]'];

/** Few connections at a time, each for one request: a receiver may restart between two of them. */
const dispatcher = new Agent({ connections: 8, pipelining: 0 });

/** How much of an answer is kept, in characters. */
const KEPT = 10_000;

/** How long to wait for an answer if the channel does not say, in seconds. */
const STANDARD_TIMEOUT_S = 30;

/** Whether an address is one of this machine. */
export function isOnThisMachine(url: string): boolean {
	if (!URL.canParse(url)) return false;
	const { hostname, protocol } = new URL(url);
	return /^https?:$/.test(protocol) && OWN_HOSTS.includes(hostname);
}

/**
 * Makes the request of an outbox entry. Redirects are not followed.
 *
 * @param parameters those of its channel: method, headers and timeoutSeconds
 * @returns the answer; `undefined` if there is none
 */
export async function post(
	{ url, contentType, requestMetamodel }: StoredOutboxEntry,
	parameters: JsonObject,
	signal: AbortSignal,
): Promise<{ status: number; body: string } | undefined> {
	const { headers, method, timeoutSeconds } = parameters;
	const seconds = typeof timeoutSeconds === 'number' ? timeoutSeconds : STANDARD_TIMEOUT_S;
	try {
		const { statusCode, body } = await request(url, {
			method: method === 'PUT' ? 'PUT' : 'POST',
			headers: { 'content-type': contentType, ...(headers as Record<string, string> | undefined) },
			body: JSON.stringify(requestMetamodel['body']),
			signal: AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]),
			dispatcher,
		});
		return { status: statusCode, body: (await body.text()).slice(0, KEPT) };
	} catch {
		// Not reached, broken off, too slow, or the parameters are no headers or time: no answer.
		return undefined;
	}
}
