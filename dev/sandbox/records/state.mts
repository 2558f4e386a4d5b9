import { outboxStatus, providers } from './catalog.mts';
import type {
	MessageRecord,
	StoredAccount,
	StoredChannel,
	StoredKey,
	StoredOrganization,
	StoredOutboxEntry,
} from './model.mts';
import { Random } from './random.mts';

/** The sandbox's records, in memory: a map for each resource. */
export class State {
	readonly seed: number;
	/** Gives the ids of everything that is created. */
	readonly random: Random;
	readonly providers: ReadonlyArray<(typeof providers)[number] & { providerId: string }>;
	readonly organizations = new Map<string, StoredOrganization>();
	readonly accounts = new Map<string, StoredAccount>();
	readonly channels = new Map<string, StoredChannel>();
	readonly keys = new Map<string, StoredKey>();
	readonly messages: MessageRecord[] = [];
	readonly outbox = new Map<string, StoredOutboxEntry>();

	constructor(seed: number) {
		this.seed = seed;
		this.random = new Random(seed, 'ids');
		this.providers = providers.map((provider) => ({ ...provider, providerId: this.random.uuid() }));
	}

	addChannel(channel: StoredChannel): StoredChannel {
		this.channels.set(channel.channelId, channel);
		return channel;
	}

	addMessage(message: Omit<MessageRecord, 'n' | 'edits' | 'deletedAt'>): MessageRecord {
		const record: MessageRecord = { n: this.messages.length + 1, ...message, edits: [], deletedAt: null };
		this.messages.push(record);
		return record;
	}

	/** The latest message with this id on this channel. */
	message(channelId: string, messageId: string): MessageRecord | undefined {
		return this.messages.findLast((each) => each.messageId === messageId && each.channelId === channelId);
	}

	addOutboxEntry(entry: StoredOutboxEntry): StoredOutboxEntry {
		this.outbox.set(entry.httpSenderOutboxEntryId, entry);
		this.setOutboxStatus(entry, entry.statusId);
		return entry;
	}

	/** Sets the status of an entry, and ends the request that is under way for it. */
	setOutboxStatus(entry: StoredOutboxEntry, statusId: number): void {
		entry.statusId = statusId;
		entry.request?.abort();
		entry.request = null;
		entry.changedAt = new Date().toISOString();
	}

	/** The entries that wait for their delivery. */
	pending(): StoredOutboxEntry[] {
		return [...this.outbox.values()].filter(({ statusId }) => statusId === outboxStatus.pending);
	}

	/** The key with this token, unless it is revoked. */
	keyByToken(token: string): StoredKey | undefined {
		return [...this.keys.values()].find((key) => key.token === token && key.revokedAt === null);
	}

	/** The account of a channel or key; every one of them has it. */
	accountOf({ accountId }: { accountId: string }): StoredAccount {
		return present(this.accounts.get(accountId), `account ${accountId}`);
	}

	organizationOf({ organizationId }: { organizationId: string }): StoredOrganization {
		return present(this.organizations.get(organizationId), `organization ${organizationId}`);
	}

	provider(id: string): State['providers'][number] {
		const found = this.providers.find(({ providerId }) => providerId === id);
		return present(found, `provider ${id}`);
	}
}

/** A record that the others refer to. */
export function present<T>(value: T | undefined, what: string): T {
	if (value === undefined) throw new Error(`The state has lost its ${what}`);
	return value;
}
