import { channelTypes, outboxStatus } from './catalog.mts';
import type { JsonObject, StoredAccount, StoredChannel, StoredKey, StoredOrganization } from './model.mts';
import { outboxEntryFor } from './outbox.mts';
import { State } from './state.mts';

/** Seeded records carry fixed timestamps, so that one seed gives one state. */
const foundedAt = Date.UTC(2025, 0, 6, 8, 0, 0);
const day = 86_400_000;

/** The tokens for the users of a run. */
export interface SeededTokens {
	/** Reaches all accounts of the first organization. */
	org: string;
	/** Reaches only the account "Acme Support". */
	acc: string;
}

/** A state under a seed: two organizations, three accounts, their channels, keys and outbox entries. */
export function seededState(seed: number): { state: State; tokens: SeededTokens } {
	const state = new State(seed, at(0));
	const acme = organization(state, 'Acme', 'Sells everything.', 0);
	const globex = organization(state, 'Globex', 'Another organization, out of reach for the keys of Acme.', 1);
	const support = account(state, acme, 'Acme Support', 'Answers customers.', 2);
	const shop = account(state, acme, 'Acme Shop', 'Confirms orders.', 3);
	const helpdesk = account(state, globex, 'Globex Helpdesk', 'Of the other organization.', 4);

	const org = key(state, 'org_', support, 'Acme organization key', 5);
	const acc = key(state, 'acc_', support, 'Acme Support key', 6);
	key(state, 'acc_', shop, 'Acme Shop key', 7);
	key(state, 'acc_', helpdesk, 'Globex Helpdesk key', 8);

	const feedback = channel(state, support, { name: 'Support Feedback', type: 'WEBCHAT', isConnected: true });
	const feedbackChannelId = feedback.channelId;
	channel(state, support, {
		name: 'Support E-mail',
		type: 'EMAIL',
		isConnected: true,
		feedbackChannelId,
		parameters: {
			host: 'mail.acme.example',
			port: 587,
			security: 'starttls',
			fromAddress: 'help@acme.example',
		},
	});
	channel(state, support, {
		name: 'Support WhatsApp',
		type: 'WHATSAPP',
		isConnected: true,
		feedbackChannelId,
		parameters: { phoneNumber: '+15550100200', displayName: 'Acme Support', readReceipts: true },
	});
	channel(state, support, {
		name: 'Support Hotline SMS',
		type: 'SMS',
		isConnected: false,
		statusId: 3,
		feedbackChannelId,
	});
	const tickets = channel(state, support, {
		name: 'Support Ticket Hook',
		type: 'HTTP',
		isConnected: true,
		parameters: { url: 'https://tickets.acme.example/messages', method: 'POST', timeoutSeconds: 30 },
	});
	const crm = channel(state, support, {
		name: 'Support CRM Hook',
		type: 'HTTP',
		isConnected: false,
		parameters: { url: 'https://crm.acme.example/inbox', method: 'POST' },
	});

	channel(state, shop, {
		name: 'Shop Newsletter',
		type: 'EMAIL',
		isConnected: true,
		parameters: { host: 'mail.acme.example', port: 465, security: 'tls', fromAddress: 'news@acme.example' },
	});
	const orders = channel(state, shop, {
		name: 'Shop Orders Hook',
		type: 'HTTP',
		isConnected: true,
		parameters: { url: 'https://orders.acme.example/hook', method: 'POST' },
	});
	const warehouse = channel(state, shop, {
		name: 'Shop Warehouse Hook',
		type: 'HTTP',
		isConnected: true,
		// An unknown host: deliveries fail until the parameters are corrected.
		parameters: { url: 'https://warehouse.invalid/hook', method: 'POST' },
	});
	channel(state, shop, { name: 'Shop Old WhatsApp', type: 'WHATSAPP', isConnected: false, statusId: 4 });

	channel(state, helpdesk, {
		name: 'Globex E-mail',
		type: 'EMAIL',
		isConnected: true,
		parameters: { host: 'mail.globex.example', fromAddress: 'desk@globex.example' },
	});
	const foreign = channel(state, helpdesk, {
		name: 'Globex Hook',
		type: 'HTTP',
		isConnected: true,
		parameters: { url: 'https://globex.example/hook' },
	});

	outbox(state, tickets, ['sent', 'failed', 'failed', 'cancelled']);
	outbox(state, crm, ['pending', 'pending', 'failed']);
	outbox(state, orders, ['sent', 'sent', 'failed']);
	outbox(state, warehouse, ['failed', 'failed']);
	outbox(state, foreign, ['failed']);
	// Until something changes, channels keep their order.
	state.latestChannels.clear();
	return { state, tokens: { org: org.token, acc: acc.token } };
}

const words = ['North', 'South', 'East', 'West', 'Harbour', 'Station', 'Market', 'Garden'] as const;

/** Adds channels for tests that need many; names, types and connections come from the seed. */
export function addGeneratedChannels(state: State, accountId: string, count: number): StoredChannel[] {
	const owner = state.accountOf({ accountId });
	return Array.from({ length: count }, () => {
		const type = state.random.pick(channelTypes);
		const number = String(state.channels.size + 1).padStart(5, '0');
		return channel(state, owner, {
			name: `${state.random.pick(words)} ${type.name} ${number}`,
			type: type.key,
			isConnected: state.random.next() < 0.8,
			statusId: state.random.next() < 0.9 ? 1 : 3,
		});
	});
}

function at(offset: number): string {
	return new Date(foundedAt + offset).toISOString();
}

function organization(state: State, name: string, description: string, days: number): StoredOrganization {
	const organizationId = state.random.uuid();
	return state.addOrganization({ organizationId, name, description, statusId: 1, createdAt: at(days * day) });
}

function account(
	state: State,
	owner: StoredOrganization,
	name: string,
	description: string,
	days: number,
): StoredAccount {
	return state.addAccount({
		accountId: state.random.uuid(),
		organizationId: owner.organizationId,
		name,
		description,
		statusId: 1,
		createdAt: at(days * day),
		financialManagerCount: 1,
	});
}

function key(
	state: State,
	prefix: 'org_' | 'acc_',
	owner: StoredAccount,
	name: string,
	days: number,
): StoredKey {
	return state.addKey({
		id: state.random.uuid(),
		name,
		description:
			prefix === 'org_' ? 'Reaches every account of its organization.' : 'Reaches its own account.',
		token: state.random.token(prefix),
		accountId: owner.accountId,
		createdAt: at(days * day),
		revokedAt: null,
		plan: {
			resourcePlanId: state.random.uuid(),
			name: 'Generous',
			description: 'Far more than any test needs.',
			limit: 1_000_000,
			seconds: 60,
			visible: true,
		},
	});
}

interface ChannelSeed {
	name: string;
	type: string;
	isConnected: boolean;
	statusId?: number;
	feedbackChannelId?: string;
	parameters?: JsonObject;
}

function channel(state: State, owner: StoredAccount, seed: ChannelSeed): StoredChannel {
	const candidates = state.providers.filter((provider) => provider.channelTypeKey === seed.type);
	const provider = candidates[Math.floor(state.random.next() * candidates.length)];
	if (provider === undefined) throw new Error(`No provider for ${seed.type}`);
	const channelId = state.random.uuid();
	const createdAt = at((10 + state.channels.size) * day);
	return state.addChannel({
		channelId,
		feedbackChannelId: seed.feedbackChannelId ?? null,
		name: seed.name,
		description: null,
		accountId: owner.accountId,
		channelTypeKey: seed.type,
		providerId: provider.providerId,
		statusId: seed.statusId ?? 1,
		parameters: seed.parameters ?? {},
		createdAt,
		devices: seed.isConnected
			? [{ deviceId: state.random.uuid(), name: `device-${channelId.slice(0, 8)}` }]
			: [],
		isConnected: seed.isConnected,
		stateUpdatedAt: createdAt,
	});
}

function outbox(state: State, owner: StoredChannel, statuses: Array<keyof typeof outboxStatus>): void {
	statuses.forEach((status, index) => {
		const created = 40 * day + index * 60_000;
		const number = 1001 + state.outbox.size;
		const entry = outboxEntryFor(state, owner, {
			createdAt: at(created),
			dueAt: 0,
			correlationId: `order-${number}`,
			priority: 0,
			payload: { text: `Order ${number} is on its way.` },
		});
		entry.statusId = outboxStatus[status];
		if (status === 'sent') {
			entry.sentAt = at(created + 1500);
			entry.responseStatusCode = 200;
			entry.responseBody = '{"ok":true}';
		}
		if (status === 'failed') {
			const reached = !entry.url.includes('.invalid');
			entry.failedAt = at(created + 30_000);
			entry.responseStatusCode = reached ? 503 : null;
			entry.responseBody = reached ? 'The receiver is down for maintenance.' : null;
			entry.retryCount = 1;
			entry.lastRetryAt = at(created + 20_000);
		}
		state.addOutboxEntry(entry);
	});
}
