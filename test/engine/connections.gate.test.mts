/** What the fault matrix can't show: proxies, and a very long list. */
import type { Socket } from 'node:net';

import { startEngine } from './engine.mts';
import { errorOf, useLab } from './lab.mts';
import { serve } from '../serve.mts';
import { n8nUnderTest } from './n8n-under-test.mts';

const lab = useLab();

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
			const run = await behindProxy.run({
				credential: { ...lab.credential, baseUrl: 'https://messaging.invalid' },
				node: {
					parameters: lab.send({ maxTries: 1 }, { toEmail: 'ada@example.com', text: 'Hello' }),
					onError: 'continueRegularOutput',
				},
			});
			const isTold = what === 'asks for a login' || !n8nUnderTest().lacks.includes('cause');
			expect(errorOf(run.main[0][0]).outcome).toBe(isTold ? 'unsent' : 'unknown');
		} finally {
			await behindProxy.stop();
		}
	});
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
