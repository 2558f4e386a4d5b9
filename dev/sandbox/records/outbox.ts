import { outboxStatus } from './catalog.ts';
import type { JsonObject, StoredChannel, StoredOutboxEntry } from './model.ts';
import type { State } from './state.ts';

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
 * Delivers the pending entries that are due. Entries of a channel that is not connected wait. A receiver whose host
 * ends in `.invalid`, which no name server ever resolves, fails; every other one accepts the message. With `dueBy` in
 * the future, entries are delivered early.
 */
export function deliverDue(state: State, now: number, dueBy = now): void {
	for (const entry of state.pending) {
		if (entry.dueAt > dueBy) continue;
		const channel = state.channels.get(entry.channelId);
		if (channel === undefined || !channel.isConnected) continue;
		entry.url = receiver(channel);
		const time = new Date(now).toISOString();
		if (isUnreachable(entry.url)) {
			entry.failedAt = time;
			state.setOutboxStatus(entry, outboxStatus.failed);
		} else {
			entry.sentAt = time;
			entry.responseStatusCode = 200;
			entry.responseBody = '{"ok":true}';
			state.setOutboxStatus(entry, outboxStatus.sent);
		}
	}
}

function receiver(channel: StoredChannel): string {
	const url = channel.parameters['url'];
	return typeof url === 'string' && url !== '' ? url : 'https://receiver.invalid/';
}

function isUnreachable(url: string): boolean {
	const host = URL.canParse(url) ? new URL(url).hostname : '';
	return host === '' || host.endsWith('.invalid');
}
