/** The least that sending can cost in Node.js: undici and a pool of connections, in a process of its own. */
import { Pool } from 'undici';
import { serve } from './serve.ts';

const connections = 128;

/** What to send where. */
export interface UndiciTask {
	url: string;
	bodies: object[];
}

/** How long it took, and the user and system time of the process meanwhile. */
export interface UndiciAnswer {
	durationMs: number;
	cpuMs: number;
}

async function send({ url, bodies }: UndiciTask): Promise<UndiciAnswer> {
	const pool = new Pool(url, { connections, pipelining: 1 });
	const cpuBefore = process.cpuUsage();
	const began = performance.now();
	try {
		await Promise.all(
			bodies.map(async (body) => {
				const response = await pool.request({
					path: '/api/v1/message/SendMessage',
					method: 'POST',
					headers: { 'content-type': 'application/json', 'x-api-key': 'acc_benchmark' },
					body: JSON.stringify(body),
				});
				await response.body.json();
			}),
		);
		const durationMs = performance.now() - began;
		const cpu = process.cpuUsage(cpuBefore);
		return { durationMs, cpuMs: (cpu.user + cpu.system) / 1000 };
	} finally {
		await pool.close();
	}
}

serve(null, send);
