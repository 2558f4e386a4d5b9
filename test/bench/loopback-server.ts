/**
 * The bare service that all contestants send to, in a separate process: it answers after a fixed time, with as little
 * work as possible, and counts.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServerCommand, ServerCounts } from './loopback.ts';
import { serve } from './serve.ts';

/** Large enough never to limit a contestant. */
const plan = { limit: 1_000_000, seconds: 1 };

let latencyMs = 0;
let counts = fresh();

function fresh(): ServerCounts {
	return { sends: 0, mostInFlight: 0 };
}

function answerTo(url: string, body: string): string {
	if (url.endsWith('/Me')) return JSON.stringify({ name: 'Benchmark', resourcePlan: plan });
	counts.sends += 1;
	const sent = JSON.parse(body) as Record<string, unknown>;
	const content = { ...(sent['content'] as object), messageId: String(counts.sends) };
	return JSON.stringify({ ...sent, content });
}

let inFlight = 0;

function receive(request: IncomingMessage, response: ServerResponse): void {
	inFlight += 1;
	counts.mostInFlight = Math.max(counts.mostInFlight, inFlight);
	response.on('close', () => (inFlight -= 1));
	let body = '';
	request.setEncoding('utf8');
	request.on('data', (text: string) => (body += text));
	request.on('end', () => {
		const respond = (): void => {
			response.setHeader('content-type', 'application/json; charset=utf-8');
			response.end(answerTo(request.url ?? '', body));
		};
		if (latencyMs === 0) respond();
		else setTimeout(respond, latencyMs);
	});
}

const server = createServer({ keepAliveTimeout: 60_000 }, receive);
server.listen({ host: '127.0.0.1', port: 0 }, () => {
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	serve(url, (command: ServerCommand): ServerCounts => {
		if (command.kind === 'begin') {
			({ latencyMs } = command);
			counts = fresh();
		}
		return counts;
	});
});
