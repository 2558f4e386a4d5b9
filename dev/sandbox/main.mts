import { parseArgs } from 'node:util';
import { addControlRoutes } from './control.mts';
import { addPage } from './page/live.mts';
import { Sandbox } from './sandbox.mts';
import { createService, listen } from './service.mts';
import type { SandboxAddress } from './types.mts';

const { values } = parseArgs({
	options: {
		/** 0 takes a free one. */
		port: { type: 'string', default: '0' },
		/** How long an outbox entry stays pending, in milliseconds. */
		'outbox-delay': { type: 'string', default: '2000' },
		/** Stop when stdin closes. */
		'exit-with-parent': { type: 'boolean' },
	},
});

const sandbox = new Sandbox(Number(values['outbox-delay']));
const app = createService({ hook: async (exchange) => await sandbox.handle(exchange) });
addControlRoutes(app, sandbox);
addPage(app, sandbox);
const url = await listen(app, { port: Number(values.port) });
sandbox.schemaBase = `${url}/_sandbox/schemas/`;
const stop = (): void => void app.close().then(() => process.exit(0));
process.once('SIGTERM', stop).once('SIGINT', stop);
// The parent holds the other end of stdin, which closes when the parent ends, even if it is killed.
if (values['exit-with-parent'] === true) process.stdin.once('close', stop).on('error', stop).resume();
const address: SandboxAddress = {
	url,
	control: `${url}/_sandbox`,
	page: `${url}/_sandbox/`,
	tokens: sandbox.tokens,
};
console.log(JSON.stringify({ ready: true, ...address }));
