/** One execution of a workflow in n8n's engine, from the first node to the saved data. */
import { getEventListeners } from 'node:events';
import type { IRun, IRunExecutionData, Workflow } from 'n8n-workflow';
import type { ExecutionReport, ExecutionRequest } from '../protocol.mts';
import { additionalData } from './additional-data.mts';
import { ExecutionCredentials } from './credentials.mts';
import { core, flatted, n8n } from './n8n.mts';
import type { Packages } from './packages.mts';

let executions = 0;

/** The abort signal of the latest execution, which n8n passes to its nodes. */
let latestSignal: AbortSignal | undefined;

/** How many listen to the abort signal of the latest execution. */
export const listenersOfLatest = (): number =>
	latestSignal === undefined ? 0 : getEventListeners(latestSignal, 'abort').length;

/** A running execution: its result, and how to cancel it. */
export interface RunningExecution {
	report: Promise<ExecutionReport>;
	cancel: () => void;
}

interface Saved {
	status: string;
	data: string;
}

/** Starts an execution as n8n's server does for a production run, or for a retry from the executions page. */
export function startExecution(packages: Packages, request: ExecutionRequest): RunningExecution {
	const executionId = String(++executions);
	const workflow = new n8n.Workflow({ ...request.workflow, active: false, nodeTypes: packages });
	const credentials = new ExecutionCredentials(packages, request.credentials);
	const data = additionalData(credentials);
	data.executionId = executionId;
	data.workflowId = workflow.id;
	data.workflowSettings = request.workflow.settings;

	let saved: Saved | undefined;

	const hooks = new core.ExecutionLifecycleHooks(request.mode, executionId, {
		...request.workflow,
		active: false,
		isArchived: false,
		activeVersionId: null,
		createdAt: new Date(),
		updatedAt: new Date(),
	});
	hooks.addHandler('workflowExecuteAfter', async (run: IRun) => {
		// A cancelled execution is saved at once, while its nodes are still finishing.
		saved ??= save(run);
	});
	data.hooks = hooks;

	const report = (): ExecutionReport => {
		if (!saved) throw new Error('The engine ended an execution without saving it');
		return { executionId, status: saved.status, saved: saved.data, credentialReads: credentials.reads };
	};

	let execution: ReturnType<InstanceType<typeof core.WorkflowExecute>['processRunExecutionData']>;
	try {
		const runData = request.saved === undefined ? freshData(workflow, request) : retryData(workflow, request);
		const engine = new core.WorkflowExecute(data, request.mode, runData);
		latestSignal = (engine as unknown as { abortController: AbortController }).abortController.signal;
		execution = engine.processRunExecutionData(workflow);
	} catch (error) {
		// A workflow with issues, such as an empty required parameter, is refused before it starts.
		saved = save(refusedRun(request, error as Error));
		return { report: Promise.resolve(report()), cancel: () => {} };
	}
	return {
		report: execution.then(report),
		cancel: () => execution.cancel(),
	};
}

function freshData(workflow: Workflow, { start, items }: ExecutionRequest): IRunExecutionData {
	const node = workflow.getNode(start);
	if (!node) throw new Error(`The workflow has no node "${start}" to start from`);
	return n8n.createRunExecutionData({
		executionData: { nodeExecutionStack: [{ node, data: { main: [items] }, source: null }] },
		...(workflow.pinData && { resultData: { pinData: workflow.pinData } }),
	});
}

/** Continues a failed execution where it stopped, as n8n's executions page does. */
function retryData(workflow: Workflow, { saved, useCurrentWorkflow }: ExecutionRequest): IRunExecutionData {
	const data = n8n.migrateRunExecutionData(
		flatted.parse(saved ?? '') as Parameters<typeof n8n.migrateRunExecutionData>[0],
	);
	if (!data.executionData) throw new Error('The execution never started, so it cannot be retried');
	const { lastNodeExecuted, runData } = data.resultData;
	if (lastNodeExecuted !== undefined) {
		delete data.resultData.error;
		if (runData[lastNodeExecuted]?.at(-1)?.error !== undefined) runData[lastNodeExecuted].pop();
	}
	if (useCurrentWorkflow) {
		for (const waiting of data.executionData.nodeExecutionStack) {
			const node = workflow.getNode(waiting.node.name);
			if (!node) throw new Error(`Could not find the node "${waiting.node.name}" in workflow`);
			waiting.node = node;
		}
	}
	return data;
}

function refusedRun(request: ExecutionRequest, error: Error): IRun {
	return {
		data: n8n.createRunExecutionData({
			resultData: {
				error: { ...error, name: error.name, message: error.message, stack: error.stack } as NonNullable<
					IRunExecutionData['resultData']['error']
				>,
			},
			executionData: null,
		}),
		mode: request.mode,
		startedAt: new Date(),
		stoppedAt: new Date(),
		storedAt: 'db',
		status: 'error',
	};
}

function save(run: IRun): Saved {
	return { status: run.status, data: flatted.stringify(run.data) };
}
