import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { SandboxAddress } from './types.mts';

/** How to start a sandbox as a separate process. */
export interface SpawnOptions {
	port?: number;
	outboxDelayMs?: number;
}

/** A sandbox that runs as a separate process. */
export interface SandboxProcess extends SandboxAddress {
	stop(): Promise<void>;
}

/** Starts the embedded messaging service as a separate process; it ends when this process ends. */
export async function spawnSandbox(options: SpawnOptions = {}): Promise<SandboxProcess> {
	const { port = 0, outboxDelayMs = 2000 } = options;
	const main = join('dev', 'sandbox', 'main.mts');
	const settings = [`--port=${port}`, `--outbox-delay=${outboxDelayMs}`, '--exit-with-parent'];
	const child = spawn(process.execPath, [main, ...settings], {
		stdio: ['pipe', 'pipe', 'inherit'],
		env: { ...process.env, NODE_OPTIONS: '' },
	});
	const ended = once(child, 'exit');
	const failed = ended.then(([code]) => {
		throw new Error(`The sandbox ended with code ${code} before it was ready: see above`);
	});
	const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), failed]);
	failed.catch(() => {});
	// A running sandbox must not keep its parent alive; it ends with the parent.
	child.unref();
	for (const stream of child.stdio) if (stream instanceof Socket) stream.unref();
	return {
		...(JSON.parse(String(line)) as SandboxAddress),
		stop: async () => {
			child.ref();
			child.kill('SIGTERM');
			await ended;
		},
	};
}
