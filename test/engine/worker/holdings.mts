/** What this process holds when nothing runs in it. */
import type { EventEmitter } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { collectGarbage } from '../../bench/samples.mts';
import type { Holdings } from '../protocol.mts';
import { listenersOfLatest } from './execution.mts';

/** Objects that live as long as the process. */
const longLived: Record<string, EventEmitter> = { process, http: http.globalAgent, https: https.globalAgent };

/** Collects garbage, and counts what is left. */
export async function holdings(): Promise<Holdings> {
	// Finalizers run in later turns, and free more.
	for (let round = 0; round < 3; round++) {
		collectGarbage();
		await sleep(20);
	}
	const held: Record<string, number> = {};
	for (const kind of process.getActiveResourcesInfo()) held[kind] = (held[kind] ?? 0) + 1;
	for (const [name, emitter] of Object.entries(longLived)) {
		for (const event of emitter.eventNames()) {
			held[`${name} ${String(event)}`] = emitter.listenerCount(event);
		}
	}
	return { heapBytes: getHeapStatistics().used_heap_size, held, listeners: listenersOfLatest() };
}
