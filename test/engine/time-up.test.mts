/** A call whose time is up before n8n has a connection. */
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { connect, type Socket } from 'node:net';

import { useDeliveryLab } from './delivery-lab.mts';
import { errorOf, once as onlyOnce } from './lab.mts';
import { n8nUnderTest } from './n8n-under-test.mts';

const lab = useDeliveryLab({ fastClock: 60 });
/** Listens, and takes no connection: those beyond the first few stay as they are. */
const DEAF = `
	const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
		require('node:fs').writeSync(1, String(server.address().port));
		Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
	});`;

const tells = n8nUnderTest().lacks.includes('cause') ? test.skip : test;

tells('without a connection, nothing was sent', async () => {
	const child = spawn(process.execPath, ['-e', DEAF], { stdio: ['ignore', 'pipe', 'inherit'] });
	const sockets: Socket[] = [];
	try {
		const [port] = (await once(child.stdout, 'data')) as [Buffer];
		const url = `http://127.0.0.1:${port.toString()}`;
		// Until one is not accepted any more.
		for (let isFull = false; !isFull && sockets.length < 20;) {
			const socket = connect(Number(port.toString()), '127.0.0.1').on('error', () => {});
			sockets.push(socket);
			isFull = await Promise.race([
				once(socket, 'connect').then(() => false),
				new Promise<boolean>((resolve) => setTimeout(() => resolve(true), 300)),
			]);
		}
		const run = await lab.execute(lab.send({ ...onlyOnce, keepToPlan: false, timeout: 40 }), {
			items: [{ to: 'ada@example.com', text: 'Hello' }],
			credential: { ...lab.credential, baseUrl: url },
			settings: { onError: 'continueRegularOutput' },
		});
		expect(errorOf(run.main[0][0])).toMatchObject({
			outcome: 'unsent',
			message: expect.stringContaining('no connection was made in time') as unknown,
		});
	} finally {
		for (const socket of sockets) socket.destroy();
		child.kill('SIGKILL');
	}
});
