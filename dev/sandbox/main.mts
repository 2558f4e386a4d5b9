import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { startSandbox } from './server.mts';

const { values } = parseArgs({
	options: {
		/** 0 takes a free one. */
		port: { type: 'string', default: '0' },
		seed: { type: 'string', default: '1' },
		/** How long an outbox entry stays pending, in milliseconds. */
		'outbox-delay': { type: 'string', default: '2000' },
		/** Stop when stdin closes. */
		'exit-with-parent': { type: 'boolean' },
	},
});

try {
	await run();
} catch (error) {
	const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
	const why = isTaken ? `port ${values.port} is taken, choose another with --port` : String(error);
	console.error(`The sandbox could not start: ${why}`);
	process.exitCode = 1;
}

async function run(): Promise<void> {
	const sandbox = await startSandbox({
		root: fileURLToPath(new URL('../..', import.meta.url)),
		...{ port: integer('port'), seed: integer('seed'), outboxDelayMs: integer('outbox-delay') },
	});
	const stop = (): void => void sandbox.close().then(() => process.exit(0));
	process.once('SIGTERM', stop).once('SIGINT', stop);
	// The parent holds the other end of stdin, which closes when the parent ends, even if it is killed.
	if (values['exit-with-parent'] === true) process.stdin.once('close', stop).on('error', stop).resume();
	const { url, control, page, tokens } = sandbox;
	console.log(JSON.stringify({ ready: true, url, control, page, tokens }));
}

function integer(name: 'port' | 'seed' | 'outbox-delay'): number {
	const value = Number(values[name]);
	if (Number.isInteger(value) && value >= 0) return value;
	throw new Error(`--${name} must be a whole number, not "${values[name]}"`);
}
