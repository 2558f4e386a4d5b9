import { hash } from 'node:crypto';
import type { ICheckProcessedOptions, IExecuteFunctions } from 'n8n-workflow';

import type { Failure } from '../../service/endings';
import { notSaved } from '../wording';

/**
 * n8n's own store behind its Remove Duplicates node. n8n reads a row, changes it and writes it back as a whole, so a
 * process writes a node's marks only while it holds the workflow's lease. A call that rejects may still have taken effect.
 */
export type KeyStore = Exclude<ReturnType<typeof keyStoreOf>, Failure>;

/**
 * The marks of a key; they differ by scope. Without marks a key is free, with both it is in doubt, with *known* alone it is
 * sent. n8n has no way to look for a mark without adding it. A key that is looked for then has both marks, and is in doubt:
 * a look can't make a message count as sent.
 */
export function marksOf(scope: string, key: string) {
	const id = hash('sha256', `${scope}\0${key}`, 'base64url').slice(0, 32);
	return { known: `${id} known`, inDoubt: `${id} open` };
}

/**
 * The mode of the lease's row. n8n refuses a call in another mode than the row's before it writes: no other node changes this
 * row, and this node no row of others. In a mode that n8n's own nodes don't have, it keeps a list of entries; its types don't
 * name such a mode.
 */
const LEASE_MODE: string = 'lease';
const LEASE = { mode: LEASE_MODE } as ICheckProcessedOptions;

/** The store of the running node, or why it has none for the option with this label. */
export function keyStoreOf(context: IExecuteFunctions, option: string) {
	const { id: workflowId } = context.getWorkflow();
	const { id: nodeId } = context.getNode();
	// n8n's id of a workflow that has never been saved.
	if (!workflowId || workflowId === '__EMPTY__' || !nodeId) return notSaved(option);
	const { helpers } = context;
	/** Adds entries to a row, which is made if there is none, and returns those that were already there. For `check`, see below. */
	const add = async (
		entries: readonly string[],
		scope: 'node' | 'workflow',
		options: ICheckProcessedOptions,
		check: () => void,
	): Promise<ReadonlySet<string>> => {
		const items = withCheck(entries, check);
		const found = new Set((await helpers.checkProcessedAndRecord(items, scope, options)).processed);
		return new Set(entries.filter((_, n) => found.has(items[n] ?? '')));
	};
	return {
		place: `${workflowId} ${nodeId}`,
		/** The row of the workflow's lease. */
		lease: {
			/** How many entries it has; 0 if there is no row. Writes nothing. */
			count: async (): Promise<number> =>
				await helpers.getProcessedDataCount('workflow', { mode: 'entries' }),
			/** Adds entries. `beaten`: another process has just made the row. Rejects also if the row is another node's. */
			add: async (entries: readonly string[], check: () => void) =>
				await add(entries, 'workflow', LEASE, check).catch(beatenBy),
			remove: async (): Promise<void> => await helpers.clearAllProcessedItems('workflow', LEASE),
		},
		/** Adds marks, and drops the oldest beyond `maxEntries`. */
		record: async (marks: readonly string[], maxEntries: number, check: () => void) =>
			await add(marks, 'node', { mode: 'entries', maxEntries }, check),
		/** Removes marks; missing ones are ignored. */
		remove: async (marks: readonly string[], check: () => void): Promise<void> =>
			await helpers.removeProcessed(withCheck(marks, check), 'node', { mode: 'entries' }),
		/** The number of marks. Writes nothing. */
		count: async (): Promise<number> => await helpers.getProcessedDataCount('node', { mode: 'entries' }),
	};
}

/**
 * Marks for a call that `check` can stop by throwing, between n8n's reading of the row and its writing: only then does n8n
 * ask an item for its text.
 */
function withCheck(marks: readonly string[], check: () => void): string[] {
	const first = { toString: () => (check(), marks[0]) } as unknown as string;
	return marks.map((mark, n) => (n === 0 ? first : mark));
}

/** Reads an error that says that another process made the row first, as each database words it. Throws any other error. */
function beatenBy(error: unknown): 'beaten' {
	const { code, message } = Object(error) as { code?: unknown; message?: unknown };
	if (code === '23505' || code === 'ER_DUP_ENTRY') return 'beaten';
	if (String(code).startsWith('SQLITE_CONSTRAINT') && /unique|primary key/i.test(String(message)))
		return 'beaten';
	throw error;
}
