import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { addControlRoutes } from './control/routes.mts';
import { Live } from './page/live.mts';
import { exchange } from './requests/exchange.mts';
import { Problem, problemDetails } from './requests/problem.mts';
import { Sandbox, type SandboxSettings } from './sandbox.mts';
import type { SandboxAddress } from './types.mts';

/** How to start a sandbox. */
export interface StartOptions extends Partial<SandboxSettings> {
	/** 0, the default, takes a free port. */
	port?: number;
	host?: string;
}

/** A sandbox that listens. */
export interface RunningSandbox extends SandboxAddress {
	close(): Promise<void>;
}

/** Starts the embedded messaging service in this process. */
export async function startSandbox(options: StartOptions = {}): Promise<RunningSandbox> {
	const { port = 0, host = '127.0.0.1' } = options;
	const settings: SandboxSettings = {
		root: options.root ?? process.cwd(),
		seed: options.seed ?? 1,
		prefix: (options.prefix ?? '').replace(/\/+$/, ''),
		outboxDelayMs: options.outboxDelayMs ?? 2000,
		onRequest: options.onRequest ?? (() => undefined),
	};
	const sandbox = new Sandbox(settings);
	const app = createApp(sandbox);
	const live = new Live(sandbox);
	const page = readFileSync(join(settings.root, 'dev', 'sandbox', 'page', 'page.html'), 'utf8');
	app.get('/_sandbox', (_request, reply) => reply.redirect('/_sandbox/'));
	app.get('/_sandbox/', (_request, reply) => reply.type('text/html; charset=utf-8').send(live.render(page)));
	app.get('/_sandbox/events', (_request, reply) => {
		reply.hijack();
		live.add(reply.raw);
	});
	addControlRoutes(app, sandbox);

	await app.listen({ port, host });
	const origin = originOf(app, host);
	sandbox.schemaBase = `${origin}/_sandbox/schemas/`;
	return {
		url: origin + sandbox.prefix,
		control: `${origin}/_sandbox`,
		page: `${origin}/_sandbox/`,
		tokens: sandbox.tokens,
		async close() {
			live.close();
			await app.close();
		},
	};
}

function createApp(sandbox: Sandbox): FastifyInstance {
	const app = fastify({
		bodyLimit: 16 * 1024 * 1024,
		// Requests that hang on purpose must not keep the sandbox from stopping.
		forceCloseConnections: true,
		exposeHeadRoutes: false,
		frameworkErrors: (error, request, reply) => {
			void exchange(sandbox, request, reply, error.message);
		},
	});
	// Bodies stay text here: the contract says what is wrong with them, and the log shows them as they came.
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
	app.setErrorHandler(async (error, request, reply) => await onError(sandbox, error, request, reply));
	app.all('/_sandbox/*', (request) => {
		throw new Problem(404, `The sandbox has no control endpoint ${request.method} ${request.url}.`);
	});
	// Everything else is the service's, unknown paths included: the log shows them.
	app.all('/*', async (request, reply) => await exchange(sandbox, request, reply));
	return app;
}

/** An unreadable body: logged on the API, refused on the control endpoints. */
async function onError(
	sandbox: Sandbox,
	error: unknown,
	request: FastifyRequest,
	reply: FastifyReply,
): Promise<unknown> {
	const message = error instanceof Error ? error.message : String(error);
	if (!request.url.startsWith('/_sandbox')) return await exchange(sandbox, request, reply, message);
	const status = error instanceof Problem ? error.status : 500;
	return await reply.code(status).send(problemDetails(status, message, request.url));
}

function originOf(app: FastifyInstance, host: string): string {
	const address: AddressInfo | string | null = app.server.address();
	if (address === null || typeof address === 'string')
		throw new Error('The sandbox does not listen on a port');
	return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}
