import type { FastifyInstance } from 'fastify';
import { receive } from './incoming.mts';
import { notFound, Problem, problemDetails } from './problem.mts';
import { schemaFiles } from './records/configuration-schemas.mts';
import type { StoredChannel } from './records/model.mts';
import { deliverDue } from './records/outbox.mts';
import { Views } from './records/views.mts';
import type { Sandbox } from './sandbox.mts';
import type { FaultRule, IncomingMessage, PlanSettings, SandboxState } from './types.mts';

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
				const { status, message } = error instanceof Problem ? error : new Problem(500, String(error));
				return await reply.code(status).send(problemDetails(status, message, request.url));
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
		return reply.code(204).send();
	});
	app.post<{ Body?: { seed?: number } }>('/reset', (request) => {
		const { seed = sandbox.state.seed } = request.body ?? {};
		sandbox.reset(Number(seed));
		return { seed, tokens: sandbox.tokens };
	});

	app.get('/faults', () => sandbox.faults.list());
	app.put<{ Body: FaultRule[] }>('/faults', (request) => {
		sandbox.faults.set(request.body);
		return sandbox.faults.list();
	});
	app.delete('/faults', (_request, reply) => {
		sandbox.faults.set([]);
		return reply.code(204).send();
	});
	app.put<{ Body: PlanSettings }>('/plan', (request) => {
		sandbox.setPlan(request.body);
		return request.body;
	});

	app.patch<
		Named & { Body: { isConnected?: boolean; channelStatusId?: number; feedbackChannelId?: string | null } }
	>('/channels/:id', (request) => {
		const channel = channelOf(request.params.id);
		const { isConnected, channelStatusId, feedbackChannelId } = request.body;
		if (typeof feedbackChannelId === 'string') channelOf(feedbackChannelId);
		if (feedbackChannelId !== undefined) channel.feedbackChannelId = feedbackChannelId;
		channel.isConnected = isConnected ?? channel.isConnected;
		channel.statusId = channelStatusId ?? channel.statusId;
		channel.stateUpdatedAt = new Date().toISOString();
		return views().channel(channel);
	});
	app.post<{ Body: IncomingMessage }>('/incoming', (request) =>
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
		accounts: all(state.accounts, (account) => views.account(account)),
		channels: all(state.channels, (channel) => views.channel(channel)),
		providers: state.providers.map((provider) => views.provider(provider)),
		apiKeys: all(state.keys, (key) => ({ ...views.apiKey(key, 'whole'), revokedAt: key.revokedAt })),
		messages: state.messages,
		outbox: all(state.outbox, (entry) => views.outboxEntry(entry)),
	};
}
