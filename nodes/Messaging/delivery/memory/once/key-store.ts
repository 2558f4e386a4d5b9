import type { IExecuteFunctions } from 'n8n-workflow';

import { type Failure, unsent } from '../../../service/endings';

/**
 * n8n's own store behind its Remove Duplicates node: for each node of a workflow a list of marks, which outlives
 * executions and restarts and is shared by all workers. It is read, changed and written back as a whole, without a lock:
 * writers that overlap lose what the other wrote.
 */
export interface KeyStore {
	/** Tells apart what belongs to different nodes. */
	readonly place: string;
	/**
	 * Notes marks, in this order behind those that are there, and drops the oldest where there are more than `most`.
	 *
	 * @returns those that stood there before
	 */
	record(marks: readonly string[], most: number): Promise<ReadonlySet<string>>;
	/** Takes marks away; those that do not stand there do no harm. */
	remove(marks: readonly string[]): Promise<void>;
}

/** What n8n calls the id of a workflow that has never been saved. */
const NEVER_SAVED = '__EMPTY__';

/**
 * The store of the node that runs, or why it has none.
 *
 * @param option the label of the option that needs it
 */
export function keyStoreOf(context: IExecuteFunctions, option: string): KeyStore | Failure {
	const { id: workflowId } = context.getWorkflow();
	const { id: nodeId } = context.getNode();
	if (!workflowId || workflowId === NEVER_SAVED || !nodeId) {
		return unsent(
			'Save the workflow first',
			`n8n notes the keys of "${option}" with the workflow, and this one has not been saved yet.`,
		);
	}
	// An older n8n lacks them.
	const { checkProcessedAndRecord, removeProcessed } = context.helpers as Partial<typeof context.helpers>;
	if (checkProcessedAndRecord === undefined || removeProcessed === undefined) {
		return unsent(
			`This n8n is too old for "${option}"`,
			'It has no store for keys. Update n8n, or remove the option: then nothing keeps a second event from sending a second message.',
		);
	}
	return {
		place: `${workflowId} ${nodeId}`,
		async record(marks, maxEntries) {
			const options = { mode: 'entries' as const, maxEntries };
			const { processed } = await checkProcessedAndRecord([...marks], 'node', options);
			return new Set(processed.map(String));
		},
		async remove(marks) {
			await removeProcessed([...marks], 'node', { mode: 'entries' });
		},
	};
}
