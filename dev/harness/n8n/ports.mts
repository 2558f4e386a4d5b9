import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

const address = '127.0.0.1';

/** Whether nothing listens on a port of this machine. */
const isFree = async (port: number): Promise<boolean> =>
	// On some systems, 127.0.0.1 is free although a server listens on all addresses.
	(await canListen(port, address)) && (await canListen(port, '0.0.0.0'));

/** A free port, of those that no system gives to connections that go out: they could take it before a server listens. */
export async function freePort(): Promise<number> {
	for (let tries = 0; tries < 100; tries++) {
		const port = randomInt(10_000, 32_000);
		if (await isFree(port)) return port;
	}
	throw new Error(`No port of ${address} is free`);
}

/** The preferred port, or another one when that is taken. */
export const preferredOrFreePort = async (preferred: number): Promise<number> =>
	(await isFree(preferred)) ? preferred : await freePort();

async function canListen(port: number, host: string): Promise<boolean> {
	const server = createServer().listen({ port, host, exclusive: true });
	try {
		await once(server, 'listening');
	} catch {
		return false;
	}
	server.close();
	await once(server, 'close');
	return true;
}
