import { outboxStatus } from './catalog.mts';
import type { JsonObject, StoredChannel, StoredOutboxEntry } from './model.mts';
import { isOnThisMachine, post } from './post.mts';
import type { State } from './state.mts';

/** What a new outbox entry is made from. */
export interface OutboxSeed {
	createdAt: string;
	dueAt: number;
	correlationId: string | null;
	priority: number;
	/** What is posted to the receiver. */
	payload: JsonObject;
}

/** A pending entry for a channel; the caller adds it to the state. */
export function outboxEntryFor(state: State, channel: StoredChannel, seed: OutboxSeed): StoredOutboxEntry {
	return {
		httpSenderOutboxEntryId: state.random.uuid(),
		channelId: channel.channelId,
		statusId: outboxStatus.pending,
		priority: seed.priority,
		url: receiver(channel),
		contentType: 'application/json',
		correlationId: seed.correlationId,
		requestMetamodel: {
			method: typeof channel.parameters['method'] === 'string' ? channel.parameters['method'] : 'POST',
			body: seed.payload,
		},
		responseBody: null,
		responseStatusCode: null,
		traceParent: `00-${state.random.hex(32)}-${state.random.hex(16)}-01`,
		retryCount: 0,
		createdAt: seed.createdAt,
		sentAt: null,
		failedAt: null,
		lastRetryAt: null,
		dueAt: seed.dueAt,
		request: null,
	};
}

/** Puts an entry back into the queue. */
export function requeue(state: State, entry: StoredOutboxEntry, now: number, delayMs: number): void {
	entry.retryCount += 1;
	entry.lastRetryAt = new Date(now).toISOString();
	entry.sentAt = null;
	entry.failedAt = null;
	entry.responseBody = null;
	entry.responseStatusCode = null;
	entry.dueAt = now + delayMs;
	state.setOutboxStatus(entry, outboxStatus.pending);
}

/**
 * Delivers the pending entries that are due. Entries of a channel that is not connected wait. Receivers on this machine
 * get a request. For all others the sandbox only pretends: a host that ends in `.invalid`, which no name server ever
 * resolves, fails; every other one accepts the message. With `dueBy` in the future, entries are delivered early.
 *
 * @returns when the requests that this call has begun are over
 */
export async function deliverDue(state: State, now: number, dueBy = now): Promise<void> {
	const requests: Array<Promise<void>> = [];
	for (const entry of state.pending) {
		if (entry.dueAt > dueBy || entry.request !== null) continue;
		const channel = state.channels.get(entry.channelId);
		if (channel === undefined || !channel.isConnected) continue;
		entry.url = receiver(channel);
		if (isOnThisMachine(entry.url)) requests.push(postTo(state, entry, channel));
		else settle(state, entry, isUnreachable(entry.url) ? undefined : { status: 200, body: '{"ok":true}' });
	}
	await Promise.all(requests);
}

/** Posts an entry to its receiver. A change of its status, as by Cancel or Requeue, ends the request. */
async function postTo(state: State, entry: StoredOutboxEntry, { parameters }: StoredChannel): Promise<void> {
	const request = new AbortController();
	entry.request = request;
	const answer = await post(entry, parameters, request.signal);
	if (entry.request === request) settle(state, entry, answer);
}

/** Notes how a delivery ended: any answer but a 2xx, or none, is a failure. */
function settle(state: State, entry: StoredOutboxEntry, answer?: { status: number; body: string }): void {
	const isSent = answer !== undefined && answer.status >= 200 && answer.status < 300;
	entry[isSent ? 'sentAt' : 'failedAt'] = new Date().toISOString();
	entry.responseStatusCode = answer?.status ?? null;
	entry.responseBody = answer?.body ?? null;
	state.setOutboxStatus(entry, isSent ? outboxStatus.sent : outboxStatus.failed);
}

function receiver(channel: StoredChannel): string {
	const url = channel.parameters['url'];
	return typeof url === 'string' && url !== '' ? url : 'https://receiver.invalid/';
}

function isUnreachable(url: string): boolean {
	const host = URL.canParse(url) ? new URL(url).hostname : '';
	return host === '' || host.endsWith('.invalid');
}
