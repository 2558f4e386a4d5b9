/**
 * The samples of n8n's process, and the part of them that belongs to one node's run. Preloaded into n8n's process, it
 * takes samples during a measured run, and serves them over HTTP.
 */
import { createServer } from 'node:http';
import { setFlagsFromString, getHeapStatistics } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

/** The interval of event loop checks, which is also the resolution of a stall. */
const turnEveryMs = 2;
const shortestStallMs = 2 * turnEveryMs;
const lookEveryMs = 20;

/** The environment variable with the sampler's port. */
export const samplerPort = 'MESSAGING_BENCH_SAMPLER_PORT';

/** One sample. Times are those of `Date.now()`, which n8n writes into executions as well. */
interface Look {
	at: number;
	heapBytes: number;
	/** User and system time of the whole process until now. */
	cpuMs: number;
}

/** The samples since the sampler was started. */
export interface Samples {
	/** Heap in use at the beginning, after a garbage collection. */
	heapBeforeBytes: number;
	looks: Look[];
	/** When the event loop did not turn. */
	stalls: Array<{ from: number; to: number }>;
}

/** What a run cost n8n's process. */
export interface Measures {
	/** The longest time during which the event loop did not turn. */
	longestStallMs: number;
	/** Heap in use at its highest, above what was in use before the execution began. */
	peakHeapBytes: number;
	/** User and system time of the whole process. */
	cpuMs: number;
}

/** Collects this process's garbage. Node.js takes --expose-gc on the command line only. */
export function collectGarbage(): void {
	setFlagsFromString('--expose-gc');
	(runInNewContext('gc') as () => void)();
}

function look(): Look {
	const { user, system } = process.cpuUsage();
	return { at: Date.now(), heapBytes: getHeapStatistics().used_heap_size, cpuMs: (user + system) / 1000 };
}

/** Samples event loop, heap and CPU of this process at little cost, until `end` is called. */
export function sample(): { end: () => Samples } {
	collectGarbage();
	const first = look();
	const samples: Samples = { heapBeforeBytes: first.heapBytes, looks: [first], stalls: [] };
	let [lastTurn, lastLook] = [Date.now(), 0];
	const turn = (): void => {
		const now = Date.now();
		if (now - lastTurn > shortestStallMs) samples.stalls.push({ from: lastTurn, to: now });
		if (now - lastLook >= lookEveryMs) {
			samples.looks.push(look());
			lastLook = now;
		}
		lastTurn = now;
	};
	const watch = setInterval(turn, turnEveryMs).unref();
	return {
		end: () => {
			clearInterval(watch);
			// The last stall may last until now.
			turn();
			samples.looks.push(look());
			return samples;
		},
	};
}

/** The measures between two moments, so that n8n's work before and after the run does not count. */
export function measuresBetween(samples: Samples, from: number, to: number): Measures {
	const { heapBeforeBytes, looks, stalls } = samples;
	const first = looks.findLast(({ at }) => at <= from);
	const last = looks.find(({ at }) => at >= to);
	if (first === undefined || last === undefined) throw new Error('The sampler did not see the whole run');
	const inside = looks.filter(({ at }) => at >= first.at && at <= last.at);
	const lengths = stalls.map((stall) => Math.min(stall.to, to) - Math.max(stall.from, from));
	return {
		longestStallMs: Math.max(turnEveryMs, ...lengths),
		peakHeapBytes: Math.max(...inside.map(({ heapBytes }) => heapBytes)) - heapBeforeBytes,
		cpuMs: last.cpuMs - first.cpuMs,
	};
}

// The guard that starts n8n has the same environment, and n8n's threads load the same modules.
const port = process.env[samplerPort];
if (port !== undefined && isMainThread && process.argv[2] === 'start') {
	// n8n's own children are not to be sampled.
	delete process.env.NODE_OPTIONS;
	let sampling = sample();
	const server = createServer((request, response) => {
		const samples = sampling.end();
		if (request.url === '/begin') sampling = sample();
		response.end(JSON.stringify(samples));
	});
	server.listen(Number(port), '127.0.0.1').unref();
}
