/**
 * The service of the soak: accepts messages, with every kind of fault at fixed counts, so that each run is the same. A
 * separate process, so that its memory is not measured.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '../bench/serve.ts';

/** Large enough never to limit a run. */
const plan = { limit: 1_000_000, seconds: 1 };

let sends = 0;
let requests = 0;

/** The faults of every nth request; the first that applies counts. */
const weather: ReadonlyArray<[every: number, happens: (response: ServerResponse) => void]> = [
	// Until the client hangs up.
	[5003, (response) => drip(response)],
	[1009, (response) => respond(response, 200, '<title>Welcome</title>', { 'content-type': 'text/html' })],
	[307, (response) => respond(response, 422, JSON.stringify({ title: 'No', errors: { text: ['No'] } }))],
	[2003, (response) => respond(response, 429, '{}', { 'retry-after': '0' })],
	[499, (response) => respond(response, 502, 'Bad gateway', { 'content-type': 'text/plain' })],
	[397, (response) => response.destroy()],
];

function respond(response: ServerResponse, status: number, body: string, headers = {}): void {
	response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
}

function drip(response: ServerResponse): void {
	response.writeHead(200, { 'content-type': 'application/json' });
	const drips = setInterval(() => response.write(' '), 100);
	response.on('close', () => clearInterval(drips));
}

function receive(request: IncomingMessage, response: ServerResponse): void {
	let body = '';
	request.setEncoding('utf8');
	request.on('data', (text: string) => (body += text));
	request.on('end', () => {
		if (request.url?.endsWith('/Me') === true) {
			return respond(response, 200, JSON.stringify({ resourcePlan: plan }));
		}
		if (request.url?.endsWith('/SendMessage') === true) sends += 1;
		requests += 1;
		const [, happens] = weather.find(([every]) => requests % every === 0) ?? [];
		if (happens !== undefined) return happens(response);
		respond(response, 200, body === '' ? '[]' : body);
	});
}

const server = createServer({ keepAliveTimeout: 1000 }, receive);
server.listen({ host: '127.0.0.1', port: 0 }, () => {
	serve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, () => ({ sends }));
});
