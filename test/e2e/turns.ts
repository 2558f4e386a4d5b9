/** Takes turns on the stage: test files run in several processes, but only one at a time may use it. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

const variable = 'E2E_TURNS';

/**
 * Gives turns to connected processes, first come, first served. A turn ends with its connection, and so also when its
 * process ends.
 *
 * @returns a function that stops giving turns
 */
export async function giveTurns(): Promise<() => void> {
	const waiting: Socket[] = [];
	const callNext = (): void => void waiting[0]?.write('your turn');
	const server = createServer((socket) => {
		waiting.push(socket);
		if (waiting.length === 1) callNext();
		socket
			.on('error', () => {})
			.once('close', () => {
				const hadTurn = waiting[0] === socket;
				waiting.splice(waiting.indexOf(socket), 1);
				if (hadTurn) callNext();
			});
		socket.resume();
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	process.env[variable] = String((server.address() as AddressInfo).port);
	return () => {
		server.close();
		for (const socket of waiting) socket.destroy();
	};
}

/**
 * Waits for a turn.
 *
 * @returns a function that ends the turn
 * @throws when the server that gives turns is gone
 */
export async function takeTurn(): Promise<() => void> {
	const socket = connect(Number(process.env[variable]), '127.0.0.1');
	await new Promise((resolve, reject) => {
		socket.once('data', resolve).once('error', reject);
		socket.once('close', () => reject(new Error('Nobody gives turns on the stage any more')));
	});
	socket.on('error', () => {});
	return () => void socket.destroy();
}
