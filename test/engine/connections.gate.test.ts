/** The outcome that the node reports when a connection fails, tested with servers that misbehave. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';

import { generate } from 'selfsigned';

import { startEngine, type Engine } from './engine.ts';
import { byId, errorOf } from './lab.ts';
import { n8nUnderTest } from './n8n-under-test.ts';
import type { Run } from './run.ts';
import type { NodeSettings } from './workflow.ts';

jest.setTimeout(60_000);

const apiKey = 'acc_0123456789abcdef';
const channelId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

let engine: Engine;
let folder: string;
let certificate: { private: string; cert: string };
let server: Server | undefined;
const sockets = new Set<Socket>();

beforeAll(async () => {
	certificate = await generate([{ name: 'commonName', value: 'localhost' }], {
		extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
	});
	folder = await mkdtemp(join(tmpdir(), 'messaging-certificate-'));
	const file = join(folder, 'certificate.pem');
	await writeFile(file, certificate.cert);
	engine = await startEngine({ env: { NODE_EXTRA_CA_CERTS: file } });
}, 60_000);

afterEach(async () => {
	for (const socket of sockets) socket.destroy();
	sockets.clear();
	await new Promise((resolve) => (server === undefined ? resolve(null) : server.close(resolve)));
	server = undefined;
});

afterAll(async () => {
	await engine.stop();
	await rm(folder, { recursive: true, force: true });
});

async function listen(made: Server): Promise<number> {
	server = made;
	made.on('connection', (socket) => {
		sockets.add(socket);
		socket.on('error', () => {});
		socket.on('close', () => sockets.delete(socket));
	});
	await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
	return (made.address() as AddressInfo).port;
}

/** Sends one message, with all retries. */
async function send(
	baseUrl: string,
	options: object = {},
	settings: NodeSettings = {},
	n8n: Engine = engine,
): Promise<Run> {
	return await n8n.run({
		credential: { baseUrl, apiKey },
		node: {
			parameters: {
				resource: 'message',
				operation: 'send',
				channelId: byId(channelId),
				toEmail: 'ada@example.com',
				text: 'Hello',
				options: { ...options },
			},
			onError: 'continueRegularOutput',
			...settings,
		},
	});
}

describe('TLS', () => {
	/** Reads a whole request over TLS, then acts on the connection. */
	async function tlsService(then: (raw: Socket, tls: TLSSocket) => void) {
		const taken: string[] = [];
		const { private: key, cert } = certificate;
		const port = await listen(
			createServer((raw) => {
				const tls = new TLSSocket(raw, { isServer: true, key, cert });
				let text = '';
				tls.on('error', () => {});
				tls.on('data', (chunk: Buffer) => {
					text += chunk.toString();
					if (!text.includes('"text":"Hello"')) return;
					taken.push(text);
					then(raw, tls);
				});
			}),
		);
		return { baseUrl: `https://localhost:${port}`, taken };
	}

	test.each<[what: string, then: (raw: Socket, tls: TLSSocket) => void]>([
		['the stream breaks', (raw) => raw.write('this is no TLS at all')],
		['the connection is reset', (raw) => raw.resetAndDestroy()],
		['it is ended in order', (_, tls) => tls.end()],
	])(
		'once the service has taken the request and %s, nobody knows: sent once, in all tries',
		async (_, then) => {
			const { baseUrl, taken } = await tlsService(then);
			const run = await send(baseUrl, {}, { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 });

			expect(errorOf(run.main[0][0])).toMatchObject({ outcome: 'unknown', statusCode: null });
			expect(taken).toHaveLength(1);
		},
	);

	test('a certificate that nobody vouches for: unsent, and nothing has left', async () => {
		const { baseUrl, taken } = await tlsService(() => {});
		const run = await send(baseUrl.replace('localhost', '127.0.0.1'), { maxTries: 1 });

		expect(errorOf(run.main[0][0])).toMatchObject({ outcome: 'unsent' });
		expect(taken).toEqual([]);
	});

	test('a certificate of an unknown authority: unsent, and the error says how n8n is told of that authority', async () => {
		const { baseUrl, taken } = await tlsService(() => {});
		const strangers = await startEngine({ env: { NODE_EXTRA_CA_CERTS: '' } });
		try {
			const error = errorOf((await send(baseUrl, { maxTries: 1 }, {}, strangers)).main[0][0]);
			expect(error).toMatchObject({
				outcome: 'unsent',
				message: 'The certificate of the service is not trusted',
			});
			expect(error.description).toContain('NODE_EXTRA_CA_CERTS');
			expect(taken).toEqual([]);
		} finally {
			await strangers.stop();
		}
	});

	test('a connection that is closed while TLS is agreed on: unsent', async () => {
		const port = await listen(createServer((socket) => socket.end()));
		const run = await send(`https://localhost:${port}`, { maxTries: 1 });

		expect(errorOf(run.main[0][0])).toMatchObject({ outcome: 'unsent' });
	});
});

describe('a proxy that does not let n8n through: nothing has left', () => {
	test.each<[what: string, answer: (socket: Socket) => void]>([
		['breaks the connection', (socket) => socket.resetAndDestroy()],
		[
			'asks for a login',
			(socket) => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n'),
		],
	])('one that %s', async (what, answer) => {
		const proxy = createHttpServer();
		proxy.on('connect', (_, socket: Socket) => answer(socket));
		const port = await listen(proxy);
		const behindProxy = await startEngine({ env: { HTTPS_PROXY: `http://127.0.0.1:${port}` } });
		try {
			const run = await send('https://messaging.invalid', { maxTries: 1 }, {}, behindProxy);
			const isTold = what === 'asks for a login' || !n8nUnderTest().lacks.includes('cause');
			expect(errorOf(run.main[0][0]).outcome).toBe(isTold ? 'unsent' : 'unknown');
		} finally {
			await behindProxy.stop();
		}
	});
});

test('a body that drips for ever ends with the Timeout, and the connection with it', async () => {
	let closed: () => void = () => {};
	const isClosed = new Promise<void>((resolve) => (closed = resolve));
	const port = await listen(
		createHttpServer((request, response) => {
			request.resume();
			response.writeHead(200, { 'content-type': 'application/json' });
			const drip = setInterval(() => response.write(' '), 100);
			response.on('close', () => {
				clearInterval(drip);
				closed();
			});
		}),
	);
	const run = await send(`http://127.0.0.1:${port}`, { timeout: 1 });

	expect(errorOf(run.main[0][0])).toMatchObject({
		outcome: 'unknown',
		message: 'The service did not answer in time',
	});
	await isClosed;
});

describe('an address at which a web page answers', () => {
	async function webSite(): Promise<string> {
		const port = await listen(
			createHttpServer((request, response) => {
				request.resume();
				response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
				response.end('<!doctype html><title>Welcome</title>');
			}),
		);
		return `http://127.0.0.1:${port}`;
	}

	test('a send is no success: unknown, and the Base URL is to be checked', async () => {
		const error = errorOf((await send(await webSite())).main[0][0]);
		expect(error).toMatchObject({ outcome: 'unknown', statusCode: 200, problem: null });
		expect(error.description).toMatch(/Base URL/);
		expect(JSON.stringify(error)).not.toContain('<');
	});

	test('a menu says so, instead of "No channels yet"', async () => {
		const credential = { baseUrl: await webSite(), apiKey };
		await expect(engine.listSearch('searchChannels', { credential })).rejects.toThrow(/web page/);
	});
});

test('a list of 130,000 records is a success', async () => {
	const records = JSON.stringify(Array.from({ length: 130_000 }, (_, n) => ({ channelId: String(n) })));
	const port = await listen(
		createHttpServer((_, response) => {
			response.writeHead(200, { 'content-type': 'application/json' });
			response.end(records);
		}),
	);
	const run = await engine.run({
		credential: { baseUrl: `http://127.0.0.1:${port}`, apiKey },
		node: { parameters: { resource: 'channel', operation: 'getAll', returnAll: true } },
	});
	expect(run.status).toBe('success');
	// Counted in the text, which need not be parsed.
	expect(run.saved.match(/"channelId"/g)).toHaveLength(130_000);
});
