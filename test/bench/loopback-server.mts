/**
 * The bare service that benchmark and soak send to: it answers after a fixed time, with as little work as possible, and
 * counts. For the soak it has every kind of fault, at fixed counts, so that each run is the same.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from './child.mts';
import type { ServerCommand, ServerCounts } from './loopback.mts';

/** Large enough never to limit anyone. */
const plan = JSON.stringify({ name: 'Benchmark', resourcePlan: { limit: 1_000_000, seconds: 1 } });

let latencyMs = 0;
let hasFaults = false;
let counts: ServerCounts = { sends: 0, mostInFlight: 0 };
let requests = 0;
let inFlight = 0;

/** The faults of every nth request; the first that applies counts. */
const faults: ReadonlyArray<[every: number, happens: (response: ServerResponse) => void]> = [
	// Until the client hangs up.
	[5003, (response) => drip(response)],
	[1009, (response) => respond(response, '<title>Welcome</title>', 200, 'text/html')],
	[307, (response) => respond(response, JSON.stringify({ title: 'No', errors: { text: ['No'] } }), 422)],
	[2003, (response) => respond(response.setHeader('retry-after', '0'), '{}', 429)],
	[499, (response) => respond(response, 'Bad gateway', 502, 'text/plain')],
	[397, (response) => response.destroy()],
];

function respond(response: ServerResponse, body: string, status = 200, type = 'application/json'): void {
	response.writeHead(status, { 'content-type': `${type}; charset=utf-8` }).end(body);
}

function drip(response: ServerResponse): void {
	response.writeHead(200, { 'content-type': 'application/json' });
	const drips = setInterval(() => response.write(' '), 100);
	response.on('close', () => clearInterval(drips));
}

function answer(url: string, body: string, response: ServerResponse): void {
	if (url.endsWith('/Me')) return respond(response, plan);
	requests += 1;
	const isSend = url.endsWith('/SendMessage');
	if (isSend) counts.sends += 1;
	const fault = hasFaults ? faults.find(([every]) => requests % every === 0) : undefined;
	if (fault !== undefined) return fault[1](response);
	if (!isSend) return respond(response, body === '' ? '[]' : body);
	const sent = JSON.parse(body) as Record<string, unknown>;
	const content = { ...(sent['content'] as object), messageId: String(counts.sends) };
	respond(response, JSON.stringify({ ...sent, content }));
}

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
	inFlight += 1;
	counts.mostInFlight = Math.max(counts.mostInFlight, inFlight);
	response.on('close', () => (inFlight -= 1));
	let body = '';
	request.setEncoding('utf8');
	request.on('data', (text: string) => (body += text));
	request.on('end', () => {
		const respondNow = (): void => answer(request.url ?? '', body, response);
		if (latencyMs === 0) respondNow();
		else setTimeout(respondNow, latencyMs);
	});
});
server.listen({ host: '127.0.0.1', port: 0 }, () => {
	serve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, (command: ServerCommand) => {
		if (command.latencyMs !== undefined) {
			({ latencyMs, hasFaults = false } = command);
			server.keepAliveTimeout = hasFaults ? 1000 : 60_000;
			counts = { sends: 0, mostInFlight: 0 };
		}
		return counts;
	});
});
