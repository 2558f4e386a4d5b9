import { outboxStatus } from './catalog.mts';
import type { JsonObject, StoredAccount, StoredChannel } from './model.mts';
import { outboxEntryFor } from './outbox.mts';
import { present, State } from './state.mts';

/** The seeded channels: name, type, whether it is connected, and what else there is to say. */
type Row = readonly [
	name: string,
	type: string,
	isConnected: boolean,
	more?: { statusId?: number; answersTo?: string; parameters?: JsonObject; outbox?: readonly Status[] },
];
type Status = keyof typeof outboxStatus;

const hook = (host: string, path: string, more: JsonObject = { method: 'POST' }): JsonObject => ({
	url: `https://${host}/${path}`,
	...more,
});
const mail = (domain: string, from: string, more: JsonObject = {}): JsonObject => ({
	host: `mail.${domain}`,
	...more,
	fromAddress: `${from}@${domain}`,
});
const answersTo = 'Support Feedback';
const whatsApp = {
	...{ phoneNumber: '+15550100200', displayName: 'Acme Support', readReceipts: true },
	...{ pin: '271828', recovery: { mail: 'ops@acme.example', phrase: 'correct horse' } },
};

const support: readonly Row[] = [
	['Support Feedback', 'WEBCHAT', true],
	[
		...(['Support E-mail', 'EMAIL', true] as const),
		{ answersTo, parameters: mail('acme.example', 'help', { port: 587, security: 'starttls' }) },
	],
	['Support WhatsApp', 'WHATSAPP', true, { answersTo, parameters: whatsApp }],
	['Support Hotline SMS', 'SMS', false, { answersTo, statusId: 3 }],
	[
		...(['Support Ticket Hook', 'HTTP', true] as const),
		{
			parameters: hook('tickets.acme.example', 'messages', { method: 'POST', timeoutSeconds: 30 }),
			outbox: ['sent', 'failed', 'failed', 'cancelled'],
		},
	],
	[
		...(['Support CRM Hook', 'HTTP', false] as const),
		{ parameters: hook('crm.acme.example', 'inbox'), outbox: ['pending', 'pending', 'failed'] },
	],
];
const shop: readonly Row[] = [
	[
		...(['Shop Newsletter', 'EMAIL', true] as const),
		{ parameters: mail('acme.example', 'news', { port: 465, security: 'tls' }) },
	],
	[
		...(['Shop Orders Hook', 'HTTP', true] as const),
		{ parameters: hook('orders.acme.example', 'hook'), outbox: ['sent', 'sent', 'failed'] },
	],
	[
		...(['Shop Warehouse Hook', 'HTTP', true] as const),
		// An unknown host: deliveries fail until the parameters are corrected.
		{ parameters: hook('warehouse.invalid', 'hook'), outbox: ['failed', 'failed'] },
	],
	['Shop Old WhatsApp', 'WHATSAPP', false, { statusId: 4 }],
];
const helpdesk: readonly Row[] = [
	['Globex E-mail', 'EMAIL', true, { parameters: mail('globex.example', 'desk') }],
	['Globex Hook', 'HTTP', true, { parameters: hook('globex.example', 'hook', {}), outbox: ['failed'] }],
];

/** The tokens for the users of a run: of the whole first organization, and of the account "Acme Support". */
export interface SeededTokens {
	org: string;
	acc: string;
}

/** Seeded records carry fixed timestamps, so that one seed gives one state. */
const foundedAt = Date.UTC(2025, 0, 6, 8, 0, 0);
const day = 86_400_000;
const at = (offset: number): string => new Date(foundedAt + offset).toISOString();

/** A state under a seed: two organizations, three accounts, their channels, keys and outbox entries. */
export function seededState(seed: number): { state: State; tokens: SeededTokens } {
	const state = new State(seed);
	const { random } = state;
	const organization = (name: string, description: string, days: number): string => {
		const organizationId = random.uuid();
		const createdAt = at(days * day);
		state.organizations.set(organizationId, { organizationId, name, description, createdAt });
		return organizationId;
	};
	const account = (
		organizationId: string,
		name: string,
		description: string,
		days: number,
	): StoredAccount => {
		const accountId = random.uuid();
		const added = { accountId, organizationId, name, description, createdAt: at(days * day) };
		state.accounts.set(accountId, added);
		return added;
	};
	const key = (prefix: 'org_' | 'acc_', { accountId }: StoredAccount, name: string, days: number): string => {
		const id = random.uuid();
		const token = random.token(prefix);
		const whole = prefix === 'org_';
		const description = whole ? 'Reaches every account of its organization.' : 'Reaches its own account.';
		const plan = {
			...{ resourcePlanId: random.uuid(), name: 'Generous', description: 'Far more than any test needs.' },
			...{ limit: 1_000_000, seconds: 60 },
		};
		const createdAt = at(days * day);
		state.keys.set(id, { id, name, description, token, accountId, createdAt, revokedAt: null, plan });
		return token;
	};
	const acme = organization('Acme', 'Sells everything.', 0);
	const globex = organization('Globex', 'Another organization, out of reach for the keys of Acme.', 1);
	const accounts = [
		account(acme, 'Acme Support', 'Answers customers.', 2),
		account(acme, 'Acme Shop', 'Confirms orders.', 3),
		account(globex, 'Globex Helpdesk', 'Of the other organization.', 4),
	] as const;
	const tokens = {
		org: key('org_', accounts[0], 'Acme organization key', 5),
		acc: key('acc_', accounts[0], 'Acme Support key', 6),
	};
	key('acc_', accounts[1], 'Acme Shop key', 7);
	key('acc_', accounts[2], 'Globex Helpdesk key', 8);
	const added = [support, shop, helpdesk].flatMap((rows, n) =>
		rows.map((row): [StoredChannel, readonly Status[]] => [
			addChannel(state, accounts[n]?.accountId ?? '', row),
			row[3]?.outbox ?? [],
		]),
	);
	for (const [channel, statuses] of added) addOutbox(state, channel, statuses);
	return { state, tokens };
}

function addChannel(state: State, accountId: string, row: Row): StoredChannel {
	const [name, channelTypeKey, isConnected, { statusId = 1, answersTo: to, parameters = {} } = {}] = row;
	const candidates = state.providers.filter((provider) => provider.channelTypeKey === channelTypeKey);
	const provider = candidates[Math.floor(state.random.next() * candidates.length)];
	const { providerId } = present(provider, `provider of ${channelTypeKey}`);
	const channelId = state.random.uuid();
	const createdAt = at((10 + state.channels.size) * day);
	const feedback = [...state.channels.values()].find((other) => other.name === to);
	return state.addChannel({
		...{ channelId, feedbackChannelId: feedback?.channelId ?? null, name, description: null, accountId },
		...{ channelTypeKey, providerId, statusId, parameters, isConnected },
		// The same for all: until something changes, the page shows them in this order.
		...{ createdAt, stateUpdatedAt: at(30 * day) },
	});
}

function addOutbox(state: State, channel: StoredChannel, statuses: readonly Status[]): void {
	for (const [index, status] of statuses.entries()) {
		const created = 40 * day + index * 60_000;
		const number = 1001 + state.outbox.size;
		const entry = outboxEntryFor(state, channel, {
			...{ createdAt: at(created), dueAt: 0, correlationId: `order-${number}` },
			payload: { text: `Order ${number} is on its way.` },
		});
		const reached = !entry.url.includes('.invalid');
		state.addOutboxEntry({
			...entry,
			statusId: outboxStatus[status],
			...(status === 'sent' && {
				...{ sentAt: at(created + 1500), responseStatusCode: 200, responseBody: '{"ok":true}' },
			}),
			...(status === 'failed' && {
				...{ failedAt: at(created + 30_000), retryCount: 1, lastRetryAt: at(created + 20_000) },
				responseStatusCode: reached ? 503 : null,
				responseBody: reached ? 'The receiver is down for maintenance.' : null,
			}),
		});
	}
}
