import type { ServerResponse } from 'node:http';
import { outboxStatus } from '../records/catalog.mts';
import type { StoredChannel } from '../records/model.mts';
import { channelStatus, channelTypeOf, holderStatus, maskToken, Views } from '../records/views.mts';
import type { LiveSection, Sandbox } from '../sandbox.mts';

const sections = ['accounts', 'keys', 'messages', 'outbox', 'requests', 'faults'] as const;
type PageSection = (typeof sections)[number];

const shownRequests = 60;
const shownChannels = 40;

/**
 * Feeds the live page by server-sent events. It sends the newest changed rows a few times a second, so that thousands
 * of requests cost the sandbox almost nothing.
 */
export class Live {
	readonly #sandbox: Sandbox;
	readonly #pages = new Set<ServerResponse>();
	readonly #changed = new Set<PageSection>();
	readonly #timer: NodeJS.Timeout;

	constructor(sandbox: Sandbox) {
		this.#sandbox = sandbox;
		sandbox.onChange = (section) => this.#note(section);
		this.#timer = setInterval(() => this.#turn(), 200);
		this.#timer.unref();
	}

	/** Adds a page. It gets the whole state, then the changes. */
	add(response: ServerResponse): void {
		response.writeHead(200, {
			'content-type': 'text/event-stream',
			'cache-control': 'no-store',
			'x-accel-buffering': 'no',
		});
		this.#pages.add(response);
		response.once('close', () => this.#pages.delete(response));
		response.write(`retry: 1000\n\ndata: ${this.#describe(sections)}\n\n`);
	}

	/** Puts the state into the HTML, so that the page is never empty at first. */
	render(page: string): string {
		const json = this.#describe(sections).replaceAll('<', '\\u003c');
		return page.replace(/(<script[^>]* id="first">)[^<]*/, (_, tag: string) => tag + json);
	}

	/** Ends every page's stream. */
	close(): void {
		clearInterval(this.#timer);
		for (const page of this.#pages) page.end();
	}

	#note(section: LiveSection): void {
		this.#changed.add(section === 'channels' ? 'accounts' : section);
	}

	#turn(): void {
		void this.#sandbox.deliver('due');
		if (this.#pages.size === 0 || this.#changed.size === 0) return;
		const text = `data: ${this.#describe([...this.#changed])}\n\n`;
		this.#changed.clear();
		for (const page of this.#pages) {
			// A page that does not read must not use up memory here: it skips an update and gets the next one.
			if (page.writableLength < 1_000_000) page.write(text);
			else this.#changed.add('requests');
		}
	}

	#describe(parts: readonly PageSection[]): string {
		const data: Partial<Record<PageSection, unknown>> & { seed: number } = { seed: this.#sandbox.state.seed };
		for (const part of parts) data[part] = this.#part(part);
		return JSON.stringify(data);
	}

	#part(part: PageSection): unknown {
		switch (part) {
			case 'accounts':
				return this.#accounts();
			case 'keys':
				return this.#keys();
			case 'messages':
				return this.#messages();
			case 'outbox':
				return this.#outbox();
			case 'requests':
				return this.#requests();
			case 'faults':
				return this.#sandbox.faults.list();
		}
	}

	#accounts() {
		const { state } = this.#sandbox;
		return [...state.accounts.values()].map((account) => {
			const channels = state.channelsOf(account.accountId);
			// A set keeps the first position of each.
			const changed = state.latestChannels.latestFirst().filter((channel) => channels.has(channel));
			const inOrder = [...new Set([...changed, ...channels])];
			return {
				id: account.accountId,
				name: account.name ?? '(no name)',
				organization: state.organizationOf(account).name,
				status: holderStatus(account.statusId).name,
				channelCount: channels.size,
				channels: inOrder.slice(0, shownChannels).map((channel) => {
					const status = channelStatus(channel.statusId);
					return {
						id: channel.channelId,
						name: channel.name,
						type: channel.channelTypeKey,
						status: status.name,
						canSend: status.canSendAndReceiveMessage,
						canReceive:
							status.canReceiveInboundMessages && channel.isConnected && !channelTypeOf(channel).hasOutbox,
						isConnected: channel.isConnected,
						deliversTo: this.#deliversTo(channel),
					};
				}),
			};
		});
	}

	/** The name of the HTTP channel that delivers what customers write to a channel. */
	#deliversTo({ feedbackChannelId }: StoredChannel): string | null {
		const feedback = this.#sandbox.state.channels.get(feedbackChannelId ?? '');
		return feedback !== undefined && channelTypeOf(feedback).hasOutbox ? feedback.name : null;
	}

	#keys() {
		const { state } = this.#sandbox;
		return [...state.keys.values()].map((key) => ({
			id: key.id,
			name: key.name,
			token: maskToken(key.token),
			account: state.accountOf(key).name,
			plan: `${key.plan.limit.toLocaleString('en')} per ${key.plan.seconds} s`,
			revoked: key.revokedAt !== null,
		}));
	}

	#messages() {
		const { state } = this.#sandbox;
		return {
			total: state.messageCount,
			rows: state.latestMessages.latestFirst().map((message) => ({
				id: message.n,
				messageId: message.messageId,
				packageId: message.packageId,
				at: message.deletedAt ?? message.edits.at(-1)?.at ?? message.sentAt,
				sentAt: message.sentAt,
				to: message.recipient,
				from: message.sender,
				text: excerpt(message.text ?? ''),
				type: message.type,
				channel: state.channels.get(message.channelId)?.name ?? '',
				account: state.accounts.get(message.accountId)?.name ?? '',
				edits: message.edits.length,
				deleted: message.deletedAt !== null,
			})),
		};
	}

	#outbox() {
		const { state } = this.#sandbox;
		const views = new Views(state, this.#sandbox.schemaBase);
		const entries = [...state.outbox.values()];
		const count = (statusId: number): number => entries.filter((entry) => entry.statusId === statusId).length;
		return {
			total: entries.length,
			pending: count(outboxStatus.pending),
			failed: count(outboxStatus.failed),
			rows: state.latestEntries.latestFirst().map((entry) => {
				const { statusName, responseStatusCode } = views.outboxEntry(entry);
				return {
					id: entry.httpSenderOutboxEntryId,
					at: entry.sentAt ?? entry.failedAt ?? entry.lastRetryAt ?? entry.createdAt,
					status: statusName,
					code: responseStatusCode,
					retries: entry.retryCount,
					url: entry.url,
					correlationId: entry.correlationId,
					channel: state.channels.get(entry.channelId)?.name ?? '',
				};
			}),
		};
	}

	#requests() {
		const { log, state } = this.#sandbox;
		return {
			total: log.total,
			rows: log.latest(shownRequests).map((entry) => ({
				id: entry.n,
				at: entry.at,
				method: entry.method,
				path: entry.path,
				operation: entry.operationId,
				status: entry.status,
				open: entry.inFlightMs === null,
				ms: entry.inFlightMs,
				accepted: entry.accepted,
				problems: entry.problems,
				fault: entry.fault,
				clientClosed: entry.clientClosed,
				key: entry.keyId === null ? null : (state.keys.get(entry.keyId)?.name ?? null),
			})),
		};
	}
}

/** How much of a long message the page shows: its beginning, and its end, because links are there. */
const excerptLengths = { begin: 3000, end: 1000 };

/** A message as the page shows it. A long one is shortened between whole characters. */
function excerpt(text: string): string {
	const { begin, end } = excerptLengths;
	if (text.length <= begin + end) return text;
	const characters = new Intl.Segmenter('en').segment(text);
	const from = characters.containing(begin)?.index ?? begin;
	const to = characters.containing(text.length - end)?.index ?? text.length - end;
	return `${text.slice(0, from)}\n…\n${text.slice(to)}`;
}
