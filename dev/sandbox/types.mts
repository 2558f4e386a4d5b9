import type { components } from '../../api/schema.d.ts';
import type { IncomingCall } from './interface/contract.mts';
import type {
	AccountView,
	ApiKeyView,
	ChannelView,
	MessageRecord,
	OutboxEntryView,
	ProviderView,
} from './records/model.mts';
import type { WindowAlgorithm } from './rate-limit.mts';

/** A fault that is made on purpose: which requests it meets, and what it does to them. */
export interface FaultRule {
	/** See `docs/internals/sandbox.md` for each. */
	kind: ('latency' | 'hold' | 'status' | 'reset' | 'hang' | 'lostResponse') | ('truncate' | 'reply');
	method?: string;
	/** A regular expression on the path. */
	path?: string;
	bodyContains?: string;
	/** Let the first n matches pass. */
	skip?: number;
	/** Then apply to at most n. */
	times?: number;
	/** Apply to each n-th match only. */
	every?: number;
	/** After so many seconds the rule is gone. */
	seconds?: number;
	ms?: number;
	jitterMs?: number;
	status?: number;
	headers?: Record<string, string>;
	body?: unknown;
}

/** A fault rule and how often it matched and applied. */
export interface FaultReport {
	rule: FaultRule;
	matched: number;
	applied: number;
}

/** The rate limit of each key. */
export interface PlanSettings {
	limit: number;
	seconds: number;
	algorithm?: WindowAlgorithm;
}

/**
 * One request that the API received. In its headers the id of the key, or `unknown`, stands in place of the token. The
 * body is null when there is none or it is no JSON.
 */
export interface LoggedRequest extends IncomingCall {
	/** 1 for the first request since the sandbox started. */
	n: number;
	at: string;
	/** When it arrived, in milliseconds on a clock that only goes forward. */
	startedMs: number;
	operationId: string | null;
	conforms: boolean;
	problems: string[];
	fault: string | null;
	/** The status answered, null when the connection was dropped or is still open without an answer. */
	status: number | null;
	/** Whether the request took effect. */
	accepted: boolean;
	keyId: string | null;
	/** How many requests, this one included, were open when it arrived. */
	inFlight: number;
	/** How long it was open; null as long as it is. */
	inFlightMs: number | null;
	/** Whether the client hung up before it got an answer. */
	clientClosed: boolean;
}

/** The whole state of the sandbox; API keys with their whole tokens. */
export interface SandboxState {
	seed: number;
	accounts: AccountView[];
	channels: ChannelView[];
	providers: ProviderView[];
	apiKeys: Array<ApiKeyView & { revokedAt: string | null }>;
	messages: MessageRecord[];
	outbox: OutboxEntryView[];
}

/** Where a sandbox listens, and the tokens to call it with. */
export interface SandboxAddress {
	url: string;
	control: string;
	page: string;
	tokens: { org: string; acc: string };
}

/** A customer's message as the control endpoint takes it. The flags of the content may be added. */
export interface IncomingMessage {
	channelId: string;
	/** An address; or an e-mail address or phone number as text. */
	from: string | components['schemas']['Address'];
	text: string;
	/** The type of the content, TEXT unless given. */
	type?: string;
	/** Given twice, it is a message that arrives twice. */
	messageId?: string;
	packageId?: string;
	correlationId?: string;
	echoMessage?: boolean;
}

export type { MessageRecord, OutboxEntryView } from './records/model.mts';
