import type { FastifyInstance } from 'fastify';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { channelStatus, channelTypeOf, outboxStatusNames } from '../records/catalog.mts';
import type { StoredChannel } from '../records/model.mts';
import { deliverDue } from '../records/outbox.mts';
import type { Section } from '../records/state.mts';
import { maskToken } from '../records/views.mts';
import type { Sandbox } from '../sandbox.mts';

const shownRequests = 60;

/** What the page shows of each part. */
const parts: Record<Section, (sandbox: Sandbox) => unknown> = {
	accounts: ({ state }) => {
		const channels = Map.groupBy(
			new Set([...[...state.latest.channels].reverse(), ...state.channels.values()]),
			({ accountId }) => accountId,
		);
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
		rows: [...state.latest.messages].reverse().map((message) => {
			const { n, messageId, packageId, channelId, accountId, sentAt, sender, recipient, type } = message;
			return {
				...{ id: n, messageId, packageId, sentAt, from: sender, to: recipient, type },
				at: message.deletedAt ?? message.edits.at(-1)?.at ?? sentAt,
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
		rows: [...state.latest.outbox].reverse().map((entry) => ({
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
			.list(shownRequests)
			.reverse()
			.map(({ n, headers: _headers, bodyText: _text, body: _body, query: _query, ...entry }) => ({
				...{ ...entry, id: n, key: state.keys.get(entry.keyId ?? '')?.name ?? null },
			})),
	}),
	faults: ({ faults }) => faults.list(),
};

/**
 * Adds the live page. It is fed by server-sent events: the newest rows of what has changed, a few times a second, so that
 * thousands of requests cost the sandbox almost nothing.
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
	const pages = new Set<ServerResponse>();
	const changed = new Set<Section>();
	const describe = (sections: Iterable<Section>): string => {
		const shown = [...sections].map((section) => [section, parts[section](sandbox)] as const);
		return JSON.stringify({ seed: sandbox.state.seed, ...Object.fromEntries(shown) });
	};
	const everything = (): string => describe(Object.keys(parts) as Section[]);
	sandbox.onChange = (section) => changed.add(section);
	setInterval(() => {
		void deliverDue(sandbox.state);
		if (pages.size === 0 || changed.size === 0) return;
		const text = `data: ${describe(changed)}\n\n`;
		changed.clear();
		for (const page of pages) {
			// A page that does not read must not use up memory here: it skips an update and gets the next one.
			if (page.writableLength < 1_000_000) page.write(text);
			else changed.add('requests');
		}
	}, 200).unref();

	app.get('/_sandbox', (_request, reply) => reply.redirect('/_sandbox/'));
	app.get('/_sandbox/', (_request, reply) => {
		// With the state in it, the page is never empty at first.
		const first = everything().replaceAll('<', '\\u003c');
		const page = whole.replace(/(<script[^>]* id="first">)[^<]*/, (_, tag: string) => tag + first);
		return reply.type('text/html; charset=utf-8').send(page);
	});
	app.get('/_sandbox/events', (_request, reply) => {
		reply.hijack();
		const { raw } = reply;
		raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
		pages.add(raw);
		raw.once('close', () => pages.delete(raw));
		raw.write(`retry: 1000\n\ndata: ${everything()}\n\n`);
	});
}
