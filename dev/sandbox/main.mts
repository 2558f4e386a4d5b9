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
		port: { type: 'string', default: '0' },
		host: { type: 'string', default: '127.0.0.1' },
		seed: { type: 'string', default: '1' },
		prefix: { type: 'string', default: '' },
		'outbox-delay': { type: 'string', default: '2000' },
		verbose: { type: 'boolean', default: false },
		'exit-with-parent': { type: 'boolean', default: false },
		help: { type: 'boolean', default: false },
	},
});

if (values.help) {
	console.log(usage);
} else {
	try {
		await run();
	} catch (error) {
		const code = error instanceof Error && 'code' in error ? error.code : undefined;
		const taken =
			code === 'EADDRINUSE' ? `Port ${values.port} is taken. Choose another with --port.` : undefined;
		console.error(
			taken ?? `The sandbox could not start: ${error instanceof Error ? error.message : String(error)}`,
		);
		process.exitCode = 1;
	}
}

async function run(): Promise<void> {
	const sandbox = await startSandbox({
		root: fileURLToPath(new URL('../..', import.meta.url)),
		port: integer('port', values.port),
		host: values.host,
		seed: integer('seed', values.seed),
		prefix: values.prefix,
		outboxDelayMs: integer('outbox-delay', values['outbox-delay']),
		...(values.verbose ? { onRequest: print } : {}),
	});
	const { url, control, page, tokens } = sandbox;
	let stopping = false;
	const stop = (): void => {
		if (stopping) return;
		stopping = true;
		void sandbox.close().then(() => process.exit(0));
	};
	process.once('SIGTERM', stop);
	process.once('SIGINT', stop);
	if (values['exit-with-parent']) {
		// The parent holds the other end of stdin, which closes when the parent ends, even if it is killed.
		process.stdin.once('end', stop).once('close', stop).once('error', stop).resume();
	}
	console.log(JSON.stringify({ ready: true, url, control, page, tokens }));
}

function print(entry: LoggedRequest): void {
	const outcome = entry.status ?? (entry.clientClosed ? 'client closed' : 'dropped');
	const notes = [entry.fault && `fault: ${entry.fault}`, ...entry.problems].filter(Boolean).join('; ');
	console.error(
		`${entry.n} ${entry.method} ${entry.path} ${outcome} ${entry.inFlightMs} ms ${notes}`.trimEnd(),
	);
}

function integer(name: string, text: string): number {
	const value = Number(text);
	if (!Number.isInteger(value) || value < 0)
		throw new Error(`--${name} must be a whole number, not "${text}"`);
	return value;
}
