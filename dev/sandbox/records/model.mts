/** A JSON object with unchecked contents. */
export type JsonObject = Record<string, unknown>;

/** An organization as the sandbox keeps it; the shape the API shows is made in `views.mts`. */
export interface StoredOrganization {
	organizationId: string;
	name: string;
	description: string;
	statusId: number;
	createdAt: string;
}

/** An account as the sandbox keeps it. */
export interface StoredAccount {
	accountId: string;
	organizationId: string;
	name: string | null;
	description: string | null;
	statusId: number;
	createdAt: string;
	financialManagerCount: number;
}

/** A runtime unit of a channel as the sandbox keeps it. */
export interface StoredDevice {
	deviceId: string;
	name: string;
}

/** A channel as the sandbox keeps it. */
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
	createdAt: string;
	devices: StoredDevice[];
	isConnected: boolean;
	stateUpdatedAt: string;
}

/** The rate limit of a key. */
export interface StoredPlan {
	resourcePlanId: string;
	name: string;
	description: string;
	limit: number;
	seconds: number;
	/** Whether responses show the plan. */
	visible: boolean;
}

/** An API key as the sandbox keeps it. */
export interface StoredKey {
	id: string;
	name: string;
	description: string;
	token: string;
	accountId: string;
	createdAt: string;
	revokedAt: string | null;
	plan: StoredPlan;
}

/** An outbox entry as the sandbox keeps it. */
export interface StoredOutboxEntry {
	httpSenderOutboxEntryId: string;
	channelId: string;
	statusId: number;
	priority: number;
	url: string;
	contentType: string;
	correlationId: string | null;
	requestMetamodel: JsonObject;
	responseBody: string | null;
	responseStatusCode: number | null;
	traceParent: string;
	retryCount: number;
	createdAt: string;
	sentAt: string | null;
	failedAt: string | null;
	lastRetryAt: string | null;
	/** When a pending entry is delivered (milliseconds since 1970), as long as its channel is connected. */
	dueAt: number;
	/** The request that is under way. */
	request: AbortController | null;
}

/** One change of a message after it was sent. */
export interface MessageEdit {
	at: string;
	chatId: string;
	text: string;
	correlationId: string | null;
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
	edits: MessageEdit[];
	deletedAt: string | null;
}
