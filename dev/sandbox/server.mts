import { addControlRoutes } from './control.mts';
import { addPage } from './page/live.mts';
import { Sandbox } from './sandbox.mts';
import { createService, listen } from './service.mts';
import type { SandboxAddress } from './types.mts';

/** How to start a sandbox. */
export interface StartOptions {
	/** 0, the default, takes a free port. */
	port?: number;
	/** How long an outbox entry stays pending. */
	outboxDelayMs?: number;
}

/** A sandbox that listens. */
export interface RunningSandbox extends SandboxAddress {
	close(): Promise<void>;
}

/** Starts the embedded messaging service in this process. */
export async function startSandbox(options: StartOptions = {}): Promise<RunningSandbox> {
	const { outboxDelayMs = 2000 } = options;
	const sandbox = new Sandbox(outboxDelayMs);
	const app = createService({ hook: async (exchange) => await sandbox.handle(exchange) });
	addControlRoutes(app, sandbox);
	const closePage = addPage(app, sandbox);
	const origin = await listen(app, options);
	sandbox.schemaBase = `${origin}/_sandbox/schemas/`;
	return {
		url: origin,
		control: `${origin}/_sandbox`,
		page: `${origin}/_sandbox/`,
		tokens: sandbox.tokens,
		async close() {
			closePage();
			await app.close();
		},
	};
}
