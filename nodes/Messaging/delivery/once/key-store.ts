import { createHash } from 'node:crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import type { Failure } from '../../service/endings';
import { NO_NODE_ID, notSaved } from '../wording';

/**
 * n8n's own store behind its Remove Duplicates node. n8n reads a row, changes it and writes it back as a whole, so a
 * process writes a node's marks only while it holds the workflow's lock. A call that rejects may still have taken effect.
 */
export type KeyStore = Exclude<ReturnType<typeof keyStoreOf>, Failure>;
export type LockRow = KeyStore['lock'];

/**
 * The marks of a key: it is free without any, in doubt with both, and sent with *known* only. n8n checks for a mark only while
 * recording it. So "sent" is a missing mark: a check never makes a message count as sent.
 */
export interface Marks {
	readonly known: string;
	readonly inDoubt: string;
}

/** The marks of a key; they differ by scope. */
export function marksOf(scope: string, key: string): Marks {
	const id = createHash('sha256').update(scope).update('\0').update(key).digest('base64url').slice(0, 32);
	return { known: `${id} known`, inDoubt: `${id} open` };
}

/**
 * What a bid found in the lock's row: no row (`made`: this process has just made it, and has the lock), something that is
 * no number (`foreign`), a number above the bid (`higher`), one of the process's own earlier bids (`same`), or another
 * number below the bid (`lower`).
 */
export type Found = 'made' | 'foreign' | 'higher' | 'same' | 'lower';

/*
 * The lock's row holds one number. n8n takes a list of numbers, answers which of them are above the row's, and keeps the
 * highest of all in the row. NaN is above none: with it, n8n makes a missing row (which then holds 0), and refuses to change
 * an existing one. The lowest number is in the answer only if the row was missing.
 */
const LOWEST = -Number.MAX_VALUE;

/** The bid of a process that has waited for this time, unique by its random part. Below 1, where counters of others begin. */
export function bidAt(ms: number, random: number): number {
	return (ms + random) * 1e-9;
}

/** The next higher number. If it is above the row's number and this one is not, the row holds this one. */
export function above(number: number): number {
	return number * (1 + Number.EPSILON);
}

/** The store of the running node, or why it has none for the option with this label. */
export function keyStoreOf(context: IExecuteFunctions, option: string) {
	const { id: workflowId } = context.getWorkflow();
	const { id: nodeId } = context.getNode();
	// n8n's id of a workflow that has never been saved.
	if (!workflowId || workflowId === '__EMPTY__') return notSaved(option);
	if (!nodeId) return NO_NODE_ID;
	const { helpers } = context;
	const put = async (numbers: readonly number[]): Promise<readonly number[] | undefined> =>
		await helpers
			.checkProcessedAndRecord([...numbers], 'workflow', { mode: 'latestIncrementalKey' })
			.then((found) => found.new.map(Number), refusalIn);
	return {
		place: `${workflowId} ${nodeId}`,
		lock: {
			/** Makes the row if there is none, and only reads otherwise. `beaten`: another process has just made it. */
			make: async (): Promise<'made' | 'beaten' | 'there'> => {
				const higher = await put([NaN]);
				return higher === undefined ? 'there' : higher.length > 0 ? 'made' : 'beaten';
			},
			/** Puts a number into the row, unless the row holds a higher one. `own` are the earlier bids of this process. */
			bid: async (number: number, own: readonly number[] = []): Promise<Found> => {
				const higher = await put([LOWEST, ...own.flatMap((each) => [each, above(each)]), number]);
				if (higher === undefined) return 'foreign';
				if (higher.includes(LOWEST)) return 'made';
				if (higher.length === 0) return 'higher';
				return own.some((each) => above(each) === Math.min(...higher)) ? 'same' : 'lower';
			},
			remove: async () => await helpers.clearAllProcessedItems('workflow', { mode: 'latestIncrementalKey' }),
		},
		/** Appends marks, drops the oldest beyond `maxEntries`, and returns those that were already there. */
		record: async (marks: readonly string[], maxEntries: number): Promise<ReadonlySet<string>> => {
			const options = { mode: 'entries' as const, maxEntries };
			const { processed } = await helpers.checkProcessedAndRecord([...marks], 'node', options);
			return new Set(processed.map(String));
		},
		/** Removes marks; missing ones are ignored. */
		remove: async (marks: readonly string[]): Promise<void> =>
			await helpers.removeProcessed([...marks], 'node', { mode: 'entries' }),
		/** The number of marks. */
		count: async (): Promise<number> => await helpers.getProcessedDataCount('node', { mode: 'entries' }),
	};
}

/**
 * Reads an error that says that nothing was written: `undefined` if n8n refused because of what the row holds; `[]` if
 * another process made the row first, which each database words differently. Throws any other error: the store has failed.
 */
function refusalIn(error: unknown): [] | undefined {
	const { code, message } = Object(error) as { code?: unknown; message?: unknown };
	if (String(message).startsWith('Deduplication Failed')) return undefined;
	if (code === '23505' || code === 'ER_DUP_ENTRY') return [];
	if (String(code).startsWith('SQLITE_CONSTRAINT') && /unique|primary key/i.test(String(message))) return [];
	throw error;
}
