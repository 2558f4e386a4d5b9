import { hash, randomUUID } from 'node:crypto';

import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { isSubNode } from '../agent/caller';
import type { Failure, Outcome } from '../service/endings';
import { isPlainObject } from '../shared/json';

/**
 * The state of an item. A run that is cancelled or crashes needs no cleanup: an item that is `inFlight` without a result
 * counts as `unknown` in the next try.
 */
export type ItemState = 'waiting' | 'inFlight' | 'sent' | Outcome;

/** What is saved of an item for later tries of the execution. */
export interface SavedItem {
	state: ItemState;
	/** The output of a sent item. */
	json?: readonly IDataObject[];
	/** The last failure after which the item may have been processed. */
	tried?: Failure;
	/** How its message can be found at the service, until it has been sent. */
	message?: MessageRef;
	/** Whether it counts as sent because the user says so. */
	isCounted?: boolean;
}

/** How a message can be found at the service. */
export interface MessageRef {
	readonly to?: string;
	readonly packageId?: string;
}

/** What this node keeps in the execution's data. n8n saves it with an execution that fails. */
export interface Saved {
	/** A UUID: the same in all retries of this execution, and in no other. */
	identity: string;
	/** The id of the execution that wrote this last. */
	execution: string;
	/** By the key of each item. */
	items: { [key: string]: SavedItem };
}

/** What a try of an execution starts from, and keeps up to date. */
export interface RetryRecord {
	readonly saved: Saved;
	/** Which run of the node in the execution this is: loops run it several times. */
	readonly run: number;
	/** Deletes everything from the execution's data: no retry can come. */
	forget(): void;
	/** Must be called once nothing more is written: another retry of the execution may be waiting for that. */
	release(): void;
}

const PLACE = 'unifiedMessaging';

/** What an execution without earlier tries starts from. */
export function newSaved(): Saved {
	return { identity: randomUUID(), execution: '', items: {} };
}

/**
 * Opens what this execution has saved. n8n keeps the node's context when it repeats the node (Retry On Fail), and saves
 * it with an execution that fails. Waits while another retry of the same execution runs in this process.
 */
export async function openSaved(context: IExecuteFunctions): Promise<RetryRecord> {
	const { place, run } = savedPlace(context);
	const found = place[PLACE];
	const execution = context.getExecutionId() ?? '';
	const { saved, release } = isSaved(found)
		? await beginRetry(found, execution)
		: { saved: newSaved(), release: () => {} };
	saved.execution = execution;
	place[PLACE] = saved;
	return { saved, run, forget: () => delete place[PLACE], release };
}

/** Whether this was saved by an earlier try. */
function isSaved(found: unknown): found is Saved {
	return isPlainObject(found) && isPlainObject(found.items) && typeof found.identity === 'string';
}

/** The data of calls that an AI agent makes itself, by the object with the call's arguments. */
const toolCalls = new WeakMap<IDataObject, IDataObject>();

/**
 * Where a run of the node keeps its data: in the node's context, which outlives the run.
 *
 * A call that an AI agent makes itself, without the engine, has separate data. Several such calls may run at once with
 * the same run number, and Retry On Fail gives each try another number. The tries of one call share only the object with
 * its arguments. No retry of an execution repeats such a call, because a retry starts the agent anew.
 */
function savedPlace(context: IExecuteFunctions): { place: IDataObject; run: number } {
	const [call] = context.getInputData();
	if (call === undefined || !isSubNode(context)) {
		const { $runIndex: run } = context.getWorkflowDataProxy(0) as { $runIndex?: unknown };
		// Otherwise, a message that a loop sends again would count as sent by its first run.
		if (typeof run !== 'number') throw new Error('n8n does not say which run of the node this is');
		return { place: context.getContext('node'), run };
	}
	const place = toolCalls.get(call.json) ?? {};
	toolCalls.set(call.json, place);
	return { place, run: 0 };
}

/** A retry of a failed execution in this process. */
interface Retry {
	saved: Saved;
	/** About how many characters that has; `undefined` until the retry has ended. */
	size?: number;
	/** Settles once it and all retries before it have ended. */
	readonly over: Promise<unknown>;
}

/** How many characters all retries that have ended may keep, and about how many an item has without its output. */
const MOST_KEPT = 16 * 2 ** 20;
const SIZE_OF_ITEM = 100;

/** The newest retry of each failed execution, by its identity. */
const retries = new Map<string, Retry>();

/**
 * Begins a retry. People click Retry twice: the second retry waits for the first and continues from what it sent. n8n
 * starts every retry from the failed execution, which does not contain what earlier retries sent. Also one that is cancelled
 * waits: it sends nothing, and n8n does not wait for it.
 */
async function beginRetry(found: Saved, execution: string): Promise<Pick<RetryRecord, 'release' | 'saved'>> {
	const { identity } = found;
	let end: () => void = () => {};
	const ended = new Promise<void>((resolve) => (end = resolve));
	const before = retries.get(identity);
	// With Retry On Fail, n8n returns the same object that the previous try wrote.
	const saved = found.execution === execution ? found : (before?.saved ?? found);
	const retry: Retry = { saved, over: Promise.all([before?.over, ended]) };
	retries.delete(identity);
	retries.set(identity, retry);
	await before?.over;
	const release = (): void => {
		retry.size = sizeOf(saved);
		end();
		makeRoom();
	};
	return { saved, release };
}

/** About how many characters a record has. Does not count further than it may have. */
function sizeOf({ items }: Saved): number {
	let size = 0;
	for (const { json } of Object.values(items)) {
		size += SIZE_OF_ITEM + (json === undefined ? 0 : JSON.stringify(json).length);
		if (size > MOST_KEPT) break;
	}
	return size;
}

/** Forgets the outputs of the oldest retries, and, if that is not enough, what they have sent. */
function makeRoom(): void {
	let kept = 0;
	for (const [identity, retry] of [...retries].reverse()) {
		if (retry.size === undefined) continue;
		if (kept + retry.size > MOST_KEPT) forgetOutputs(retry);
		kept += retry.size;
		if (kept > MOST_KEPT) retries.delete(identity);
	}
}

/** A copy, because n8n saves the record itself. A further retry tells only that the items were sent. */
function forgetOutputs(retry: Retry): void {
	const items = Object.entries(retry.saved.items).map(([key, { json, ...item }]): [string, SavedItem] => {
		return [key, json === undefined ? item : { ...item, json: SENT_EARLIER }];
	});
	retry.saved = { ...retry.saved, items: Object.fromEntries(items) };
	retry.size = items.length * SIZE_OF_ITEM;
}

const SENT_EARLIER: readonly IDataObject[] = [{ alreadySent: true }];

/**
 * Identifies an item in its execution: the same in every try, different if the item has changed. An item without a JSON
 * text, such as one that contains itself, is identified by its position alone.
 *
 * @param scope resource and operation: a node changed to another operation has sent nothing yet
 */
export function itemKey(run: number, scope: string, item: number, json: IDataObject): string {
	const text = [run, scope, item, jsonText(json) ?? ''].join('\n');
	return hash('sha256', text, 'base64url').slice(0, 22);
}

function jsonText(json: IDataObject): string | undefined {
	try {
		return JSON.stringify(json);
	} catch {
		return undefined;
	}
}
