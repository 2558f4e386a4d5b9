import type { components } from '../../../api/schema.d.ts';

type Schemas = components['schemas'];

/** A JSON object with unchecked contents. */
export type JsonObject = Record<string, unknown>;

/** A response schema with all fields present and set, as the sandbox answers. */
export type Filled<T> =
	T extends Array<infer Item>
		? Array<Filled<Item>>
		: T extends object
			? { [Name in keyof T]-?: Filled<NonNullable<T[Name]>> }
			: T;
type With<T, Changes> = Omit<T, keyof Changes> & Changes;
type Maybe<T, Names extends keyof T> = Omit<T, Names> & { [Name in Names]: T[Name] | null };

/** The records as the API shows them. */
export type OrganizationView = Filled<Schemas['Organization']>;
export type AccountView = Maybe<Filled<Schemas['Account']>, 'name' | 'description' | 'organization'>;
export type ChannelSummaryView = Filled<Schemas['ChannelSummary']>;
export type ChannelTypeView = Maybe<Filled<Schemas['ChannelType']>, 'configurationSchemaUrl'>;
export type ProviderView = Filled<Schemas['Provider']>;
export type ChannelView = With<
	Maybe<Filled<Schemas['Channel']>, 'feedbackChannelId' | 'description' | 'feedbackChannelSummary'>,
	{ account: AccountView; channelType: ChannelTypeView; parameters: JsonObject }
>;
export type ApiKeyView = With<Maybe<Filled<Schemas['ApiKey']>, 'resourcePlan'>, { account: AccountView }>;
export type OutboxEntryView = With<
	Maybe<
		Filled<Schemas['OutboxEntry']>,
		'correlationId' | 'responseBody' | 'responseStatusCode' | 'sentAt' | 'failedAt' | 'lastRetryAt'
	>,
	{ requestMetamodel: JsonObject }
>;

/** The records as the sandbox keeps them: what the API shows beside that is made in `views.mts`. */
export type StoredOrganization = Pick<
	OrganizationView,
	'organizationId' | 'name' | 'description' | 'createdAt'
> & { statusId: number };
export type StoredAccount = Pick<
	AccountView,
	'accountId' | 'name' | 'description' | 'createdAt' | 'financialManagerCount'
> & { organizationId: string; statusId: number };
export type StoredChannel = Pick<
	ChannelView,
	| ('channelId' | 'feedbackChannelId' | 'name' | 'description' | 'accountId' | 'parameters')
	| ('createdAt' | 'isConnected' | 'stateUpdatedAt')
> & {
	channelTypeKey: string;
	providerId: string;
	statusId: number;
	devices: Array<{ deviceId: string; name: string }>;
};
export type StoredKey = Pick<ApiKeyView, 'id' | 'name' | 'description' | 'accountId' | 'createdAt'> & {
	token: string;
	revokedAt: string | null;
	/** The rate limit. */
	plan: Filled<Schemas['ResourcePlan']>;
};
export type StoredOutboxEntry = Omit<
	OutboxEntryView,
	| ('organizationId' | 'accountId' | 'channelType' | 'provider' | 'statusName' | 'curlCommand')
	| 'httpSenderOutboxStatusId'
> & {
	statusId: number;
	/** When a pending entry is delivered (milliseconds since 1970), as long as its channel is connected. */
	dueAt: number;
	/** The request that is under way. */
	request: AbortController | null;
};

/** A message that the sandbox accepted, or that a customer wrote, as its state shows it. */
export interface MessageRecord {
	/** 1 for the first message since the last reset. */
	n: number;
	messageId: string;
	packageId: string;
	channelId: string;
	accountId: string;
	/** The key that sent it; null if a customer wrote it. */
	keyId: string | null;
	correlationId: string | null;
	type: string | null;
	/** The text as it is now, edits included. */
	text: string | null;
	/** The recipient in one line, e.g. the e-mail address; '' if a customer wrote it. */
	recipient: string;
	/** The customer who wrote it, in one line; null if it was sent. */
	sender: string | null;
	/** The message package as received, or as delivered. */
	package: JsonObject;
	sentAt: string;
	edits: Array<{ at: string; chatId: string; text: string; correlationId: string | null }>;
	deletedAt: string | null;
}
