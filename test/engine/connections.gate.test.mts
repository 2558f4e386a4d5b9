/** What the fault matrix can't show: proxies, a connection that has to be closed, and a very long list. */
import type { Socket } from 'node:net';

import { startEngine, type Engine } from './engine.mts';
import { byId, errorOf, serve, useLab } from './lab.mts';
import { n8nUnderTest } from './n8n-under-test.mts';
import type { Run } from './run.mts';

const lab = useLab();

async function send(baseUrl: string, options: object, engine: Engine = lab.engine): Promise<Run> {
	return await engine.run({
		credential: { ...lab.credential, baseUrl },
		node: {
			parameters: {
				resource: 'message',
				operation: 'send',
				channelId: byId(lab.channelId('Support E-mail')),
				toEmail: 'ada@example.com',
				text: 'Hello',
				options: { ...options },
			},
			onError: 'continueRegularOutput',
		},
	});
}

describe('a proxy that does not let n8n through: nothing has left', () => {
	test.each<[what: string, answer: (socket: Socket) => void]>([
		['breaks the connection', (socket) => socket.resetAndDestroy()],
		[
			'asks for a login',
			(socket) => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n'),
		],
	])('one that %s', async (what, answer) => {
		const { server, url } = await serve();
		server.on('connect', (_, socket: Socket) => answer(socket));
		const behindProxy = await startEngine({ env: { HTTPS_PROXY: url } });
		try {
			const run = await send('https://messaging.invalid', { maxTries: 1 }, behindProxy);
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
	const { url } = await serve((request, response) => {
		request.resume();
		response.writeHead(200, { 'content-type': 'application/json' });
		const drip = setInterval(() => response.write(' '), 100);
		response.on('close', () => {
			clearInterval(drip);
			closed();
		});
	});
	const run = await send(url, { timeout: 1 });

	expect(errorOf(run.main[0][0])).toMatchObject({
		outcome: 'unknown',
		message: 'The service did not answer in time',
	});
	await isClosed;
});

test('a list of 130,000 records is a success', async () => {
	const records = JSON.stringify(Array.from({ length: 130_000 }, (_, n) => ({ channelId: String(n) })));
	const { url } = await serve((_, response) => {
		response.writeHead(200, { 'content-type': 'application/json' });
		response.end(records);
	});
	const run = await lab.execute(
		{ resource: 'channel', operation: 'getAll', returnAll: true },
		{ credential: { ...lab.credential, baseUrl: url } },
	);
	expect(run.status).toBe('success');
	// Counted in the text, which need not be parsed.
	expect(run.saved.match(/"channelId"/g)).toHaveLength(130_000);
});
