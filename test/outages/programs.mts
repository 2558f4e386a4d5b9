/** Starts gateways that Debian packages, as an operator would: with a configuration file, but without any privilege. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../dev/harness/n8n/ports.mts';
import type { Gateway, OpenGateway } from './gateways.mts';

/** Where a program listens, and what it may use. */
export interface Place {
	/** Its own port on 127.0.0.1, and that of the service. */
	readonly port: number;
	readonly target: number;
	/** A folder of its own; what it is configured with is there. */
	readonly folder: string;
}

/** The text of a file for a place. */
export type Written = (place: Place) => string;

interface Program {
	readonly command: string;
	/** The name of its configuration in the folder, if it takes one. */
	readonly config?: string;
	readonly options: (place: Place) => readonly string[];
}

export const PROGRAMS = {
	nginx: {
		command: '/usr/sbin/nginx',
		config: 'nginx.conf',
		options: ({ folder }) => ['-p', folder, '-e', 'stderr', '-c', 'nginx.conf', '-g', 'daemon off;'],
	},
	haproxy: {
		command: '/usr/sbin/haproxy',
		config: 'haproxy.cfg',
		options: ({ folder }) => ['-db', '-f', join(folder, 'haproxy.cfg')],
	},
	apache: {
		command: '/usr/sbin/apache2',
		config: 'apache2.conf',
		options: ({ folder }) => ['-DFOREGROUND', '-f', join(folder, 'apache2.conf')],
	},
	caddy: {
		command: '/usr/bin/caddy',
		config: 'Caddyfile',
		options: ({ folder }) => ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'],
	},
	varnish: {
		command: '/usr/sbin/varnishd',
		options: ({ folder, port, target }) => [
			...['-F', '-j', 'none', '-n', folder, '-s', 'malloc,32m'],
			...['-a', `127.0.0.1:${port}`, '-b', `127.0.0.1:${target}`],
		],
	},
} as const satisfies Record<string, Program>;

export type ProgramName = keyof typeof PROGRAMS;

/** Whether the Debian package of a program is installed. */
export function isInstalled(name: ProgramName): boolean {
	return existsSync(PROGRAMS[name].command);
}

/** Debian's user without any right. The programs get it where the tests run as root. */
const NOBODY = { uid: 65_534, gid: 65_534 };
const user = process.getuid?.() === 0 ? NOBODY : {};

/**
 * A gateway that a program is.
 *
 * @param config its configuration, if it takes one
 * @param files further files beside that
 */
export function gatewayOf(
	name: ProgramName,
	config?: Written,
	files: Readonly<Record<string, string>> = {},
): OpenGateway {
	const program: Program = PROGRAMS[name];
	return async (target) => {
		const folder = await mkdtemp(join(tmpdir(), `messaging-${name}-`));
		const port = await freePort();
		const place = { folder, port, target };
		const written = config && program.config ? { [program.config]: config(place) } : {};
		for (const [file, text] of Object.entries({ ...written, ...files })) {
			await writeFile(join(folder, file), text);
		}
		if (user === NOBODY) await chown(folder, NOBODY.uid, NOBODY.gid);
		// What it prints goes to a file: a pipe would stay open as long as one of its processes lives.
		const printed = join(folder, 'printed.txt');
		const output = await open(printed, 'w');
		const child = spawn(program.command, program.options(place), {
			...user,
			cwd: folder,
			stdio: ['ignore', output.fd, output.fd],
			// Caddy keeps what it remembers in its home.
			env: { PATH: process.env['PATH'], HOME: folder },
		});
		await output.close();
		const close = async (): Promise<void> => {
			await ended(child);
			await rm(folder, { recursive: true, force: true });
		};
		if (!(await isUp(child, port))) {
			const why = await readFile(printed, 'utf8');
			await close();
			throw new Error(`${name} does not start: ${why}`);
		}
		return { port, close } satisfies Gateway;
	};
}

/** Waits until a program listens. */
async function isUp(child: ChildProcess, port: number): Promise<boolean> {
	for (let tries = 0; tries < 300 && child.exitCode === null; tries++) {
		if (await answers(port)) return true;
		await sleep(100);
	}
	return false;
}

async function ended(child: ChildProcess): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	const exit = once(child, 'exit');
	child.kill('SIGTERM');
	await exit;
}

async function answers(port: number): Promise<boolean> {
	const socket = connect(port, '127.0.0.1');
	try {
		await once(socket, 'connect');
		return true;
	} catch {
		return false;
	} finally {
		socket.destroy();
	}
}
