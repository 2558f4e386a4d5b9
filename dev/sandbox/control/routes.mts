import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { channelTypes } from '../records/catalog.mts';
import { schemaFiles } from '../records/configuration-schemas.mts';
import { addGeneratedChannels } from '../records/seed.mts';
import { Views } from '../records/views.mts';
import { invalid, notFound } from '../requests/problem.mts';
import type { Sandbox } from '../sandbox.mts';
import type { SandboxState } from '../types.mts';
import { receive } from './incoming.mts';
import * as schemas from './schemas.mts';

/** The control endpoints: look at the sandbox, reset it, switch faults on and off. Not part of the interface. */
export function addControlRoutes(app: FastifyInstance, sandbox: Sandbox): void {
	const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
	addFormats(ajv);
	const checks = {
		reset: ajv.compile<schemas.ResetSettings>(schemas.reset),
		faults: ajv.compile<schemas.FaultRules>(schemas.faults),
		plan: ajv.compile<schemas.PlanBody>(schemas.plan),
		channels: ajv.compile<schemas.ChannelSettings>(schemas.channels),
		channel: ajv.compile<schemas.ChannelChange>(schemas.channel),
		account: ajv.compile<schemas.AccountChange>(schemas.account),
		incoming: ajv.compile<schemas.IncomingMessage>(schemas.incoming),
	};

	app.get('/_sandbox/state', () => describeState(sandbox));
	app.get('/_sandbox/requests', () => sandbox.log.list());
	app.delete('/_sandbox/requests', (_request, reply) => {
		sandbox.log.clear();
		sandbox.onChange('requests');
		return reply.code(204).send();
	});
	app.post('/_sandbox/reset', (request) => {
		const { seed = sandbox.state.seed } = read(request, checks.reset, {});
		sandbox.reset(seed);
		return { seed, tokens: sandbox.tokens };
	});

	app.get('/_sandbox/faults', () => sandbox.faults.list());
	app.put('/_sandbox/faults', (request) => {
		sandbox.setFaults(read(request, checks.faults));
		return sandbox.faults.list();
	});
	app.delete('/_sandbox/faults', (_request, reply) => {
		sandbox.setFaults([]);
		return reply.code(204).send();
	});

	app.put('/_sandbox/plan', (request) => {
		const settings = read(request, checks.plan);
		sandbox.setPlan(settings);
		return settings;
	});
	app.post('/_sandbox/channels', (request) => {
		const { count, accountId } = read(request, checks.channels);
		const account = [...sandbox.state.accounts.values()].find(
			(candidate) => accountId === undefined || candidate.accountId === accountId,
		);
		if (account === undefined) throw notFound('account', accountId ?? '');
		const channels = addGeneratedChannels(sandbox.state, account.accountId, count);
		return { added: channels.length, channelIds: channels.map((channel) => channel.channelId) };
	});
	app.patch<{ Params: { id: string } }>('/_sandbox/channels/:id', (request) => {
		const change = read(request, checks.channel);
		const channel = sandbox.state.channels.get(request.params.id);
		if (channel === undefined) throw notFound('channel', request.params.id);
		channel.isConnected = change.isConnected ?? channel.isConnected;
		channel.statusId = change.channelStatusId ?? channel.statusId;
		if (change.feedbackChannelId !== undefined) {
			const feedback = change.feedbackChannelId;
			if (feedback !== null && !sandbox.state.channels.has(feedback)) throw notFound('channel', feedback);
			sandbox.state.setFeedback(channel, feedback);
		}
		channel.stateUpdatedAt = new Date().toISOString();
		sandbox.state.noteChannel(channel);
		return new Views(sandbox.state, sandbox.schemaBase).channel(channel);
	});
	app.delete<{ Params: { id: string } }>('/_sandbox/channels/:id', (request, reply) => {
		const channel = sandbox.state.channels.get(request.params.id);
		if (channel === undefined) throw notFound('channel', request.params.id);
		sandbox.state.removeChannel(channel);
		return reply.code(204).send();
	});
	app.patch<{ Params: { id: string } }>('/_sandbox/accounts/:id', (request) => {
		const change = read(request, checks.account);
		const account = sandbox.state.accounts.get(request.params.id);
		if (account === undefined) throw notFound('account', request.params.id);
		account.statusId = change.accountStatusId ?? account.statusId;
		sandbox.onChange('accounts');
		return new Views(sandbox.state, sandbox.schemaBase).account(account);
	});
	app.post('/_sandbox/incoming', (request) => receive(sandbox, read(request, checks.incoming)));
	app.post('/_sandbox/outbox/deliver', async (_request, reply) => {
		await sandbox.deliver('all');
		return await reply.code(204).send();
	});

	app.get<{ Params: { file: string } }>('/_sandbox/schemas/:file', (request, reply) => {
		const file = schemaFiles[request.params.file];
		if (file === undefined) throw notFound('schema', request.params.file);
		return reply.type(file.contentType).send(file.text);
	});
}

function describeState(sandbox: Sandbox): SandboxState {
	const { state } = sandbox;
	void sandbox.deliver('due');
	const views = new Views(state, sandbox.schemaBase);
	return {
		seed: state.seed,
		organizations: [...state.organizations.values()].map((organization) => views.organization(organization)),
		accounts: [...state.accounts.values()].map((account) => views.account(account)),
		channels: [...state.channels.values()].map((channel) => views.channel(channel)),
		channelTypes: channelTypes.map((type) => views.channelType(type)),
		providers: state.providers.map((provider) => views.provider(provider)),
		apiKeys: [...state.keys.values()].map((key) => ({
			...views.apiKey(key, 'whole'),
			revokedAt: key.revokedAt,
		})),
		messages: state.messages,
		outbox: [...state.outbox.values()].map((entry) => views.outboxEntry(entry)),
	};
}

function read<T>(request: FastifyRequest, check: ValidateFunction<T>, whenEmpty?: T): T {
	const text = typeof request.body === 'string' ? request.body : '';
	if (text === '' && whenEmpty !== undefined) return whenEmpty;
	const body = parse(text);
	if (check(body)) return body;
	throw invalid(
		...(check.errors ?? []).map((error) => {
			const extra: unknown = error.params['additionalProperty'];
			const name = typeof extra === 'string' ? ` (${extra})` : '';
			return `${error.instancePath === '' ? 'body' : error.instancePath}: ${error.message ?? ''}${name}`;
		}),
	);
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		throw invalid('body: is not valid JSON');
	}
}
