import { createServer } from 'node:net';

const address = '127.0.0.1';

/** Whether nothing listens on a port of this machine. */
const isFree = async (port: number): Promise<boolean> =>
	// On some systems, 127.0.0.1 is free although a server listens on all addresses.
	(await listenOnce(port, address)) !== null && (await listenOnce(port, '0.0.0.0')) !== null;

/** A port that is free at this moment. */
export async function freePort(): Promise<number> {
	const port = await listenOnce(0, address);
	if (port === null) throw new Error(`No port of ${address} is free`);
	return port;
}

/** The preferred port, or another one when that is taken. */
export const preferredOrFreePort = async (preferred: number): Promise<number> =>
	(await isFree(preferred)) ? preferred : await freePort();

function listenOnce(port: number, host: string): Promise<number | null> {
	return new Promise((resolve) => {
		const server = createServer();
		server.once('error', () => {
			resolve(null);
		});
		server.listen({ port, host, exclusive: true }, () => {
			const bound = server.address();
			server.close(() => {
				resolve(typeof bound === 'object' && bound !== null ? bound.port : null);
			});
		});
	});
}
