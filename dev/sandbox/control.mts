import type { FastifyInstance } from 'fastify';
import { receive } from './incoming.mts';
import { notFound, Problem, problemDetails } from './problem.mts';
import { channelTypes } from './records/catalog.mts';
import { schemaFiles } from './records/configuration-schemas.mts';
import type { StoredChannel } from './records/model.mts';
import { deliverDue } from './records/outbox.mts';
import { addGeneratedChannels } from './records/seed.mts';
import { Views } from './records/views.mts';
import type { Sandbox } from './sandbox.mts';
import {
	faultKinds,
	type FaultRule,
	type IncomingMessage,
	type PlanSettings,
	type SandboxState,
} from './types.mts';

const uuid = { type: 'string', format: 'uuid' } as const;
const line = { type: 'string', minLength: 1 } as const;
const flag = { type: 'boolean' } as const;
const count = { type: 'integer', minimum: 0 } as const;
const whole = (minimum: number, maximum?: number) => ({
	...{ type: 'integer', minimum },
	...(maximum !== undefined && { maximum }),
});
/** What a body may hold, as the `schema` of a route; the required fields come first. */
const body = (properties: Record<string, object>, ...required: string[]) => ({
	schema: { body: { type: 'object', additionalProperties: false, required, properties } },
});

const settings = body(
	{
		...{ kind: { enum: faultKinds }, method: { type: 'string' }, path: { type: 'string', format: 'regex' } },
		...{ bodyContains: { type: 'string' }, skip: count, times: count, every: whole(1) },
		probability: { type: 'number', minimum: 0, maximum: 1 },
		seconds: { type: 'number', exclusiveMinimum: 0, maximum: 86_400 },
		...{ ms: { type: 'number', minimum: 0 }, jitterMs: { type: 'number', minimum: 0 } },
		status: whole(200, 599),
		headers: { type: 'object', additionalProperties: { type: 'string' } },
		...{ body: {}, contentType: { type: 'string' } },
	},
	'kind',
);
const faults = { schema: { body: { type: 'array', maxItems: 100, items: settings.schema.body } } };
const plan = body(
	{
		...{ keyId: uuid, limit: whole(1), seconds: whole(1), algorithm: { enum: ['fixed', 'sliding'] } },
		...{ visible: flag, retryAfter: { enum: ['seconds', 'date', 'none'] } },
	},
	...['limit', 'seconds'],
);
const change = body({
	...{ isConnected: flag, channelStatusId: whole(1, 5) },
	feedbackChannelId: { type: ['string', 'null'], format: 'uuid' },
});
/** The flags of a message package's content. */
const flags = [
	...['isFromMe', 'isGroupMessage', 'isForwarded', 'isStatusMessage', 'isHistoryMessage'],
	...['isNewsletter', 'isBroadcast', 'isAnnounceGroup', 'isCommunityNotices'],
];
const incoming = body(
	{
		from: { type: ['string', 'object'], minLength: 1, required: ['type'] },
		...{ channelId: uuid, text: { type: 'string' }, type: line, messageId: line, packageId: uuid },
		...{ correlationId: line, echoMessage: flag },
		...Object.fromEntries(flags.map((name) => [name, flag])),
	},
	...['channelId', 'from', 'text'],
);

/** The control endpoints: look at the sandbox, reset it, switch faults on and off. Not part of the interface. */
export function addControlRoutes(service: FastifyInstance, sandbox: Sandbox): void {
	void service.register(
		async (app) => {
			await Promise.resolve();
			app.removeAllContentTypeParsers();
			app.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, done) => {
				try {
					done(null, text === '' ? {} : (JSON.parse(String(text)) as unknown));
				} catch {
					done(new Problem(400, 'body: is not valid JSON'));
				}
			});
			app.setErrorHandler(async (error, request, reply) => {
				const { status = 500, validation, message } = error as Partial<Problem & { validation: object }>;
				const code = validation === undefined ? status : 400;
				return await reply.code(code).send(problemDetails(code, message ?? '', request.url));
			});
			addRoutes(app, sandbox);
		},
		{ prefix: '/_sandbox' },
	);
}

interface Named {
	Params: { id: string };
}

function addRoutes(app: FastifyInstance, sandbox: Sandbox): void {
	const channelOf = (id: string): StoredChannel => {
		const channel = sandbox.state.channels.get(id);
		if (channel === undefined) throw notFound('channel', id);
		return channel;
	};
	const views = (): Views => new Views(sandbox.state, sandbox.schemaBase);

	app.all('/*', (request) => {
		throw new Problem(404, `The sandbox has no control endpoint ${request.method} ${request.url}.`);
	});
	app.get('/state', () => describeState(sandbox, views()));
	app.get('/requests', () => sandbox.log.list());
	app.delete('/requests', (_request, reply) => {
		sandbox.log.clear();
		sandbox.onChange('requests');
		return reply.code(204).send();
	});
	app.post<{ Body?: { seed?: number } }>('/reset', (request) => {
		const { seed = sandbox.state.seed } = request.body ?? {};
		sandbox.reset(Number(seed));
		return { seed, tokens: sandbox.tokens };
	});

	app.get('/faults', () => sandbox.faults.list());
	app.put<{ Body: FaultRule[] }>('/faults', faults, (request) => {
		sandbox.faults.set(request.body);
		return sandbox.faults.list();
	});
	app.delete('/faults', (_request, reply) => {
		sandbox.faults.set([]);
		return reply.code(204).send();
	});
	app.put<{ Body: PlanSettings }>('/plan', plan, (request) => {
		sandbox.setPlan(request.body);
		return request.body;
	});

	const many = body({ count: whole(1, 100_000), accountId: uuid }, 'count');
	app.post<{ Body: { count: number; accountId?: string } }>('/channels', many, (request) => {
		const [first = ''] = sandbox.state.accounts.keys();
		const { accountId = first } = request.body;
		if (!sandbox.state.accounts.has(accountId)) throw notFound('account', accountId);
		const channels = addGeneratedChannels(sandbox.state, accountId, request.body.count);
		return { added: channels.length, channelIds: channels.map(({ channelId }) => channelId) };
	});
	app.patch<
		Named & { Body: { isConnected?: boolean; channelStatusId?: number; feedbackChannelId?: string | null } }
	>('/channels/:id', change, (request) => {
		const channel = channelOf(request.params.id);
		const { isConnected, channelStatusId, feedbackChannelId } = request.body;
		if (typeof feedbackChannelId === 'string') channelOf(feedbackChannelId);
		if (feedbackChannelId !== undefined) channel.feedbackChannelId = feedbackChannelId;
		channel.isConnected = isConnected ?? channel.isConnected;
		channel.statusId = channelStatusId ?? channel.statusId;
		channel.stateUpdatedAt = new Date().toISOString();
		sandbox.state.noteChannel(channel);
		return views().channel(channel);
	});
	app.delete<Named>('/channels/:id', (request, reply) => {
		sandbox.state.removeChannel(channelOf(request.params.id));
		return reply.code(204).send();
	});
	const status = body({ accountStatusId: whole(1, 3) });
	app.patch<Named & { Body: { accountStatusId?: number } }>('/accounts/:id', status, (request) => {
		const account = sandbox.state.accounts.get(request.params.id);
		if (account === undefined) throw notFound('account', request.params.id);
		account.statusId = request.body.accountStatusId ?? account.statusId;
		sandbox.onChange('accounts');
		return views().account(account);
	});
	app.post<{ Body: IncomingMessage }>('/incoming', incoming, (request) =>
		receive(sandbox, channelOf(request.body.channelId), request.body),
	);
	app.post('/outbox/deliver', async (_request, reply) => {
		await deliverDue(sandbox.state, Infinity);
		return await reply.code(204).send();
	});
	app.get<{ Params: { file: string } }>('/schemas/:file', (request, reply) => {
		const file = schemaFiles[request.params.file];
		if (file === undefined) throw notFound('schema', request.params.file);
		return reply.type(file.contentType).send(file.text);
	});
}

function describeState({ state }: Sandbox, views: Views): SandboxState {
	void deliverDue(state);
	const all = <T, View>(records: Map<string, T>, view: (record: T) => View): View[] =>
		[...records.values()].map(view);
	return {
		seed: state.seed,
		organizations: all(state.organizations, (organization) => views.organization(organization)),
		accounts: all(state.accounts, (account) => views.account(account)),
		channels: all(state.channels, (channel) => views.channel(channel)),
		channelTypes: channelTypes.map((type) => views.channelType(type)),
		providers: state.providers.map((provider) => views.provider(provider)),
		apiKeys: all(state.keys, (key) => ({ ...views.apiKey(key, 'whole'), revokedAt: key.revokedAt })),
		messages: state.messages,
		outbox: all(state.outbox, (entry) => views.outboxEntry(entry)),
	};
}
