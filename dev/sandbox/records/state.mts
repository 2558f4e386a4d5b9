import { outboxStatus, providers, type CatalogProvider } from './catalog.mts';
import type {
	MessageRecord,
	StoredAccount,
	StoredChannel,
	StoredKey,
	StoredOrganization,
	StoredOutboxEntry,
} from './model.mts';
import { Random } from './random.mts';
import { Recent } from './recent.mts';

/** A provider with the id that the seed gave it. */
export type StoredProvider = CatalogProvider & { providerId: string };

/** What the devices of all channels run on. */
export interface Infrastructure {
	clusterId: string;
	messageBrokerId: string;
	databaseId: string;
	createdAt: string;
}

/** A part of the state that the live page shows. */
export type Section = 'accounts' | 'channels' | 'keys' | 'messages' | 'outbox';

/** How many of the latest changes the live page can show. */
const shownRecords = 60;

/** How many messages and outbox entries are kept; then the oldest are dropped. */
const keptRecords = 50_000;

/** The sandbox's records, in memory. */
export class State {
	readonly seed: number;
	/** Gives the ids of everything that is created. */
	readonly random: Random;
	readonly organizations = new Map<string, StoredOrganization>();
	readonly accounts = new Map<string, StoredAccount>();
	readonly channels = new Map<string, StoredChannel>();
	readonly keys = new Map<string, StoredKey>();
	readonly messages: MessageRecord[] = [];
	readonly outbox = new Map<string, StoredOutboxEntry>();
	/** The outbox entries that wait for delivery. */
	readonly pending = new Set<StoredOutboxEntry>();
	/** What was sent, edited or deleted last. */
	readonly latestMessages = new Recent<MessageRecord>(shownRecords);
	/** What was queued, delivered, requeued or cancelled last. */
	readonly latestEntries = new Recent<StoredOutboxEntry>(shownRecords);
	/** What was created or changed last, the seeded channels aside. */
	readonly latestChannels = new Recent<StoredChannel>(shownRecords);
	readonly providers: readonly StoredProvider[];
	readonly infrastructure: Infrastructure;
	/** Called with what changed. */
	onChange: (section: Section) => void = () => undefined;

	readonly #keysByToken = new Map<string, StoredKey>();
	readonly #messagesById = new Map<string, MessageRecord>();
	readonly #channelsByAccount = new Map<string, Set<StoredChannel>>();
	readonly #feedbackSenders = new Map<string, Set<StoredChannel>>();
	#messageCount = 0;

	constructor(seed: number, createdAt: string) {
		this.seed = seed;
		this.random = new Random(seed, 'ids');
		this.providers = providers.map((provider) => ({ ...provider, providerId: this.random.uuid() }));
		this.infrastructure = {
			clusterId: this.random.uuid(),
			messageBrokerId: this.random.uuid(),
			databaseId: this.random.uuid(),
			createdAt,
		};
	}

	addOrganization(organization: StoredOrganization): StoredOrganization {
		this.organizations.set(organization.organizationId, organization);
		this.onChange('accounts');
		return organization;
	}

	addAccount(account: StoredAccount): StoredAccount {
		this.accounts.set(account.accountId, account);
		this.onChange('accounts');
		return account;
	}

	addKey(key: StoredKey): StoredKey {
		this.keys.set(key.id, key);
		this.#keysByToken.set(key.token, key);
		this.onChange('keys');
		return key;
	}

	addChannel(channel: StoredChannel): StoredChannel {
		this.channels.set(channel.channelId, channel);
		addTo(this.#channelsByAccount, channel.accountId, channel);
		if (channel.feedbackChannelId !== null) addTo(this.#feedbackSenders, channel.feedbackChannelId, channel);
		this.noteChannel(channel);
		return channel;
	}

	/** Removes a channel from all lists, and as feedback channel of others. Its messages stay. */
	removeChannel(channel: StoredChannel): void {
		this.setFeedback(channel, null);
		for (const sender of [...this.feedbackSendersOf(channel.channelId)]) this.setFeedback(sender, null);
		this.channels.delete(channel.channelId);
		this.#channelsByAccount.get(channel.accountId)?.delete(channel);
		this.latestChannels.forget(channel);
		this.onChange('channels');
	}

	/** Sets or removes the feedback channel of a channel. */
	setFeedback(channel: StoredChannel, feedbackChannelId: string | null): void {
		if (channel.feedbackChannelId !== null)
			this.#feedbackSenders.get(channel.feedbackChannelId)?.delete(channel);
		channel.feedbackChannelId = feedbackChannelId;
		if (feedbackChannelId !== null) addTo(this.#feedbackSenders, feedbackChannelId, channel);
	}

	/** Notes that a channel is new or has changed. */
	noteChannel(channel: StoredChannel): void {
		this.latestChannels.note(channel);
		this.onChange('channels');
	}

	/** How many messages were sent since the start or the last reset. */
	get messageCount(): number {
		return this.#messageCount;
	}

	addMessage(message: Omit<MessageRecord, 'n'>): MessageRecord {
		const record: MessageRecord = { n: ++this.#messageCount, ...message };
		this.messages.push(record);
		this.#messagesById.set(messageKey(record.channelId, record.messageId), record);
		if (this.messages.length > keptRecords * 1.2) {
			for (const old of this.messages.splice(0, this.messages.length - keptRecords)) {
				const key = messageKey(old.channelId, old.messageId);
				if (this.#messagesById.get(key) === old) this.#messagesById.delete(key);
				this.latestMessages.forget(old);
			}
		}
		this.noteMessage(record);
		return record;
	}

	/** Notes that a message is new or has changed. */
	noteMessage(message: MessageRecord): void {
		this.latestMessages.note(message);
		this.onChange('messages');
	}

	addOutboxEntry(entry: StoredOutboxEntry): StoredOutboxEntry {
		this.outbox.set(entry.httpSenderOutboxEntryId, entry);
		this.setOutboxStatus(entry, entry.statusId);
		if (this.outbox.size > keptRecords) {
			const oldest = this.outbox.values().next();
			if (oldest.done !== true) {
				this.outbox.delete(oldest.value.httpSenderOutboxEntryId);
				this.pending.delete(oldest.value);
				this.latestEntries.forget(oldest.value);
			}
		}
		return entry;
	}

	/** Sets the status of an entry, and ends the request that is under way for it. */
	setOutboxStatus(entry: StoredOutboxEntry, statusId: number): void {
		entry.statusId = statusId;
		entry.request?.abort();
		entry.request = null;
		if (statusId === outboxStatus.pending) this.pending.add(entry);
		else this.pending.delete(entry);
		this.latestEntries.note(entry);
		this.onChange('outbox');
	}

	/** The key with this token, unless it is revoked. */
	keyByToken(token: string): StoredKey | undefined {
		const key = this.#keysByToken.get(token);
		return key?.revokedAt === null ? key : undefined;
	}

	/** The latest message with this id on this channel. */
	message(channelId: string, messageId: string): MessageRecord | undefined {
		return this.#messagesById.get(messageKey(channelId, messageId));
	}

	channelsOf(accountId: string): ReadonlySet<StoredChannel> {
		return this.#channelsByAccount.get(accountId) ?? new Set();
	}

	/** The channels that send their feedback to this one. */
	feedbackSendersOf(channelId: string): ReadonlySet<StoredChannel> {
		return this.#feedbackSenders.get(channelId) ?? new Set();
	}

	/** The account of a channel or key; every one of them has it. */
	accountOf(holder: { accountId: string }): StoredAccount {
		return present(this.accounts.get(holder.accountId), 'account', holder.accountId);
	}

	organizationOf(account: StoredAccount): StoredOrganization {
		return present(this.organizations.get(account.organizationId), 'organization', account.organizationId);
	}

	provider(providerId: string): StoredProvider {
		const found = this.providers.find((provider) => provider.providerId === providerId);
		return present(found, 'provider', providerId);
	}
}

function present<T>(value: T | undefined, what: string, id: string): T {
	if (value === undefined) throw new Error(`The state has lost its ${what} ${id}`);
	return value;
}

function addTo<T>(index: Map<string, Set<T>>, key: string, value: T): void {
	const values = index.get(key);
	if (values === undefined) index.set(key, new Set([value]));
	else values.add(value);
}

const messageKey = (channelId: string, messageId: string): string => `${channelId} ${messageId}`;
