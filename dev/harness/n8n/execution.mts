import type { ExecutionStatus, INodeExecutionData } from 'n8n-workflow';

import type { Execution } from './api-types.mts';

/** The statuses of executions that have not ended. */
export const unfinished: ReadonlySet<ExecutionStatus> = new Set<ExecutionStatus>([
	'new',
	'running',
	'waiting',
	'unknown',
]);

/** A node's output in an execution: the items of one output in one run. */
export function outputOf(execution: Execution, node: string, output = 0, run = 0): INodeExecutionData[] {
	return execution.data.resultData.runData[node]?.[run]?.data?.main?.[output] ?? [];
}

/** The error with which a node stopped an execution; undefined when it did not. */
export function errorOf(execution: Execution, node: string): Record<string, unknown> | undefined {
	const error: unknown = execution.data.resultData.runData[node]?.at(-1)?.error;
	return typeof error === 'object' && error !== null ? { ...error } : undefined;
}
