import { createHash } from 'node:crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import type { Failure } from '../../service/endings';
import { notSaved } from '../wording';

/**
 * n8n's own store behind its Remove Duplicates node. Rows are read, changed and written back as a whole, so a process
 * writes a node's marks only while it holds the workflow's lock. A call that rejects may still have taken effect.
 */
export type KeyStore = Exclude<ReturnType<typeof keyStoreOf>, Failure>;
export type LockRow = KeyStore['lock'];

/**
 * The marks of a key: it is free without any, open with both, and sent with *known* only. n8n can only check for a mark by
 * recording it. That is why "sent" is a missing mark: a check never makes a message count as sent.
 */
export interface Marks {
	readonly known: string;
	readonly open: string;
}

/** The marks of a key; they differ by scope. */
export function marksOf(scope: string, key: string): Marks {
	const id = createHash('sha256').update(scope).update('\0').update(key).digest('base64url').slice(0, 32);
	return { known: `${id} known`, open: `${id} open` };
}

/**
 * What the lock's row held: nothing (`made`: now this process has the lock), something that no number compares with, a
 * higher number than all that were put there, one that this process put there before, or a lower one.
 */
export type Found = 'made' | 'foreign' | 'higher' | 'same' | 'lower';

/*
 * All that n8n says of the row is which numbers are higher than the row's; the highest stays there. So every question is a
 * number that the row can bear. NaN compares with none: n8n makes a missing row (it holds 0), and refuses to write another.
 */
/** Higher only than a missing row. */
const LOWEST = -Number.MAX_VALUE;

/** The number of a waiter after this time, unique by the random part. Below 1: there, other nodes' counters begin. */
export function numberAt(ms: number, random: number): number {
	return (ms + random) * 1e-9;
}

/** The lowest number above this one: it tells the row's number from any higher one. */
export function above(number: number): number {
	return number * (1 + Number.EPSILON);
}

/** The store of the running node, or why it has none for the option with this label. */
export function keyStoreOf(context: IExecuteFunctions, option: string) {
	const { id: workflowId } = context.getWorkflow();
	const { id: nodeId } = context.getNode();
	// n8n's id of a workflow that has never been saved.
	if (!workflowId || workflowId === '__EMPTY__' || !nodeId) return notSaved(option);
	const { helpers } = context;
	const put = async (numbers: readonly number[]): Promise<readonly number[] | undefined> =>
		await helpers
			.checkProcessedAndRecord([...numbers], 'workflow', { mode: 'latestIncrementalKey' })
			.then((found) => found.new.map(Number), refusalIn);
	return {
		place: `${workflowId} ${nodeId}`,
		lock: {
			/** Makes the row if there is none; only reads otherwise. `beaten`: another process made it a moment before. */
			make: async (): Promise<'made' | 'beaten' | 'there'> => {
				const higher = await put([NaN]);
				return higher === undefined ? 'there' : higher.length > 0 ? 'made' : 'beaten';
			},
			/** Puts a number into the row, unless it holds a higher one; `own` are those that this process put there before. */
			raise: async (number: number, own: readonly number[] = []): Promise<Found> => {
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
	};
}

/**
 * An error after which surely nothing was written: n8n refused because of the row's content (`undefined`), or another
 * process's INSERT came first, which each database words differently. Throws any other error: the store has failed.
 */
function refusalIn(error: unknown): [] | undefined {
	const { code, message } = Object(error) as { code?: unknown; message?: unknown };
	if (String(message).startsWith('Deduplication Failed')) return undefined;
	if (code === '23505' || code === 'ER_DUP_ENTRY') return [];
	if (String(code).startsWith('SQLITE_CONSTRAINT') && /unique|primary key/i.test(String(message))) return [];
	throw error;
}
