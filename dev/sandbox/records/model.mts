import type { Views } from './views.mts';

/** A JSON object with unchecked contents. */
export type JsonObject = Record<string, unknown>;

/** The records as the API shows them. */
export type AccountView = ReturnType<Views['account']>;
export type ChannelView = ReturnType<Views['channel']>;
export type ProviderView = ReturnType<Views['provider']>;
export type ApiKeyView = ReturnType<Views['apiKey']>;
export type OutboxEntryView = ReturnType<Views['outboxEntry']>;

/** The records as the sandbox keeps them: what the API shows beside that is made in `views.mts`. */
export interface StoredOrganization {
	organizationId: string;
	name: string;
	description: string;
	createdAt: string;
}

export interface StoredAccount {
	accountId: string;
	organizationId: string;
	name: string | null;
	description: string | null;
	createdAt: string;
}

export interface StoredChannel {
	channelId: string;
	feedbackChannelId: string | null;
	name: string;
	description: string | null;
	accountId: string;
	channelTypeKey: string;
	providerId: string;
	statusId: number;
	parameters: JsonObject;
	isConnected: boolean;
	createdAt: string;
	stateUpdatedAt: string;
}

export interface StoredKey {
	id: string;
	name: string;
	description: string;
	accountId: string;
	createdAt: string;
	token: string;
	revokedAt: string | null;
	/** The rate limit. */
	plan: { resourcePlanId: string; name: string; description: string; limit: number; seconds: number };
}

export interface StoredOutboxEntry {
	httpSenderOutboxEntryId: string;
	channelId: string;
	correlationId: string | null;
	priority: number;
	url: string;
	contentType: string;
	requestMetamodel: JsonObject;
	traceParent: string;
	responseBody: string | null;
	responseStatusCode: number | null;
	retryCount: number;
	createdAt: string;
	sentAt: string | null;
	failedAt: string | null;
	lastRetryAt: string | null;
	statusId: number;
	/** When it got its status. */
	changedAt: string;
	/** When a pending entry is delivered (milliseconds since 1970), as long as its channel is connected. */
	dueAt: number;
	/** The request that is under way. */
	request: AbortController | null;
}

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
