/**
 * The bare service that benchmark and soak send to: it answers after a fixed time, with as little work as possible, and
 * counts. For the soak it has every kind of fault, at fixed counts, so that each run is the same.
 */
import { createServer, type ServerResponse } from 'node:http';
import { listening, type RawServer } from '../raw-server.mts';

/** Large enough never to limit anyone. */
const plan = JSON.stringify({ name: 'Benchmark', resourcePlan: { limit: 1_000_000, seconds: 1 } });

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

/** The service, which runs in this process: it only waits while others are measured. */
export class Loopback {
	/** How many requests that send a message have come since it began. */
	sends = 0;
	/** The most requests that were open at once since then. */
	mostInFlight = 0;
	#raw: RawServer | undefined;
	#latencyMs = 0;
	#hasFaults = false;
	#requests = 0;
	#inFlight = 0;

	readonly #server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
		this.#inFlight += 1;
		this.mostInFlight = Math.max(this.mostInFlight, this.#inFlight);
		response.on('close', () => (this.#inFlight -= 1));
		let body = '';
		request.setEncoding('utf8');
		request.on('data', (text: string) => (body += text));
		request.on('end', () => {
			const respondNow = (): void => this.#answer(request.url ?? '', body, response);
			if (this.#latencyMs === 0) respondNow();
			else setTimeout(respondNow, this.#latencyMs);
		});
	});

	async start(): Promise<void> {
		this.#raw = await listening(this.#server);
	}

	get url(): string {
		return `http://127.0.0.1:${this.#raw?.port}`;
	}

	/** Begins to count anew, with this latency, and with faults if wanted. */
	begin(latencyMs: number, hasFaults = false): void {
		this.#latencyMs = latencyMs;
		this.#hasFaults = hasFaults;
		this.#server.keepAliveTimeout = hasFaults ? 1000 : 60_000;
		[this.sends, this.mostInFlight] = [0, 0];
	}

	stop(): void {
		void this.#raw?.close();
	}

	#answer(url: string, body: string, response: ServerResponse): void {
		if (url.endsWith('/Me')) return respond(response, plan);
		this.#requests += 1;
		const isSend = url.endsWith('/SendMessage');
		if (isSend) this.sends += 1;
		const fault = this.#hasFaults ? faults.find(([every]) => this.#requests % every === 0) : undefined;
		if (fault !== undefined) return fault[1](response);
		if (!isSend) return respond(response, body === '' ? '[]' : body);
		const sent = JSON.parse(body) as Record<string, unknown>;
		const content = { ...(sent['content'] as object), messageId: String(this.sends) };
		respond(response, JSON.stringify({ ...sent, content }));
	}
}

function respond(response: ServerResponse, body: string, status = 200, type = 'application/json'): void {
	response.writeHead(status, { 'content-type': `${type}; charset=utf-8` }).end(body);
}

function drip(response: ServerResponse): void {
	response.writeHead(200, { 'content-type': 'application/json' });
	const drips = setInterval(() => response.write(' '), 100);
	response.on('close', () => clearInterval(drips));
}
