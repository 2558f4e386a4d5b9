import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { startSandbox } from './server.mts';
import type { LoggedRequest } from './types.mts';

const usage = `Usage: node sandbox/main.mts [options]

  --port <n>            port to listen on (0, the default: a free one)
  --host <address>      address to listen on (127.0.0.1)
  --seed <n>            seed of the state (1)
  --prefix <path>       path that the service address carries, e.g. /gateway
  --outbox-delay <ms>   how long an outbox entry stays pending (2000)
  --verbose             one line on stderr for each request
  --exit-with-parent    stop when stdin closes
  --help                this text`;

const { values } = parseArgs({
	options: {
		...{ port: { type: 'string', default: '0' }, host: { type: 'string', default: '127.0.0.1' } },
		...{ seed: { type: 'string', default: '1' }, prefix: { type: 'string', default: '' } },
		'outbox-delay': { type: 'string', default: '2000' },
		...{ verbose: { type: 'boolean' }, 'exit-with-parent': { type: 'boolean' }, help: { type: 'boolean' } },
	},
});

if (values.help === true) {
	console.log(usage);
} else {
	try {
		await run();
	} catch (error) {
		const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
		const why = isTaken ? `port ${values.port} is taken, choose another with --port` : String(error);
		console.error(`The sandbox could not start: ${why}`);
		process.exitCode = 1;
	}
}

async function run(): Promise<void> {
	const sandbox = await startSandbox({
		root: fileURLToPath(new URL('../..', import.meta.url)),
		...{ host: values.host, prefix: values.prefix },
		...{ port: integer('port'), seed: integer('seed'), outboxDelayMs: integer('outbox-delay') },
		...(values.verbose === true ? { onRequest: print } : {}),
	});
	const stop = (): void => void sandbox.close().then(() => process.exit(0));
	process.once('SIGTERM', stop).once('SIGINT', stop);
	// The parent holds the other end of stdin, which closes when the parent ends, even if it is killed.
	if (values['exit-with-parent'] === true) process.stdin.once('close', stop).on('error', stop).resume();
	const { url, control, page, tokens } = sandbox;
	console.log(JSON.stringify({ ready: true, url, control, page, tokens }));
}

function print({ n, method, path, status, clientClosed, inFlightMs, fault, problems }: LoggedRequest): void {
	const outcome = status ?? (clientClosed ? 'client closed' : 'dropped');
	const notes = [fault === null ? [] : `fault: ${fault}`, problems].flat().join('; ');
	console.error(`${n} ${method} ${path} ${outcome} ${inFlightMs} ms ${notes}`.trimEnd());
}

function integer(name: 'port' | 'seed' | 'outbox-delay'): number {
	const value = Number(values[name]);
	if (Number.isInteger(value) && value >= 0) return value;
	throw new Error(`--${name} must be a whole number, not "${values[name]}"`);
}
