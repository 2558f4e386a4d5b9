import { addControlRoutes } from './control.mts';
import { addPage } from './page/live.mts';
import { Sandbox } from './sandbox.mts';
import { createService, listen } from './service.mts';
import type { LoggedRequest, SandboxAddress } from './types.mts';

/** How to start a sandbox. */
export interface StartOptions {
	/** 0, the default, takes a free port. */
	port?: number;
	host?: string;
	/** The project's root, where `api/openapi.yaml` is. */
	root?: string;
	seed?: number;
	/** A path that the service address carries, e.g. `/gateway`; empty for none. */
	prefix?: string;
	/** How long an outbox entry stays pending. */
	outboxDelayMs?: number;
	/** Called with every request that is over. */
	onRequest?: (entry: LoggedRequest) => void;
}

/** A sandbox that listens. */
export interface RunningSandbox extends SandboxAddress {
	close(): Promise<void>;
}

/** Starts the embedded messaging service in this process. */
export async function startSandbox(options: StartOptions = {}): Promise<RunningSandbox> {
	const { seed = 1, outboxDelayMs = 2000, onRequest = () => undefined, root = process.cwd() } = options;
	const prefix = (options.prefix ?? '').replace(/\/+$/, '');
	const sandbox = new Sandbox(seed, outboxDelayMs, onRequest);
	const app = createService({ root, prefix, hook: async (exchange) => await sandbox.handle(exchange) });
	addControlRoutes(app, sandbox);
	const closePage = addPage(app, sandbox);
	const origin = await listen(app, options);
	sandbox.schemaBase = `${origin}/_sandbox/schemas/`;
	return {
		url: origin + prefix,
		control: `${origin}/_sandbox`,
		page: `${origin}/_sandbox/`,
		tokens: sandbox.tokens,
		async close() {
			closePage();
			await app.close();
		},
	};
}
