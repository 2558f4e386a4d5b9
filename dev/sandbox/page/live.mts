import type { FastifyInstance } from 'fastify';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { channelStatus, channelTypeOf, outboxStatusNames } from '../records/catalog.mts';
import type { MessageRecord, StoredChannel } from '../records/model.mts';
import { deliverDue } from '../records/outbox.mts';
import { maskToken } from '../records/views.mts';
import type { Sandbox } from '../sandbox.mts';

/** How many messages, outbox entries and requests are shown. */
const shownRows = 60;

/** Compares two times in ISO format. */
const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

/** What was created or changed last, the latest on top. */
const latestRows = <T,>(records: Iterable<T>, changedAt: (record: T) => string): T[] =>
	[...records]
		.sort((one, other) => compare(changedAt(one), changedAt(other)))
		.slice(-shownRows)
		.reverse();

const messageChangedAt = ({ deletedAt, edits, sentAt }: MessageRecord): string =>
	deletedAt ?? edits.at(-1)?.at ?? sentAt;

/** What the page shows of each part. */
const parts: Readonly<Record<string, (sandbox: Sandbox) => unknown>> = {
	accounts: ({ state }) => {
		const latest = [...state.channels.values()].sort((one, other) =>
			compare(other.stateUpdatedAt, one.stateUpdatedAt),
		);
		const channels = Map.groupBy(latest, ({ accountId }) => accountId);
		const feedbackOf = ({ feedbackChannelId }: StoredChannel): StoredChannel | undefined =>
			state.channels.get(feedbackChannelId ?? '');
		return [...state.accounts.values()].map((account) => ({
			...{ id: account.accountId, name: account.name ?? '(no name)' },
			organization: state.organizationOf(account).name,
			channels: (channels.get(account.accountId) ?? []).map((channel) => {
				const status = channelStatus(channel.statusId);
				const feedback = feedbackOf(channel);
				const { channelId: id, name, channelTypeKey: type, isConnected } = channel;
				const receives = status.canReceiveInboundMessages && isConnected && !channelTypeOf(channel).hasOutbox;
				return {
					...{ id, name, type, isConnected, status: status.name, receives },
					canSend: status.canSendAndReceiveMessage,
					/** Whether what customers write to it is delivered. */
					isDelivered: feedback !== undefined && channelTypeOf(feedback).hasOutbox,
				};
			}),
		}));
	},
	keys: ({ state }) =>
		[...state.keys.values()].map(({ id, name, token, plan, revokedAt }) => {
			const limit = `${plan.limit.toLocaleString('en')} per ${plan.seconds} s`;
			return { id, name, token: maskToken(token), plan: limit, revoked: revokedAt !== null };
		}),
	messages: ({ state }) => ({
		total: state.messages.length,
		rows: latestRows(state.messages, messageChangedAt).map((message) => {
			const { n, messageId, packageId, channelId, accountId, sentAt, sender, recipient, type } = message;
			return {
				...{ id: n, messageId, packageId, sentAt, from: sender, to: recipient, type },
				at: messageChangedAt(message),
				text: message.text ?? '',
				channel: state.channels.get(channelId)?.name ?? '',
				account: state.accounts.get(accountId)?.name ?? '',
				...{ edits: message.edits.length, deleted: message.deletedAt !== null },
			};
		}),
	}),
	outbox: ({ state }) => ({
		total: state.outbox.size,
		counts: [...state.outbox.values()].reduce<number[]>((counts, { statusId }) => {
			counts[statusId] = (counts[statusId] ?? 0) + 1;
			return counts;
		}, []),
		rows: latestRows(state.outbox.values(), ({ changedAt }) => changedAt).map((entry) => ({
			...{ id: entry.httpSenderOutboxEntryId, url: entry.url, correlationId: entry.correlationId },
			...{ code: entry.responseStatusCode, retries: entry.retryCount },
			at: entry.sentAt ?? entry.failedAt ?? entry.lastRetryAt ?? entry.createdAt,
			status: outboxStatusNames[entry.statusId],
			channel: state.channels.get(entry.channelId)?.name ?? '',
		})),
	}),
	requests: ({ log, state }) => ({
		total: log.total,
		rows: log
			.list(shownRows)
			.reverse()
			.map(({ n, headers: _headers, bodyText: _text, body: _body, query: _query, ...entry }) => ({
				...{ ...entry, id: n, key: state.keys.get(entry.keyId ?? '')?.name ?? null },
			})),
	}),
	faults: ({ faults }) => faults.list(),
};

/**
 * Adds the live page. It is fed by server-sent events: a few times a second, while a page is open, each part that has
 * changed, with its newest rows, so that thousands of requests cost the sandbox almost nothing.
 */
export function addPage(app: FastifyInstance, sandbox: Sandbox): void {
	const [html = '', css = '', elements = '', code = ''] = [
		'page.html',
		'page.css',
		'elements.js',
		'page.js',
	].map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'));
	const whole = html
		.replace('<style>', () => `<style>${css}`)
		.replace('<script id="code">', () => `<script>${elements}${code}`);
	/** The pages that are open, each with the parts that it has, as JSON. */
	const pages = new Map<ServerResponse, ReadonlyMap<string, string>>();
	const describe = (): Map<string, string> =>
		new Map(Object.entries(parts).map(([name, part]) => [name, JSON.stringify(part(sandbox))]));
	const textOf = (described: Iterable<[name: string, json: string]>): string => {
		const members = [...described].map(([name, json]) => `,"${name}":${json}`);
		return `{"seed":${JSON.stringify(sandbox.state.seed)}${members.join('')}}`;
	};
	setInterval(() => {
		void deliverDue(sandbox.state);
		if (pages.size === 0) return;
		const described = describe();
		for (const [page, known] of pages) {
			const changed = [...described].filter(([name, json]) => known.get(name) !== json);
			// A page that does not read must not use up memory here: it gets what has changed when it reads again.
			if (changed.length === 0 || page.writableLength > 1_000_000) continue;
			page.write(`data: ${textOf(changed)}\n\n`);
			pages.set(page, described);
		}
	}, 200).unref();

	app.get('/_sandbox', (_request, reply) => reply.redirect('/_sandbox/'));
	app.get('/_sandbox/', (_request, reply) => {
		// With the state in it, the page is never empty at first.
		const first = textOf(describe()).replaceAll('<', '\\u003c');
		const page = whole.replace(/(<script[^>]* id="first">)[^<]*/, (_, tag: string) => tag + first);
		return reply.type('text/html; charset=utf-8').send(page);
	});
	app.get('/_sandbox/events', (_request, reply) => {
		reply.hijack();
		const { raw } = reply;
		raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
		const described = describe();
		pages.set(raw, described);
		raw.once('close', () => pages.delete(raw));
		raw.write(`retry: 1000\n\ndata: ${textOf(described)}\n\n`);
	});
}
