/**
 * Preloaded into n8n's process: looks at event loop, heap and CPU all the time, at little cost, and hands over what
 * it saw when the benchmark asks.
 */
import { createServer } from 'node:http';
import { PerformanceObserver } from 'node:perf_hooks';
import { setFlagsFromString, getHeapStatistics } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import { samplerPort, turnEveryMs, type Look, type Samples } from './samples.ts';

const lookEveryMs = 20;
const shortestStallMs = 2 * turnEveryMs;

function look(): Look {
	const { user, system } = process.cpuUsage();
	return {
		at: Date.now(),
		heapBytes: getHeapStatistics().used_heap_size,
		cpuMs: (user + system) / 1000,
	};
}

function sample(port: number): void {
	// Node.js takes --expose-gc on the command line only, and that is n8n's.
	setFlagsFromString('--expose-gc');
	const collectGarbage = runInNewContext('gc') as () => void;
	let samples: Samples = { heapBeforeBytes: 0, looks: [], stalls: [], collections: [] };

	let lastTurn = Date.now();
	let lastLook = 0;
	setInterval(() => {
		const now = Date.now();
		if (now - lastTurn > shortestStallMs) samples.stalls.push({ from: lastTurn, to: now });
		if (now - lastLook >= lookEveryMs) {
			samples.looks.push(look());
			lastLook = now;
		}
		lastTurn = now;
	}, turnEveryMs).unref();

	new PerformanceObserver((list) => {
		for (const { startTime, duration } of list.getEntries()) {
			const from = performance.timeOrigin + startTime;
			samples.collections.push({ from, to: from + duration });
		}
	}).observe({ type: 'gc' });

	const server = createServer((request, response) => {
		if (request.url === '/begin') {
			collectGarbage();
			const first = look();
			samples = { heapBeforeBytes: first.heapBytes, looks: [first], stalls: [], collections: [] };
			response.end('{}');
		} else {
			samples.looks.push(look());
			response.end(JSON.stringify(samples));
		}
	});
	server.listen(port, '127.0.0.1').unref();
}

// The guard that starts n8n has the same environment, and n8n's threads load the same modules.
if (isMainThread && process.argv[2] === 'start') {
	// n8n's own children are not to be sampled.
	delete process.env.NODE_OPTIONS;
	sample(Number(process.env[samplerPort]));
}
