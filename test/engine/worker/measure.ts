/** Watches what an execution costs the process it runs in. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import type { Measures } from '../protocol.ts';

const sampleEveryMs = 5;

/** Starts watching; the function it gives stops and tells. */
export function watch(): () => Promise<Measures> {
	globalThis.gc?.();
	const heapBefore = getHeapStatistics().used_heap_size;
	let heapPeak = heapBefore;
	const lookAtHeap = () => {
		heapPeak = Math.max(heapPeak, getHeapStatistics().used_heap_size);
	};
	const sampler = setInterval(lookAtHeap, sampleEveryMs);
	const delay = monitorEventLoopDelay({ resolution: 1 });
	delay.enable();
	const cpuBefore = process.cpuUsage();

	return async () => {
		const cpu = process.cpuUsage(cpuBefore);
		lookAtHeap();
		clearInterval(sampler);
		// A stall that is just over is recorded when the loop turns again.
		await turn();
		await turn();
		delay.disable();
		return {
			longestStallMs: delay.count === 0 ? 0 : delay.max / 1e6,
			peakHeapBytes: heapPeak - heapBefore,
			cpuMs: (cpu.user + cpu.system) / 1000,
		};
	};
}
