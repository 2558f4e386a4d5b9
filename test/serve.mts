import { createServer, type RequestListener, type Server } from 'node:http';
import { listening, type RawServer } from './raw-server.mts';

/** Servers of the running test. */
const servers: RawServer[] = [];

afterEach(async () => {
	await Promise.all(servers.splice(0).map(async (server) => await server.close()));
});

/** Starts a server that listens until the end of the running test. */
export async function serve(listener?: RequestListener): Promise<{ server: Server; url: string }> {
	const server = createServer(listener);
	const raw = await listening(server);
	servers.push(raw);
	return { server, url: `http://127.0.0.1:${raw.port}` };
}
