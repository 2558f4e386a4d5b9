import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { SandboxAddress } from './types.mts';

/** How to start a sandbox as a separate process. */
export interface SpawnOptions {
	port?: number;
	host?: string;
	seed?: number;
	prefix?: string;
	outboxDelayMs?: number;
	verbose?: boolean;
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
	const root = options.root ?? process.cwd();
	const child = spawn(process.execPath, [join(root, 'dev', 'sandbox', 'main.mts'), ...argumentsOf(options)], {
		cwd: root,
		stdio: ['pipe', 'pipe', options.verbose === true ? 'inherit' : 'pipe'],
		env: { ...process.env, NODE_OPTIONS: '' },
	});
	try {
		const address = await firstLine(child, options.timeoutMs ?? 30_000);
		letGo(child);
		return { ...address, pid: child.pid ?? 0, stop: () => stop(child) };
	} catch (error) {
		await stop(child);
		throw error;
	}
}

function argumentsOf(options: SpawnOptions): string[] {
	const {
		port = 0,
		host = '127.0.0.1',
		seed = 1,
		prefix = '',
		outboxDelayMs = 2000,
		verbose = false,
	} = options;
	const values = { port, host, seed, prefix, 'outbox-delay': outboxDelayMs };
	const named = Object.entries(values).map(([name, value]) => `--${name}=${value}`);
	return [...named, '--exit-with-parent', ...(verbose ? ['--verbose'] : [])];
}

function firstLine(child: ChildProcess, timeoutMs: number): Promise<SandboxAddress> {
	return new Promise((resolve, reject) => {
		let complaint = '';
		child.stderr
			?.setEncoding('utf8')
			.on('data', (text: string) => (complaint = (complaint + text).slice(-4000)));
		const timer = setTimeout(
			() => reject(new Error(`The sandbox was not ready within ${timeoutMs} ms. ${complaint}`)),
			timeoutMs,
		);
		child.once('error', reject);
		child.once('exit', (code) => reject(new Error(`The sandbox ended with code ${code}. ${complaint}`)));
		child.once('exit', () => clearTimeout(timer));
		if (child.stdout === null) return reject(new Error('The sandbox has no output'));
		createInterface(child.stdout).once('line', (line) => {
			clearTimeout(timer);
			resolve(parseAddress(line));
		});
	});
}

function parseAddress(line: string): SandboxAddress {
	const address: SandboxAddress = JSON.parse(line);
	return address;
}

/** A running sandbox must not keep its parent alive; it ends with the parent. */
function letGo(child: ChildProcess): void {
	child.unref();
	for (const stream of child.stdio) {
		if (stream instanceof Socket) stream.unref();
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
