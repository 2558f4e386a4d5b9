import type { components } from '../../../api/schema.d.ts';
import {
	allocatedResource,
	capacities,
	channelStatuses,
	channelTypes,
	holderStatuses,
	outboxStatusNames,
	type CatalogChannelType,
} from './catalog.mts';
import type {
	JsonObject,
	StoredAccount,
	StoredChannel,
	StoredDevice,
	StoredKey,
	StoredOrganization,
	StoredOutboxEntry,
} from './model.mts';
import type { State, StoredProvider } from './state.mts';

type Schemas = components['schemas'];

/** A response schema with all fields present and set, as the sandbox answers. */
type Filled<T> =
	T extends Array<infer Item>
		? Array<Filled<Item>>
		: T extends object
			? { [Name in keyof T]-?: Filled<NonNullable<T[Name]>> }
			: T;
type With<T, Changes> = Omit<T, keyof Changes> & Changes;

/** An organization as the API shows it. */
export type OrganizationView = Filled<Schemas['Organization']>;
/** An account as the API shows it. */
export type AccountView = With<
	Filled<Schemas['Account']>,
	{ name: string | null; description: string | null; organization: OrganizationView | null }
>;
/** A channel in short. */
export type ChannelSummaryView = Filled<Schemas['ChannelSummary']>;
/** A channel type as the API shows it. */
export type ChannelTypeView = With<Filled<Schemas['ChannelType']>, { configurationSchemaUrl: string | null }>;
/** A provider as the API shows it. */
export type ProviderView = Filled<Schemas['Provider']>;
/** A channel as the API shows it. */
export type ChannelView = With<
	Filled<Schemas['Channel']>,
	{
		feedbackChannelId: string | null;
		description: string | null;
		account: AccountView;
		channelType: ChannelTypeView;
		parameters: JsonObject;
		feedbackChannelSummary: ChannelSummaryView | null;
	}
>;
/** An API key as the API shows it. */
export type ApiKeyView = With<
	Filled<Schemas['ApiKey']>,
	{ resourcePlan: Filled<Schemas['ResourcePlan']> | null; account: AccountView }
>;
/** An outbox entry as the API shows it. */
export type OutboxEntryView = With<
	Filled<Schemas['OutboxEntry']>,
	{
		correlationId: string | null;
		requestMetamodel: JsonObject;
		responseBody: string | null;
		responseStatusCode: number | null;
		sentAt: string | null;
		failedAt: string | null;
		lastRetryAt: string | null;
	}
>;

/** Converts records of the state to what the API shows. Use one `Views` for each answer, because it caches accounts. */
export class Views {
	readonly #state: State;
	/** Where configuration schemas are served, e.g. `http://127.0.0.1:8080/_sandbox/schemas/`. */
	readonly #schemaBase: string;
	readonly #accounts = new Map<string, AccountView>();

	constructor(state: State, schemaBase: string) {
		this.#state = state;
		this.#schemaBase = schemaBase;
	}

	organization(organization: StoredOrganization): OrganizationView {
		const accounts = [...this.#state.accounts.values()].filter(
			(account) => account.organizationId === organization.organizationId,
		);
		const { id, ...flags } = holderStatus(organization.statusId);
		const counts = accounts.map((account) => this.#counts(account));
		return {
			organizationId: organization.organizationId,
			name: organization.name,
			description: organization.description,
			status: { organizationStatusId: id, ...flags },
			accountCount: accounts.length,
			channelCount: sum(counts, 'channelCount'),
			deviceRunningCount: sum(counts, 'deviceRunningCount'),
			channelConnectedCount: sum(counts, 'channelConnectedCount'),
			apiKeyCount: sum(counts, 'apiKeyCount'),
			createdAt: organization.createdAt,
		};
	}

	account(account: StoredAccount): AccountView {
		return {
			...this.#accountInside(account),
			organization: this.organization(this.#state.organizationOf(account)),
		};
	}

	channel(channel: StoredChannel): ChannelView {
		const account = this.#state.accountOf(channel);
		const feedback =
			channel.feedbackChannelId === null ? undefined : this.#state.channels.get(channel.feedbackChannelId);
		return {
			channelId: channel.channelId,
			feedbackChannelId: channel.feedbackChannelId,
			name: channel.name,
			description: channel.description,
			accountId: channel.accountId,
			organizationId: account.organizationId,
			account: this.#accountInside(account),
			channelType: this.channelType(channelTypeOf(channel)),
			status: channelStatus(channel.statusId),
			provider: this.provider(this.#state.provider(channel.providerId)),
			parameters: channel.parameters,
			createdAt: channel.createdAt,
			devices: channel.devices.map((device) => this.#device(device, channel)),
			deviceRunningCount: channel.devices.length,
			isConnected: channel.isConnected,
			stateUpdatedAt: channel.stateUpdatedAt,
			feedbackChannelSummary: feedback === undefined ? null : this.#summary(feedback),
			channelsSendingFeedback: [...this.#state.feedbackSendersOf(channel.channelId)].map((sender) =>
				this.#summary(sender),
			),
		};
	}

	channelType(type: CatalogChannelType): ChannelTypeView {
		const { schema, hasOutbox: _, ...shown } = type;
		return {
			...shown,
			...capacities,
			configurationSchemaUrl: schema === null ? null : `${this.#schemaBase}${schema}`,
		};
	}

	provider(provider: StoredProvider): ProviderView {
		const type = channelTypeByKey(provider.channelTypeKey);
		return {
			providerId: provider.providerId,
			key: provider.key,
			name: provider.name,
			description: provider.description,
			icon: provider.icon,
			channelTypeId: type?.channelTypeId ?? 0,
			channelTypeKey: provider.channelTypeKey,
			channelTypeName: type?.name ?? '',
			priority: provider.priority,
			containerImage: `registry.example/${provider.key}:1`,
			platform: 'linux/amd64',
			maxChannelsPerInstance: 50,
			requiresCluster: true,
			requiresMessageBroker: true,
			requiresDatabase: false,
			...capacities,
		};
	}

	/** A key with its token masked, or whole for the sandbox's own control endpoints. */
	apiKey(key: StoredKey, token: 'masked' | 'whole' = 'masked'): ApiKeyView {
		const account = this.#state.accountOf(key);
		const { visible, ...plan } = key.plan;
		return {
			id: key.id,
			name: key.name,
			description: key.description,
			apiKey: token === 'whole' ? key.token : maskToken(key.token),
			createdAt: key.createdAt,
			accountId: key.accountId,
			organizationId: account.organizationId,
			resourcePlan: visible ? plan : null,
			account: this.#accountInside(account),
			organization: this.organization(this.#state.organizationOf(account)),
			type: key.token.startsWith('org_') ? 'organization' : 'account',
		};
	}

	outboxEntry(entry: StoredOutboxEntry): OutboxEntryView {
		const channel = this.#state.channels.get(entry.channelId);
		if (channel === undefined) throw new Error(`The state has lost its channel ${entry.channelId}`);
		const account = this.#state.accountOf(channel);
		return {
			httpSenderOutboxEntryId: entry.httpSenderOutboxEntryId,
			organizationId: account.organizationId,
			accountId: account.accountId,
			channelId: entry.channelId,
			channelType: channel.channelTypeKey,
			provider: this.#state.provider(channel.providerId).key,
			priority: entry.priority,
			httpSenderOutboxStatusId: entry.statusId,
			statusName: outboxStatusNames[entry.statusId] ?? 'Unknown',
			url: entry.url,
			contentType: entry.contentType,
			correlationId: entry.correlationId,
			requestMetamodel: entry.requestMetamodel,
			responseBody: entry.responseBody,
			responseStatusCode: entry.responseStatusCode,
			// It carries the receiver's credential, as such commands do: consumers must not show it.
			curlCommand:
				`curl -X POST '${entry.url}' -H 'Authorization: Bearer receiver-secret' ` +
				`-H 'Content-Type: ${entry.contentType}' -d '${JSON.stringify(entry.requestMetamodel['body'])}'`,
			traceParent: entry.traceParent,
			retryCount: entry.retryCount,
			createdAt: entry.createdAt,
			sentAt: entry.sentAt,
			failedAt: entry.failedAt,
			lastRetryAt: entry.lastRetryAt,
		};
	}

	/** The account without its organization, as part of other records ("may be null"). */
	#accountInside(account: StoredAccount): AccountView {
		const known = this.#accounts.get(account.accountId);
		if (known !== undefined) return known;
		const { id, ...flags } = holderStatus(account.statusId);
		const view: AccountView = {
			accountId: account.accountId,
			name: account.name,
			description: account.description,
			createdAt: account.createdAt,
			status: { accountStatusId: id, ...flags },
			organization: null,
			...this.#counts(account),
			financialManagerCount: account.financialManagerCount,
		};
		this.#accounts.set(account.accountId, view);
		return view;
	}

	#counts(account: StoredAccount) {
		const channels = [...this.#state.channelsOf(account.accountId)];
		const keys = [...this.#state.keys.values()];
		return {
			channelCount: channels.length,
			deviceRunningCount: channels.reduce((count, channel) => count + channel.devices.length, 0),
			channelConnectedCount: channels.filter((channel) => channel.isConnected).length,
			apiKeyCount: keys.filter((key) => key.accountId === account.accountId && key.revokedAt === null).length,
		};
	}

	#summary(channel: StoredChannel): ChannelSummaryView {
		return {
			channelId: channel.channelId,
			name: channel.name,
			channelType: channel.channelTypeKey,
			provider: this.#state.provider(channel.providerId).key,
		};
	}

	#device(device: StoredDevice, channel: StoredChannel): ChannelView['devices'][number] {
		const { clusterId, messageBrokerId, databaseId, createdAt } = this.#state.infrastructure;
		const allocated = { createdAt, status: allocatedResource, maxInstances: 100, tags: ['sandbox'] };
		const provider = this.provider(this.#state.provider(channel.providerId));
		return {
			deviceId: device.deviceId,
			name: device.name,
			containerImage: provider.containerImage,
			status: allocatedResource,
			cluster: { clusterId, name: 'cluster-1', factoryKey: 'local', ...allocated },
			clusterInstanceName: `${device.name}-1`,
			messageBroker: {
				messageBrokerId,
				name: 'broker-1',
				outboundShovelConfigured: false,
				outboundShovelEnabled: false,
				...allocated,
			},
			messageBrokerQueueName: `channel.${channel.channelId}`,
			database: { databaseId, name: 'database-1', ...allocated },
			databaseSchema: 'channels',
			provider,
		};
	}
}

/** A token as it may be shown: its prefix and its last four characters. */
export const maskToken = (token: string): string => `${token.slice(0, 4)}${'*'.repeat(8)}${token.slice(-4)}`;

/** The status record of an account or organization. */
export function holderStatus(id: number): (typeof holderStatuses)[number] {
	return holderStatuses.find((status) => status.id === id) ?? holderStatuses[0];
}

/** The status record of a channel. */
export function channelStatus(id: number): (typeof channelStatuses)[number] {
	return channelStatuses.find((status) => status.channelStatusId === id) ?? channelStatuses[0];
}

/** The channel type with this key. */
export function channelTypeByKey(key: string): CatalogChannelType | undefined {
	return channelTypes.find((type) => type.key === key);
}

/** The type of a channel. */
export function channelTypeOf(channel: StoredChannel): CatalogChannelType {
	return channelTypeByKey(channel.channelTypeKey) ?? channelTypes[0];
}

function sum<Name extends string>(rows: Array<Record<Name, number>>, name: Name): number {
	return rows.reduce((total, row) => total + row[name], 0);
}
