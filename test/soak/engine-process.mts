/** The process of n8n's engine for the soak, which also measures itself. */
import { getEventListeners, type EventEmitter } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import type { INodeParameters, IRunExecutionData } from 'n8n-workflow';
import { Barest } from '../bench/barest-node.mts';
import { collectGarbage, measuresBetween, sample, type Measures } from '../bench/samples.mts';
import { serve } from '../bench/child.mts';
import { startExecution } from '../engine/worker/execution.mts';
import { startExpressions } from '../engine/worker/expressions.mts';
import { helperNodes, helperPackage } from '../engine/worker/helper-nodes.mts';
import { core, flatted } from '../engine/worker/n8n.mts';
import { loadPackages } from '../engine/worker/packages.mts';
import {
	messagingNode,
	nodeName,
	startName,
	startNode,
	storedCredential,
	workflow,
	type NodeSettings,
} from '../engine/workflow.mts';

/** One execution of a single node over made-up items. */
export interface RunTask {
	/** This package's node, or the barest one. */
	node: 'this' | 'barest';
	url: string;
	apiKey: string;
	/** The number of items, each with a different recipient and text. */
	items: number;
	parameters: INodeParameters;
	settings?: NodeSettings;
	/** When to stop the execution, in milliseconds; never unless given. */
	stopAfterMs?: number;
}

/** How an execution ended. */
export interface RunReport {
	/** The number of items that succeeded. */
	done: number;
	/** For a success: the node's time as recorded by n8n, and the cost to the process. */
	durationMs: number;
	measures?: Measures;
	/** Listeners on the execution's abort signal after its end. */
	listeners: number;
}

/** What a process holds after garbage collection. */
export interface Holdings {
	heapBytes: number;
	/** Open sockets, timers and the like, and listeners on objects that live as long as the process, by kind. */
	held: Record<string, number>;
}

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
			json: {
				name: `Customer ${n}`,
				email: `customer-${n}@example.com`,
				id: `e0e0e0e0-0000-4000-8000-${String(n).padStart(12, '0')}`,
			},
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
	const { startTime = NaN, executionTime = NaN } = record ?? {};
	return {
		done: items.filter(({ json }) => json['error'] === undefined).length,
		durationMs: executionTime,
		...(status === 'success' && { measures: measuresBetween(samples, startTime, startTime + executionTime) }),
		listeners: itsSignal === undefined ? 0 : getEventListeners(itsSignal, 'abort').length,
	};
}

async function holdings(): Promise<Holdings> {
	// Finalizers run in later turns, and free more.
	for (let round = 0; round < 3; round++) {
		collectGarbage();
		await sleep(20);
	}
	const held: Record<string, number> = {};
	for (const kind of process.getActiveResourcesInfo()) held[kind] = (held[kind] ?? 0) + 1;
	// Objects that live as long as the process.
	const longLived: Record<string, EventEmitter> = {
		process,
		http: http.globalAgent,
		https: https.globalAgent,
	};
	for (const [name, emitter] of Object.entries(longLived)) {
		for (const event of emitter.eventNames()) {
			held[`${name} ${String(event)}`] = emitter.listenerCount(event);
		}
	}
	return { heapBytes: getHeapStatistics().used_heap_size, held };
}

serve(null, async (task: RunTask | 'holdings') => (task === 'holdings' ? await holdings() : await run(task)));
