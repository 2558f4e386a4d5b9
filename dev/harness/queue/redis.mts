import { connect } from 'node:net';

import { basicEnvironment, startGuarded, untilPrinted } from '../n8n/guarded.mts';
import type { Node24 } from '../n8n/node24.mts';
import { freePort } from '../n8n/ports.mts';
import { onTeardown } from '../teardown-list.mts';
import { createPlayer, type Player } from './player.mts';
import type { QueuePrograms } from './programs.mts';
import type { Unprivileged } from './unprivileged.mts';

/** A Redis server that takes commands. */
export interface Redis extends Player {
	readonly port: number;
	/** Runs a command, such as `LLEN jobs`, and gives the first line of its answer. */
	ask(command: string): Promise<string>;
}

/**
 * Makes a Redis with a new folder, reachable only from this machine. It is not started yet. It stores with Redis'
 * defaults: a snapshot from time to time, and one when it is stopped gracefully. `tearDown` ends it.
 */
export async function createRedis(node: Node24, programs: QueuePrograms, user: Unprivileged): Promise<Redis> {
	const folder = user.folder();
	onTeardown(folder.remove);
	const port = await freePort();
	const command = user.command(programs.redisServer, [
		'--port',
		String(port),
		'--bind',
		'127.0.0.1',
		'--dir',
		folder.path,
	]);
	const player = createPlayer({
		name: 'redis',
		launch: (logFile) =>
			startGuarded(node, { ...command, cwd: folder.path, env: basicEnvironment(), logFile }),
		untilReady: async (program) => await untilPrinted(program, 'Redis', 'Ready to accept connections'),
	});
	onTeardown(player.stop);
	return { ...player, port, ask: async (command) => await ask(port, command) };
}

/** Redis' protocol takes a line, and answers with lines; the first character of the first line is the type. */
function ask(port: number, command: string): Promise<string> {
	return new Promise((resolve, reject) => {
		const socket = connect(port, '127.0.0.1', () => socket.write(`${command}\r\n`));
		let answer = '';
		socket.setTimeout(10_000, () => socket.destroy(new Error(`Redis did not answer to ${command}`)));
		socket.once('error', reject);
		socket.setEncoding('utf8').on('data', (text: string) => {
			answer += text;
			const [line, rest] = answer.split('\r\n');
			if (line === undefined || rest === undefined) return;
			socket.destroy();
			if (line.startsWith('-')) reject(new Error(`Redis answered ${line} to ${command}`));
			else resolve(line.slice(1));
		});
	});
}
