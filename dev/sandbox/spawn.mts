import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { SandboxAddress } from './types.mts';

/** How to start a sandbox as a separate process. */
export interface SpawnOptions {
	port?: number;
	outboxDelayMs?: number;
	/** The project's root; the working directory unless given. */
	root?: string;
	/** How long to wait until it listens, in milliseconds. */
	timeoutMs?: number;
}

/** A sandbox that runs as a separate process. */
export interface SandboxProcess extends SandboxAddress {
	pid: number;
	stop(): Promise<void>;
}

/** Starts the embedded messaging service as a separate process; it ends when this process ends. */
export async function spawnSandbox(options: SpawnOptions = {}): Promise<SandboxProcess> {
	const { root = process.cwd(), timeoutMs = 30_000, outboxDelayMs, ...more } = options;
	const named = Object.entries({ ...more, ...(outboxDelayMs && { 'outbox-delay': outboxDelayMs }) });
	const values = named.map(([name, value]) => `--${name}=${value}`);
	const child = spawn(
		process.execPath,
		[join(root, 'dev', 'sandbox', 'main.mts'), ...values, '--exit-with-parent'],
		{
			cwd: root,
			stdio: 'pipe',
			env: { ...process.env, NODE_OPTIONS: '' },
		},
	);
	try {
		const address = await firstLine(child, timeoutMs);
		// A running sandbox must not keep its parent alive; it ends with the parent.
		child.unref();
		for (const stream of child.stdio) if (stream instanceof Socket) stream.unref();
		return { ...address, pid: child.pid ?? 0, stop: async () => await stop(child) };
	} catch (error) {
		await stop(child);
		throw error;
	}
}

async function firstLine(child: ChildProcessWithoutNullStreams, timeoutMs: number): Promise<SandboxAddress> {
	let complaint = '';
	child.stderr.on('data', (part) => (complaint = (complaint + String(part)).slice(-4000)));
	const waits = new AbortController();
	const late = setTimeout(() => waits.abort(), timeoutMs);
	const { signal } = waits;
	try {
		const ended = once(child, 'exit', { signal }).then(([code]) => {
			throw new Error(`The sandbox ended with code ${code}. ${complaint}`);
		});
		const [line] = await Promise.race([once(createInterface(child.stdout), 'line', { signal }), ended]);
		ended.catch(() => {});
		return JSON.parse(String(line)) as SandboxAddress;
	} catch (error) {
		throw signal.aborted
			? new Error(`The sandbox was not ready within ${timeoutMs} ms. ${complaint}`)
			: error;
	} finally {
		clearTimeout(late);
	}
}

async function stop(child: ChildProcess): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
	child.ref();
	const ended = once(child, 'exit');
	child.kill('SIGTERM');
	const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
	await ended;
	clearTimeout(timer);
}
