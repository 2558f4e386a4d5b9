/** One execution of a single node over made-up items. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { INodeParameters } from 'n8n-workflow';
import type { Engine } from '../engine/engine.mts';
import type { Run } from '../engine/run.mts';
import {
	messagingNode,
	nodeName,
	startName,
	startNode,
	workflow,
	type MessagingCredential,
	type NodeSettings,
} from '../engine/workflow.mts';

/** What is executed. */
export interface Task {
	/** This package's node, or the barest one. */
	node: 'this' | 'barest';
	credential: MessagingCredential;
	/** The number of items, each with a different recipient and text. */
	items: number;
	parameters: INodeParameters;
	settings?: NodeSettings;
	/** When to stop the execution, in milliseconds; never unless given. */
	stopAfterMs?: number;
}

/** Executes it, and has the engine take samples of itself. */
export async function execute(engine: Engine, task: Task): Promise<Run> {
	const { node, credential, items, parameters, settings = {}, stopAfterMs } = task;
	const type = node === 'barest' ? { type: 'harness.barest' } : {};
	const execution = engine.start({
		workflow: workflow(
			[startNode(), { ...messagingNode(parameters, settings), ...type }],
			[[startName, nodeName]],
		),
		credential,
		items: Array.from({ length: items }, (_, n) => ({
			json: {
				name: `Customer ${n}`,
				email: `customer-${n}@example.com`,
				id: `e0e0e0e0-0000-4000-8000-${String(n).padStart(12, '0')}`,
			},
		})),
		isSampled: true,
	});
	if (stopAfterMs !== undefined) await sleep(stopAfterMs).then(() => execution.cancel());
	const run = await execution.finished;
	// A stopped execution finishes only after n8n has saved it.
	if (stopAfterMs !== undefined) await sleep(100);
	return run;
}

/** The number of items that succeeded. */
export const succeededIn = (run: Run): number =>
	run.main.flat().filter(({ json }) => json['error'] === undefined).length;
