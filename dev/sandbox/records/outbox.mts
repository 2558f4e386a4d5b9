import { Agent, request } from 'undici';
import { outboxStatus } from './catalog.mts';
import type { JsonObject, StoredChannel, StoredOutboxEntry } from './model.mts';
import type { State } from './state.mts';

/** What a new outbox entry is made from; `payload` is what is posted to the receiver. */
export interface OutboxSeed {
	createdAt: string;
	dueAt: number;
	correlationId: string | null;
	priority?: number;
	payload: JsonObject;
}

/** A pending entry for a channel; the caller adds it to the state. */
export function outboxEntryFor(state: State, channel: StoredChannel, seed: OutboxSeed): StoredOutboxEntry {
	const { payload, priority = 0, ...times } = seed;
	const { method } = channel.parameters;
	return {
		...{ httpSenderOutboxEntryId: state.random.uuid(), channelId: channel.channelId, priority, ...times },
		...{ statusId: outboxStatus.pending, url: receiver(channel), contentType: 'application/json' },
		requestMetamodel: { method: typeof method === 'string' ? method : 'POST', body: payload },
		traceParent: `00-${state.random.hex(32)}-${state.random.hex(16)}-01`,
		...{ responseBody: null, responseStatusCode: null, retryCount: 0, request: null },
		...{ sentAt: null, failedAt: null, lastRetryAt: null, changedAt: seed.createdAt },
	};
}

/** Puts an entry back into the queue. */
export function requeue(state: State, entry: StoredOutboxEntry, now: number, delayMs: number): void {
	Object.assign(entry, {
		...{ retryCount: entry.retryCount + 1, lastRetryAt: new Date(now).toISOString(), dueAt: now + delayMs },
		...{ sentAt: null, failedAt: null, responseBody: null, responseStatusCode: null },
	} satisfies Partial<StoredOutboxEntry>);
	state.setOutboxStatus(entry, outboxStatus.pending);
}

/**
 * Delivers the pending entries that are due. Entries of a channel that is not connected wait. Receivers on this machine
 * get a request. For all others the sandbox only pretends: a host that ends in `.invalid`, which no name server ever
 * resolves, fails; every other one accepts the message.
 *
 * @param dueBy in the future, to deliver entries early
 * @returns when the requests that this call has begun are over
 */
export async function deliverDue(state: State, dueBy = Date.now()): Promise<void> {
	const requests = state.pending().map(async (entry) => {
		const channel = state.channels.get(entry.channelId);
		if (entry.dueAt > dueBy || entry.request !== null || channel?.isConnected !== true) return;
		entry.url = receiver(channel);
		const pretended = isUnreachable(entry.url) ? undefined : { status: 200, body: '{"ok":true}' };
		if (!isOnThisMachine(entry.url)) return settle(state, entry, pretended);
		// A change of its status, as by Cancel or Requeue, ends the request.
		const under = (entry.request = new AbortController());
		const answer = await post(entry, channel.parameters, under.signal);
		if (entry.request === under) settle(state, entry, answer);
	});
	await Promise.all(requests);
}

/** Notes how a delivery ended: any answer but a 2xx, or none, is a failure. */
function settle(state: State, entry: StoredOutboxEntry, answer?: { status: number; body: string }): void {
	const isSent = answer !== undefined && answer.status >= 200 && answer.status < 300;
	entry[isSent ? 'sentAt' : 'failedAt'] = new Date().toISOString();
	entry.responseStatusCode = answer?.status ?? null;
	entry.responseBody = answer?.body ?? null;
	state.setOutboxStatus(entry, isSent ? outboxStatus.sent : outboxStatus.failed);
}

function receiver({ parameters: { url } }: StoredChannel): string {
	return typeof url === 'string' && url !== '' ? url : 'https://receiver.invalid/';
}

function isUnreachable(url: string): boolean {
	const host = URL.canParse(url) ? new URL(url).hostname : '';
	return host === '' || host.endsWith('.invalid');
}

/** Whether an address is one of this machine: nothing that somebody enters may reach another one. */
export function isOnThisMachine(url: string): boolean {
	if (!URL.canParse(url)) return false;
	const { hostname, protocol } = new URL(url);
	return /^https?:$/.test(protocol) && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
}

/** Few connections at a time, each for one request: a receiver may restart between two of them. */
const dispatcher = new Agent({ connections: 8, pipelining: 0 });

/** Makes the request of an outbox entry, without following redirects; `undefined` if there is no answer. */
async function post(
	{ url, contentType, requestMetamodel }: StoredOutboxEntry,
	{ headers, method, timeoutSeconds = 30 }: JsonObject,
	signal: AbortSignal,
): Promise<{ status: number; body: string } | undefined> {
	try {
		const { statusCode, body } = await request(url, {
			method: method === 'PUT' ? 'PUT' : 'POST',
			headers: { 'content-type': contentType, ...(headers as Record<string, string> | undefined) },
			body: JSON.stringify(requestMetamodel['body']),
			signal: AbortSignal.any([signal, AbortSignal.timeout(Number(timeoutSeconds) * 1000)]),
			dispatcher,
		});
		return { status: statusCode, body: (await body.text()).slice(0, 10_000) };
	} catch {
		// Not reached, broken off, too slow, or the parameters are no headers or time: no answer.
		return undefined;
	}
}
