import type { OperationId } from '../../../dev/sandbox/interface/openapi.mts';
import { createService, listen } from '../../../dev/sandbox/service.mts';

/** How a request is answered; without a body, the answer is empty. */
export interface Answer {
	status: number;
	body?: unknown;
	headers?: Record<string, string>;
	/** Closes the connection, or leaves it open, in place of an answer. */
	silent?: 'close' | 'wait';
}

/** A request that arrived. */
export interface Arrived {
	name: string;
	key: string | undefined;
	headers: Record<string, string | string[] | undefined>;
	/** In milliseconds. */
	at: number;
	body: string;
}

export const KEY = 'acc_0123456789abcdefghij';

const channelId = '7d9d3a55-3a0c-4c58-a5cc-0f2b2ef3a001';
const record = { channelId, name: 'Post', createdAt: '2026-01-01T10:00:00Z' };
const me = { type: 'account', resourcePlan: { limit: 100, seconds: 60 } };

/** Each operation by the name that the check has for it, and an answer that fits. Other calls are about nothing known. */
const FITTING: Partial<Record<OperationId, readonly [name: string, answer: Answer]>> = {
	'apiKey.getCurrent': ['GET /Me', { status: 200, body: me }],
	'channel.getAll': ['Channels', { status: 200, body: [record] }],
	'account.getAll': ['Accounts', { status: 200, body: [{ accountId: channelId }] }],
	'message.send': ['Send a message', { status: 202 }],
};
const NAMES: Partial<Record<OperationId, string>> = {
	'message.edit': 'Edit a message',
	'message.delete': 'Delete a message',
	'outbox.get': 'Get an outbox entry',
	'outbox.cancel': 'Cancel an outbox entry',
	'outbox.requeue': 'Requeue an outbox entry',
	'channel.updateParameters': 'Update channel parameters',
	'apiKey.update': 'Update an API key',
	'apiKey.delete': 'Revoke an API key',
};
const unknown: Answer = { status: 404, body: { title: 'Not Found', detail: 'There is no such thing' } };
const wrongKey: Answer = { status: 401, body: { message: 'Invalid authentication credentials' } };

/** What a service does otherwise: one answer, or one for each request, of which the last repeats. */
export type Variant = Readonly<Record<string, Answer | Answer[]>>;

/** A small service that fits, by other habits than the sandbox's, except where a variant says otherwise. */
export async function startOther(variant: Variant = {}) {
	const arrived: Arrived[] = [];
	const app = createService({
		prefix: '/prefix',
		hook: ({ call, verdict: { operationId } }) => {
			const { headers: sent, bodyText } = call;
			const key = sent['x-api-key'] as string | undefined;
			const id = operationId ?? 'account.create';
			const [itsName, fitting] = FITTING[id] ?? [NAMES[id] ?? `${call.method} ${call.path}`, unknown];
			const [name, usual] = key === KEY ? [itsName, fitting] : ['A wrong key', wrongKey];
			const before = arrived.filter((each) => each.name === name).length;
			arrived.push({ name, key, headers: sent, at: performance.now(), body: bodyText });
			const given = [variant[name] ?? usual].flat();
			const { status, body, headers, silent } = given[Math.min(before, given.length - 1)] ?? usual;
			if (silent !== undefined) return silent === 'wait' ? 'open' : 'closed';
			if (body === undefined) return { status, ...(headers && { headers }) };
			const isText = typeof body === 'string';
			const type = isText ? 'text/html' : 'application/json; charset=utf-8';
			const text = isText ? body : JSON.stringify(body);
			return { status, headers: { 'content-type': type, ...headers }, body: text };
		},
	});
	const origin = await listen(app);
	return { url: `${origin}/prefix`, arrived, close: async () => await app.close() };
}
