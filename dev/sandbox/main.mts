import { parseArgs } from 'node:util';
import { startSandbox } from './server.mts';

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

const sandbox = await startSandbox({
	port: Number(values.port),
	outboxDelayMs: Number(values['outbox-delay']),
});
const stop = (): void => void sandbox.close().then(() => process.exit(0));
process.once('SIGTERM', stop).once('SIGINT', stop);
// The parent holds the other end of stdin, which closes when the parent ends, even if it is killed.
if (values['exit-with-parent'] === true) process.stdin.once('close', stop).on('error', stop).resume();
const { url, control, page, tokens } = sandbox;
console.log(JSON.stringify({ ready: true, url, control, page, tokens }));
