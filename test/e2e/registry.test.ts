/** @jest-environment node */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ensureN8n } from '../../harness/n8n/install.ts';
import { findNode24 } from '../../harness/n8n/node24.ts';
import { registryPatience, requireRegistry } from '../../harness/n8n/registry.ts';
import { passLimit, takeTheClock } from './own-time.ts';

/** Short, so that a registry that never answers does not take the real time here. */
const patience = { answerMs: 3_000, altogetherMs: 60_000 };
const servers: Server[] = [];
const sockets: Socket[] = [];
let folder = '';
let log = '';

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'registry-test-'));
	log = join(folder, 'npm.log');
	writeFileSync(
		join(folder, 'package.json'),
		'{ "name": "wants-n8n", "private": true, "dependencies": { "n8n": "0.0.0" } }',
	);
});

afterEach(async () => {
	jest.useRealTimers();
	for (const name of Object.keys(process.env)) {
		if (/^npm_config_(registry|noproxy|loglevel|fetch_.*)$/.test(name))
			Reflect.deleteProperty(process.env, name);
	}
	for (const server of servers.splice(0)) {
		await new Promise((done) => {
			server.close(done);
			for (const socket of sockets.splice(0)) socket.destroy();
		});
	}
	rmSync(folder, { recursive: true, force: true });
});

/** Listens, and makes npm take the address for its registry, as a person does in an .npmrc. */
async function configure(server: Server): Promise<void> {
	servers.push(server);
	server.on('connection', (socket: Socket) => sockets.push(socket));
	await new Promise<void>((done) => {
		server.listen(0, '127.0.0.1', done);
	});
	process.env['npm_config_registry'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
	process.env['NO_PROXY'] = '127.0.0.1';
}

/** A registry that answers every request in one way. */
const registry = (answer: RequestListener): Promise<void> => configure(createServer(answer));

/** An address at which nothing listens. */
async function refuse(): Promise<void> {
	const server = createTcpServer();
	await configure(server);
	servers.splice(servers.indexOf(server), 1);
	await new Promise((done) => {
		server.close(done);
	});
}

const look = (): Promise<void> => requireRegistry({ cwd: folder, node: findNode24(), log }, patience);

describe('a registry that cannot be reached is said before anything is fetched', () => {
	test('one that refuses connections', async () => {
		await refuse();
		await expect(look()).rejects.toThrow(/^Nothing was fetched: the npm registry .*\(ECONNREFUSED\).*$/);
	});

	test('one that takes connections and never answers', async () => {
		await registry(() => undefined);
		await expect(look()).rejects.toThrow(/registry could not be reached \(no answer\)/);
	});

	test('one to which npm never gets as far as a request', async () => {
		// npm would wait for the end of the handshake for as long as the connection is there.
		let connect: (() => void) | undefined;
		const connected = new Promise<void>((resolve) => {
			connect = resolve;
		});
		await configure(createTcpServer(() => connect?.()));
		process.env['npm_config_registry'] = process.env['npm_config_registry']?.replace('http:', 'https:');
		takeTheClock();
		const looking = requireRegistry({ cwd: folder, node: findNode24(), log });
		await connected;
		passLimit(registryPatience.altogetherMs);
		await expect(looking).rejects.toThrow(/registry could not be reached \(no answer\)/);
	});

	test('within ten seconds', () => {
		expect(registryPatience.altogetherMs).toBeLessThan(10_000);
		expect(registryPatience.answerMs).toBeLessThan(registryPatience.altogetherMs);
	});

	test.each([
		['refuses connections', refuse, 'ECONNREFUSED'],
		[
			'takes connections and never answers',
			async () => {
				await registry(() => undefined);
			},
			'no answer',
		],
	])('by the installation of n8n, which does not start then: one that %s', async (_what, lead, cause) => {
		await lead();
		const written: string[] = [];
		const output = { write: (text: string) => written.push(text) };
		const error: unknown = await ensureN8n({ folder, output, patience }).catch((thrown: unknown) => thrown);
		expect(error).toMatchObject({ name: 'SetupProblem' });
		expect(String(error)).toMatch(
			/^SetupProblem: Nothing was fetched: the npm registry could not be reached \([\w ]+\): check the network, the proxy and "npm config get registry"\. The whole output is in \S+n8n-install\.log$/,
		);
		expect(String(error)).toContain(`(${cause})`);
		expect(written).toStrictEqual([]);
	});
});

describe('a registry that answers is left to the installation', () => {
	test.each([
		['all is well', 200],
		['knows no ping', 404],
		['wants a login', 401],
		['is out of order', 503],
	])('one that %s', async (_what, status) => {
		await registry((_request, response) => {
			response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
		});
		await look();
		expect(readFileSync(log, 'utf8')).toContain('$ npm ping');
	});

	test('one that is slow', async () => {
		const waiting = new Promise((done) => setTimeout(done, patience.answerMs / 2));
		await registry((_request, response) => {
			void waiting.then(() => response.end('{}'));
		});
		await expect(look()).resolves.toBeUndefined();
	});
});

test('a registry that goes away in the middle is asked again a few times, then given up', async () => {
	let asked = 0;
	await registry((request, response) => {
		asked += 1;
		if (request.url?.startsWith('/-/ping') === true) response.end('{}');
		else request.socket.destroy();
	});
	const installing = ensureN8n({ folder, output: { write: () => undefined }, patience });
	await expect(installing).rejects.toThrow(/^Failed while installing n8n: .*registry could not be reached/);
	// The look, the first try of one package, and what npm is told to repeat.
	expect(asked).toBe(1 + 1 + 3);
});

test('a registry that stops to answer in the middle is given up too', async () => {
	process.env['npm_config_fetch_timeout'] = '300';
	process.env['npm_config_fetch_retry_mintimeout'] = '1';
	process.env['npm_config_fetch_retry_maxtimeout'] = '1';
	let asked = 0;
	await registry((request, response) => {
		asked += 1;
		if (request.url?.startsWith('/-/ping') === true) response.end('{}');
	});
	const installing = ensureN8n({ folder, output: { write: () => undefined }, patience });
	await expect(installing).rejects.toThrow(/registry could not be reached \(no answer\)/);
	expect(asked).toBe(1 + 1 + 3);
});
