import type { components } from '../../../api/schema.d.ts';
import type { FaultRule, PlanSettings } from '../types.mts';

/** Body of `POST /_sandbox/reset`. */
export interface ResetSettings {
	seed?: number;
}

/** Body of `PUT /_sandbox/faults`. */
export type FaultRules = FaultRule[];

/** Body of `PUT /_sandbox/plan`. */
export type PlanBody = PlanSettings;

/** Body of `POST /_sandbox/channels`. */
export interface ChannelSettings {
	count: number;
	accountId?: string;
}

/** Body of `PATCH /_sandbox/channels/:id`. */
export interface ChannelChange {
	isConnected?: boolean;
	channelStatusId?: number;
	feedbackChannelId?: string | null;
}

/** Body of `PATCH /_sandbox/accounts/:id`. */
export interface AccountChange {
	accountStatusId?: number;
}

/** The flags of a message package's content. */
const flags = [
	...['isFromMe', 'isGroupMessage', 'isForwarded', 'isStatusMessage', 'isHistoryMessage'],
	...['isNewsletter', 'isBroadcast', 'isAnnounceGroup', 'isCommunityNotices'],
];

/** Body of `POST /_sandbox/incoming`: a message that a customer writes. The flags of the content may be added. */
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

const closed = { type: 'object', additionalProperties: false } as const;
const count = { type: 'integer', minimum: 0 } as const;

export const reset = { ...closed, properties: { seed: { type: 'integer' } } };

export const faults = {
	type: 'array',
	maxItems: 100,
	items: {
		...closed,
		required: ['kind'],
		properties: {
			kind: {
				enum: [
					...['latency', 'hold', 'status', 'reset', 'hang', 'lostResponse', 'truncate', 'reply'],
					'knownPackage',
				],
			},
			method: { type: 'string' },
			path: { type: 'string', format: 'regex' },
			bodyContains: { type: 'string' },
			skip: count,
			times: count,
			every: { type: 'integer', minimum: 1 },
			probability: { type: 'number', minimum: 0, maximum: 1 },
			seconds: { type: 'number', exclusiveMinimum: 0, maximum: 86_400 },
			ms: { type: 'number', minimum: 0 },
			jitterMs: { type: 'number', minimum: 0 },
			status: { type: 'integer', minimum: 200, maximum: 599 },
			headers: { type: 'object', additionalProperties: { type: 'string' } },
			body: {},
			contentType: { type: 'string' },
		},
	},
};

export const plan = {
	...closed,
	required: ['limit', 'seconds'],
	properties: {
		keyId: { type: 'string', format: 'uuid' },
		limit: { type: 'integer', minimum: 1 },
		seconds: { type: 'integer', minimum: 1 },
		algorithm: { enum: ['fixed', 'sliding'] },
		visible: { type: 'boolean' },
		retryAfter: { enum: ['seconds', 'date', 'none'] },
	},
};

export const channels = {
	...closed,
	required: ['count'],
	properties: {
		count: { type: 'integer', minimum: 1, maximum: 100_000 },
		accountId: { type: 'string', format: 'uuid' },
	},
};

export const channel = {
	...closed,
	properties: {
		isConnected: { type: 'boolean' },
		channelStatusId: { type: 'integer', minimum: 1, maximum: 5 },
		feedbackChannelId: { type: ['string', 'null'], format: 'uuid' },
	},
};

export const account = {
	...closed,
	properties: { accountStatusId: { type: 'integer', minimum: 1, maximum: 3 } },
};

const line = { type: 'string', minLength: 1 } as const;

export const incoming = {
	...closed,
	required: ['channelId', 'from', 'text'],
	properties: {
		channelId: { type: 'string', format: 'uuid' },
		from: { type: ['string', 'object'], minLength: 1, required: ['type'] },
		text: { type: 'string' },
		type: line,
		messageId: line,
		packageId: { type: 'string', format: 'uuid' },
		correlationId: line,
		echoMessage: { type: 'boolean' },
		...Object.fromEntries(flags.map((name) => [name, { type: 'boolean' }])),
	},
};
