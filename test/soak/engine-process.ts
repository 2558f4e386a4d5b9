/** The process of n8n's engine for the soak, which also measures itself. */
import { getEventListeners, type EventEmitter } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import type { IRunExecutionData } from 'n8n-workflow';
import { Barest } from '../bench/barest-node.ts';
import { collectGarbage, measuresBetween, sample } from '../bench/samples.ts';
import { serve } from '../bench/serve.ts';
import { startExecution } from '../engine/worker/execution.ts';
import { startExpressions } from '../engine/worker/expressions.ts';
import { helperNodes, helperPackage } from '../engine/worker/helper-nodes.ts';
import { core, flatted } from '../engine/worker/n8n.ts';
import { loadPackages } from '../engine/worker/packages.ts';
import {
	messagingNode,
	nodeName,
	startName,
	startNode,
	storedCredential,
	workflow,
} from '../engine/workflow.ts';
import type { Holdings, RunReport, RunTask, Task } from './protocol.ts';

helperNodes['barest'] = new Barest();
const packages = await loadPackages([process.cwd()]);
await startExpressions('vm');

/** The abort signal of the latest execution, which n8n passes to the node. */
let signal: AbortSignal | undefined;
const { prototype } = core.WorkflowExecute;
const processRun = prototype.processRunExecutionData;
prototype.processRunExecutionData = function (this: InstanceType<typeof core.WorkflowExecute>, ...args) {
	signal = (this as unknown as { abortController: AbortController }).abortController.signal;
	return processRun.apply(this, args);
};

async function run(task: RunTask): Promise<RunReport> {
	const { url, apiKey, parameters, settings = {}, stopAfterMs } = task;
	const type = task.node === 'barest' ? { type: `${helperPackage}.barest` } : {};
	const sampling = sample();
	const execution = startExecution(packages, {
		workflow: workflow(
			[startNode(), { ...messagingNode(parameters, settings), ...type }],
			[[startName, nodeName]],
		),
		credentials: [storedCredential({ baseUrl: url, apiKey })],
		mode: 'trigger',
		start: startName,
		items: Array.from({ length: task.items }, (_, n) => ({
			json: { name: `Customer ${n}`, email: `customer-${n}@example.com`, id: idOf(n) },
		})),
	});
	const { signal: itsSignal } = { signal };
	if (stopAfterMs !== undefined) await sleep(stopAfterMs).then(() => execution.cancel());
	const { status, saved } = await execution.report;
	// A stopped execution finishes only after n8n has saved it.
	if (stopAfterMs !== undefined) await sleep(100);
	const samples = sampling.end();
	const data = flatted.parse(saved) as IRunExecutionData;
	const record = data.resultData.runData[nodeName]?.at(-1);
	const items = record?.data?.['main']?.flatMap((output) => output ?? []) ?? [];
	const failed = items.filter(({ json }) => json['error'] !== undefined).length;
	return {
		status,
		done: items.length - failed,
		failed,
		...(status === 'success' && record !== undefined
			? {
					durationMs: record.executionTime,
					measures: measuresBetween(samples, record.startTime, record.startTime + record.executionTime),
				}
			: {}),
		listeners: itsSignal === undefined ? 0 : getEventListeners(itsSignal, 'abort').length,
	};
}

/** A UUID of a made-up entry. */
function idOf(n: number): string {
	return `e0e0e0e0-0000-4000-8000-${String(n).padStart(12, '0')}`;
}

/** Objects that live as long as the process. */
const longLived: Record<string, EventEmitter> = {
	process,
	'http agent': http.globalAgent,
	'https agent': https.globalAgent,
};

async function holdings(): Promise<Holdings> {
	// Finalizers run in later turns, and free more.
	for (let round = 0; round < 3; round++) {
		collectGarbage();
		await sleep(20);
	}
	const resources: Record<string, number> = {};
	for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1;
	const listeners = Object.fromEntries(
		Object.entries(longLived).flatMap(([name, emitter]) =>
			emitter
				.eventNames()
				.map((event) => [`${name} ${String(event)}`, emitter.listenerCount(event)] as const),
		),
	);
	return { heapBytes: getHeapStatistics().used_heap_size, resources, listeners };
}

serve(null, async (task: Task) => (task.kind === 'run' ? await run(task) : await holdings()));
