/**
 * Runs a program and makes sure that it and everything it started ends with the process that started it:
 *
 *   node guard.mts <program> [arguments]
 *
 * The parent holds the other end of standard input. When that closes, because the parent ended or was killed, the
 * program's whole process group is asked to stop, and is killed if it does not. SIGUSR2 kills the group at once, as a crash would.
 */
import { spawn, spawnSync } from 'node:child_process';

const millisecondsToStop = 8_000;

const [program, ...args] = process.argv.slice(2);
if (program === undefined) throw new Error('usage: node guard.mts <program> [arguments]');

const windows = process.platform === 'win32';
const child = spawn(program, args, {
	stdio: ['ignore', 'inherit', 'inherit'],
	detached: !windows,
	// On Windows npm is a .cmd file, which only a shell can start.
	shell: windows && program === 'npm',
});

let stopping = false;

function signalGroup(signal: 'SIGTERM' | 'SIGKILL'): void {
	if (child.pid === undefined) return;
	if (windows) {
		spawnSync('taskkill', ['/pid', String(child.pid), '/t', '/f'], { stdio: 'ignore' });
		return;
	}
	try {
		process.kill(-child.pid, signal);
	} catch {
		// The group is empty.
	}
}

function stop(): void {
	if (stopping) return;
	stopping = true;
	signalGroup('SIGTERM');
	setTimeout(() => {
		signalGroup('SIGKILL');
	}, millisecondsToStop);
}

process.stdin.resume();
for (const event of ['end', 'close', 'error']) process.stdin.once(event, stop);
process.on('SIGUSR2', () => {
	stopping = true;
	signalGroup('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);

child.once('error', (error) => {
	process.stderr.write(`${error.message}\n`);
	process.exit(1);
});
child.once('exit', (code, signal) => {
	// Child processes that the program left behind.
	signalGroup('SIGKILL');
	process.exit(stopping ? 0 : (code ?? (signal === null ? 1 : 2)));
});
