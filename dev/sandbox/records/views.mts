import {
	allocatedResource,
	capacities,
	channelStatus,
	channelTypeByKey,
	channelTypeOf,
	type ChannelType,
	holderStatus,
	outboxStatusNames,
} from './catalog.mts';
import type {
	AccountView,
	ApiKeyView,
	ChannelSummaryView,
	ChannelTypeView,
	ChannelView,
	OrganizationView,
	OutboxEntryView,
	ProviderView,
	StoredAccount,
	StoredChannel,
	StoredKey,
	StoredOrganization,
	StoredOutboxEntry,
} from './model.mts';
import { foundedAt } from './seed.mts';
import { present, type State } from './state.mts';

/** Converts records of the state to what the API shows. Use one `Views` for each answer, because it counts once. */
export class Views {
	readonly #state: State;
	/** Where configuration schemas are served, e.g. `http://127.0.0.1:8080/_sandbox/schemas/`. */
	readonly #schemaBase: string;
	/** The accounts without their organization, as they are part of other records ("may be null"). */
	#accounts: ReadonlyMap<string, AccountView> | undefined;
	#feedback: ReadonlyMap<string | null, StoredChannel[]> | undefined;

	constructor(state: State, schemaBase: string) {
		this.#state = state;
		this.#schemaBase = schemaBase;
	}

	organization({ statusId, ...organization }: StoredOrganization): OrganizationView {
		const { organizationId } = organization;
		const accounts = [...this.#state.accounts.values()]
			.filter((account) => account.organizationId === organizationId)
			.map((account) => this.#account(account));
		const { id, ...flags } = holderStatus(statusId);
		const sum = (name: keyof ReturnType<typeof countsOf>): number =>
			accounts.reduce((total, account) => total + account[name], 0);
		return {
			...organization,
			status: { organizationStatusId: id, ...flags },
			accountCount: accounts.length,
			channelCount: sum('channelCount'),
			deviceRunningCount: sum('deviceRunningCount'),
			channelConnectedCount: sum('channelConnectedCount'),
			apiKeyCount: sum('apiKeyCount'),
		};
	}

	account(account: StoredAccount): AccountView {
		const organization = this.organization(this.#state.organizationOf(account));
		return { ...this.#account(account), organization };
	}

	channel(stored: StoredChannel): ChannelView {
		const { channelTypeKey: _, providerId, statusId, devices, ...channel } = stored;
		const account = this.#state.accountOf(channel);
		const feedback = this.#state.channels.get(channel.feedbackChannelId ?? '');
		this.#feedback ??= Map.groupBy(this.#state.channels.values(), (each) => each.feedbackChannelId);
		const senders = this.#feedback.get(channel.channelId) ?? [];
		return {
			...channel,
			organizationId: account.organizationId,
			account: this.#account(account),
			channelType: this.channelType(channelTypeOf(stored)),
			status: channelStatus(statusId),
			provider: this.provider(this.#state.provider(providerId)),
			devices: devices.map((device) => this.#device(device, stored)),
			deviceRunningCount: devices.length,
			feedbackChannelSummary: feedback === undefined ? null : this.#summary(feedback),
			channelsSendingFeedback: senders.map((sender) => this.#summary(sender)),
		};
	}

	channelType({ schema, hasOutbox: _, ...type }: ChannelType): ChannelTypeView {
		const configurationSchemaUrl = schema === null ? null : `${this.#schemaBase}${schema}`;
		return { ...type, ...capacities, configurationSchemaUrl };
	}

	provider(provider: State['providers'][number]): ProviderView {
		const type = channelTypeByKey(provider.channelTypeKey);
		return {
			...provider,
			channelTypeId: type?.channelTypeId ?? 0,
			channelTypeName: type?.name ?? '',
			containerImage: `registry.example/${provider.key}:1`,
			...{ platform: 'linux/amd64', maxChannelsPerInstance: 50 },
			...{ requiresCluster: true, requiresMessageBroker: true, requiresDatabase: false },
			...capacities,
		};
	}

	/** A key with its token masked, or whole for the sandbox's own control endpoints. */
	apiKey(stored: StoredKey, shows: 'masked' | 'whole' = 'masked'): ApiKeyView {
		const { token, revokedAt: _, plan: resourcePlan, ...key } = stored;
		const account = this.#state.accountOf(key);
		return {
			...key,
			apiKey: shows === 'whole' ? token : maskToken(token),
			organizationId: account.organizationId,
			resourcePlan,
			account: this.#account(account),
			organization: this.organization(this.#state.organizationOf(account)),
			type: token.startsWith('org_') ? 'organization' : 'account',
		};
	}

	outboxEntry(stored: StoredOutboxEntry): OutboxEntryView {
		const { statusId, dueAt: _due, request: _request, ...entry } = stored;
		const channel = present(this.#state.channels.get(entry.channelId), `channel ${entry.channelId}`);
		const { organizationId, accountId } = this.#state.accountOf(channel);
		return {
			...entry,
			...{ organizationId, accountId, channelType: channel.channelTypeKey },
			provider: this.#state.provider(channel.providerId).key,
			httpSenderOutboxStatusId: statusId,
			statusName: outboxStatusNames[statusId] ?? outboxStatusNames[0],
			// It carries the receiver's credential, as such commands do: consumers must not show it.
			curlCommand:
				`curl -X POST '${entry.url}' -H 'Authorization: Bearer receiver-secret' ` +
				`-H 'Content-Type: ${entry.contentType}' -d '${JSON.stringify(entry.requestMetamodel['body'])}'`,
		};
	}

	#account({ accountId }: StoredAccount): AccountView {
		this.#accounts ??= accountViews(this.#state);
		return present(this.#accounts.get(accountId), `account ${accountId}`);
	}

	#summary({ channelId, name, channelTypeKey: channelType, providerId }: StoredChannel): ChannelSummaryView {
		return { channelId, name, channelType, provider: this.#state.provider(providerId).key };
	}

	#device(
		{ deviceId, name }: StoredChannel['devices'][number],
		{ channelId, providerId }: StoredChannel,
	): ChannelView['devices'][number] {
		const { clusterId, messageBrokerId, databaseId } = this.#state.infrastructure;
		const createdAt = new Date(foundedAt).toISOString();
		const allocated = { createdAt, status: allocatedResource, maxInstances: 100, tags: ['sandbox'] };
		const provider = this.provider(this.#state.provider(providerId));
		const shovel = { outboundShovelConfigured: false, outboundShovelEnabled: false };
		return {
			...{ deviceId, name, containerImage: provider.containerImage, status: allocatedResource },
			cluster: { clusterId, name: 'cluster-1', factoryKey: 'local', ...allocated },
			clusterInstanceName: `${name}-1`,
			messageBroker: { messageBrokerId, name: 'broker-1', ...shovel, ...allocated },
			messageBrokerQueueName: `channel.${channelId}`,
			database: { databaseId, name: 'database-1', ...allocated },
			...{ databaseSchema: 'channels', provider },
		};
	}
}

function accountViews({ accounts, channels, keys }: State): Map<string, AccountView> {
	const byAccount = Map.groupBy(channels.values(), ({ accountId }) => accountId);
	const views = new Map<string, AccountView>();
	for (const { organizationId: _, statusId, ...account } of accounts.values()) {
		const { accountId } = account;
		const { id, ...flags } = holderStatus(statusId);
		const own = [...keys.values()].filter((key) => key.accountId === accountId && key.revokedAt === null);
		const counts = countsOf(byAccount.get(accountId) ?? [], own);
		const status = { accountStatusId: id, ...flags };
		views.set(accountId, { ...account, status, organization: null, ...counts });
	}
	return views;
}

const countsOf = (channels: readonly StoredChannel[], keys: readonly StoredKey[]) => ({
	channelCount: channels.length,
	deviceRunningCount: channels.reduce((count, { devices }) => count + devices.length, 0),
	channelConnectedCount: channels.filter(({ isConnected }) => isConnected).length,
	apiKeyCount: keys.length,
});

/** A token as it may be shown: its prefix and its last four characters. */
export const maskToken = (token: string): string => `${token.slice(0, 4)}${'*'.repeat(8)}${token.slice(-4)}`;
