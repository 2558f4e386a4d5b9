/** A proxy between n8n and a service that speaks https: it opens a tunnel (CONNECT), or refuses to. */
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { certificateOf, listening } from '../raw-server.mts';
import { eventually } from '../waiting.mts';
import { type Engine, startEngine } from './engine.mts';
import { errorOf, useLab } from './lab.mts';
import { n8nUnderTest } from './n8n-under-test.mts';

const lab = useLab();
const host = 'messaging.invalid';
const json = { 'content-type': 'application/json' };
const closing: Array<() => unknown> = [];
let behindProxy: Engine;
/** What the proxy answers to CONNECT; '' opens the tunnel. */
let refusal: string | ((socket: Socket) => void) = '';
/** How many more it refuses. */
let refusals = Infinity;
/** How often n8n asked for a tunnel. */
let asked = 0;
/** What the service answers to everything but `/Me`, and what it got. */
let answer: { status: number; headers?: Record<string, string>; body: object | 'endless' } = {
	status: 200,
	body: {},
};
/** Endless answers that still arrive. */
let open = 0;
let arrived: string[] = [];

async function listen(server: Server): Promise<number> {
	const { port, close } = await listening(server);
	closing.push(close);
	return port;
}

beforeAll(async () => {
	const certificate = await certificateOf(host);
	const folder = await mkdtemp(join(tmpdir(), 'messaging-proxies-'));
	closing.push(async () => await rm(folder, { recursive: true }));
	await writeFile(join(folder, 'service.pem'), certificate.cert);
	const service = createTlsServer(certificate, (request, response) => {
		const isMe = request.url === '/api/v1/Me';
		if (!isMe) arrived.push(String(request.url));
		const { status, headers, body } = isMe ? { status: 200, headers: {}, body: {} } : answer;
		request.resume().on('end', () => {
			response.writeHead(status, { ...json, ...headers });
			if (body !== 'endless') return void response.end(JSON.stringify(body));
			open += 1;
			response.write('{"title":"');
			const drip = setInterval(() => response.write('x'.repeat(1000)), 10);
			response.on('close', () => {
				open -= 1;
				clearInterval(drip);
			});
		});
	});
	const port = await listen(service);
	const proxy = createServer();
	proxy.on('connect', (_request, client: Socket, head: Buffer) => {
		asked += 1;
		client.on('error', () => {});
		if (refusal !== '' && asked <= refusals) {
			if (typeof refusal === 'string') client.end(refusal);
			else refusal(client);
			return;
		}
		const tunnel = connect(port, '127.0.0.1', () => {
			client.write('HTTP/1.1 200 Connection established\r\n\r\n');
			tunnel.write(head);
			tunnel.pipe(client).pipe(tunnel);
		});
		tunnel.on('error', () => client.destroy());
		// A client that resets its connection, because data is left in it, ends no pipe.
		client.on('close', () => tunnel.destroy());
		closing.push(() => tunnel.destroy());
	});
	const proxyUrl = `http://127.0.0.1:${await listen(proxy)}`;
	behindProxy = await startEngine({
		fastClock: 30,
		env: { HTTPS_PROXY: proxyUrl, NO_PROXY: '', NODE_EXTRA_CA_CERTS: join(folder, 'service.pem') },
	});
});

beforeEach(() => {
	[refusal, refusals, asked, arrived, answer] = ['', Infinity, 0, [], { status: 200, body: {} }];
});

afterAll(async () => {
	await behindProxy.stop();
	for (const close of closing.reverse()) await close();
});

/** Sends one message through the proxy, without asking for the plan first. */
async function send(options = {}) {
	return await behindProxy.run({
		credential: { ...lab.credential, baseUrl: `https://${host}` },
		node: {
			parameters: lab.send(
				{ maxTries: 1, keepToPlan: false, ...options },
				{ toEmail: 'ada@example.com', text: 'Hello' },
			),
			onError: 'continueRegularOutput',
		},
	});
}

const page = '<html><title>Proxy error</title></html>';
const refusing = (status: number, headers = '', body = page): string =>
	`HTTP/1.1 ${status} No\r\nContent-Type: text/html\r\n${headers}\r\n${body}`;

const shows = n8nUnderTest().lacks.includes('cause') ? describe.skip : describe;

shows('a proxy that opens no tunnel: nothing was sent, and neither key nor service is to blame', () => {
	test.each([502, 503, 504, 403, 407])('%i', async (status) => {
		for (const given of [
			refusing(status),
			refusing(status, `Content-Length: ${page.length}\r\nRetry-After: 1\r\n`),
			// The rest of the page comes in a packet that n8n does not wait for.
			refusing(status, 'Content-Length: 4000\r\n'),
			refusing(status, 'Content-Encoding: gzip\r\n', gzipSync(page).toString('latin1')),
			refusing(status, 'Content-Length: 0\r\n', ''),
		]) {
			refusal = given;
			const error = errorOf((await send()).main[0][0]);
			expect(error).toMatchObject({ outcome: 'unsent', statusCode: null, problem: null });
			expect(error.message).toContain(`proxy in front of n8n refused the connection (${status})`);
			expect(`${error.message} ${error.description}`).not.toMatch(/\bkey\b/i);
			expect(error.description).toMatch(/Base URL.*administrator.*HTTPS_PROXY/);
		}
		expect(arrived).toEqual([]);
	});

	test('it is tried again, as a connection that could not be made', async () => {
		[refusal, refusals] = [refusing(503), 1];
		const [sent] = (await send({ maxTries: 2 })).json;
		expect(sent).toHaveProperty('packageId');
		expect([asked, arrived]).toEqual([2, ['/api/v1/message/SendMessage']]);
	});

	test('one that breaks the connection', async () => {
		refusal = (socket) => socket.resetAndDestroy();
		expect(errorOf((await send()).main[0][0]).outcome).toBe('unsent');
	});
});

describe('through an open tunnel, the answers are those of the service', () => {
	test.each([502, 503, 504])('%i is in doubt', async (status) => {
		answer = { status, body: { title: 'No', detail: `Because of ${status}` } };
		const error = errorOf((await send()).main[0][0]);
		expect(error).toMatchObject({
			outcome: 'unknown',
			statusCode: status,
			message: `No: Because of ${status}`,
		});
		expect(arrived).toHaveLength(1);
	});

	test.each([200, 302, 407, 502])(
		'one with %i that takes longer than Timeout is not read on: its connection is closed',
		async (status) => {
			answer = { status, body: 'endless' };
			const error = errorOf((await send({ timeout: 10 })).main[0][0]);
			expect(error).toMatchObject({ outcome: 'unknown', message: 'The service did not answer in time' });
			expect(arrived).toHaveLength(1);
			await eventually(async () => open === 0, 'the end of the connection');
		},
	);

	test('a success is one', async () => {
		expect((await send()).json[0]).toHaveProperty('packageId');
	});
});
