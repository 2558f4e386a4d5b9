/** What stands between n8n and the service while an outage is played. */
import { connect, createServer } from 'node:net';
import { listening } from '../raw-server.mts';

/** A gateway in front of the service. */
export interface Gateway {
	/** Where n8n reaches it, on 127.0.0.1. */
	readonly port: number;
	close(): Promise<void>;
}

/** Opens a gateway to the service on a port. A port of its own is chosen if none is given. */
export type OpenGateway = (target: number, port?: number) => Promise<Gateway>;

/** Passes on bytes. While it is closed, connections are refused; those that are open stay. */
export const openDoor: OpenGateway = async (target, port = 0) => {
	const door = createServer((socket) => {
		const onwards = connect(target, '127.0.0.1');
		socket.pipe(onwards).pipe(socket);
		socket.on('error', () => onwards.destroy());
		// Pass a reset on as a reset.
		onwards.on('error', () => socket.resetAndDestroy());
	});
	const gateway = await listening(door, port);
	return { port: gateway.port, close: async () => Promise.resolve(gateway.refuse()) };
};
