import { createHash, randomUUID } from 'node:crypto';

import type { IDataObject, IExecuteFunctions, ISupplyDataFunctions } from 'n8n-workflow';

import type { Failure } from '../service/endings';
import { isPlainObject } from '../shared/json';
import type { State } from './ledger';

/** What a later try of the execution finds of an item. */
export interface SavedItem {
	state: State;
	/** The output of an item that was accepted or sent. */
	json?: readonly IDataObject[];
	/** The key of the item that holds the output of a call that several items share. */
	sharedWith?: string;
	/** The last failure after which the item may have been processed. */
	tried?: Failure;
	/** The once key, where n8n could not note how it ended. */
	unnoted?: string;
}

/** What stands in the execution's data, and is saved with an execution that fails. */
export interface Saved {
	/** Makes the ids of this execution differ from any other's; the same in its retries. */
	identity: string;
	/** By the key of each item. */
	items: { [key: string]: SavedItem };
	/** Which try of "Retry On Fail" this is: the execution that counts, the run of the node in it, and the number. */
	attempt: { execution: string; run: number; number: number };
}

/** What a try of an execution begins with. */
export interface Opened {
	readonly saved: Saved;
	/** The number of this run of the node in the execution: loops run it several times. */
	readonly run: number;
	/** Whether an AI agent makes this call by itself, so that a retry of the execution does not repeat it. */
	readonly isToolCall: boolean;
	/** Whether n8n may yet repeat this run by itself. */
	readonly retriesLeft: boolean;
	/** Forgets everything: no repetition can come. */
	forget(): void;
	/** To be called when nothing is written any more: another try of the execution may be waiting for that. */
	leave(): void;
}

const PLACE = 'unifiedMessaging';

/**
 * Opens what this execution remembers. n8n keeps the node's context when it repeats the node (Retry On Fail), and saves
 * it with an execution that fails. Waits for another retry of the same execution that still runs in this process.
 */
export async function openSaved(context: IExecuteFunctions): Promise<Opened> {
	const { place, run, isToolCall } = placeOf(context);
	const found = place[PLACE];
	const execution = context.getExecutionId() ?? '';
	const { saved, leave } = isSaved(found)
		? await enterTry(found, execution, context.getExecutionCancelSignal())
		: { saved: newSaved(), leave: () => {} };
	place[PLACE] = saved;
	const { attempt } = saved;
	const again = attempt.execution === execution && attempt.run === run;
	saved.attempt = { execution, run, number: again ? attempt.number + 1 : 1 };
	const { retryOnFail, maxTries } = context.getNode();
	// As n8n counts, which takes 0 for "not set".
	const most = retryOnFail === true ? Math.min(5, Math.max(2, maxTries || 3)) : 1;
	const retriesLeft = saved.attempt.number < most;
	return { saved, run, isToolCall, retriesLeft, forget: () => delete place[PLACE], leave };
}

/** For a try that remembers nothing. */
export function openNothing(): Opened {
	const nothing = { run: 0, isToolCall: false, retriesLeft: false, forget: () => {}, leave: () => {} };
	return { saved: newSaved(), ...nothing };
}

/** Whether this is what an earlier try has left; n8n may have saved and loaded it meanwhile. */
function isSaved(found: unknown): found is Saved {
	return isPlainObject(found) && isPlainObject(found.items) && isPlainObject(found.attempt);
}

function newSaved(): Saved {
	return { identity: randomUUID(), items: {}, attempt: { execution: '', run: -1, number: 0 } };
}

/** The places of calls that an AI agent makes, by the arguments that it gives. */
const toolCalls = new WeakMap<IDataObject, IDataObject>();

/**
 * Where a run of the node keeps what it remembers: in the node's context, which outlives the run.
 *
 * Not so where an AI agent has the node as a tool and calls it itself. Several of its calls may be under way at once,
 * some of them under the same number of a run, and each try of Retry On Fail has a number of its own. What the tries of
 * one call have in common is the object that holds its arguments. No other execution ever repeats such a call: the agent
 * starts anew then.
 */
function placeOf(context: IExecuteFunctions): { place: IDataObject; run: number; isToolCall: boolean } {
	const [call] = context.getInputData();
	if (call === undefined || !isToolCall(context)) {
		const run = Number(context.getWorkflowDataProxy(0).$runIndex ?? 0);
		return { place: context.getContext('node'), run, isToolCall: false };
	}
	const place = toolCalls.get(call.json) ?? {};
	toolCalls.set(call.json, place);
	return { place, run: 0, isToolCall: true };
}

/**
 * Whether an agent calls the node itself: it does so in a context for sub-nodes, in every n8n. A call that the engine
 * makes for an agent is a run like any other.
 */
function isToolCall(context: IExecuteFunctions | ISupplyDataFunctions): boolean {
	return 'getNextRunIndex' in context;
}

/** A retry of a failed execution that runs in this process, or has run. */
interface Try {
	/** What it knows: it may have sent more than n8n has saved with the execution. */
	readonly saved: Saved;
	/** Settles when it and all before it are over. */
	readonly over: Promise<unknown>;
}

/** How many tries are remembered, and how many items they may hold together. */
const MOST_TRIES = 200;
const MOST_ITEMS = 20_000;

/** The newest try of each failed execution, by its identity, as long as this process lives. */
const tries = new Map<string, Try>();

/**
 * Begins a retry. Somebody may click Retry twice: then the second waits for the first, and begins with what the first
 * has sent. n8n saves with an execution what it knew when it ended, which lacks what an earlier retry has sent.
 *
 * @param cancelled a try that is cancelled does not wait, because nothing leaves any more in it
 */
async function enterTry(
	found: Saved,
	execution: string,
	cancelled: AbortSignal | undefined,
): Promise<Pick<Opened, 'leave' | 'saved'>> {
	const { identity } = found;
	let leave: () => void = () => {};
	const mine = new Promise<void>((resolve) => (leave = resolve));
	const before = tries.get(identity);
	// Within an execution, n8n repeats a node with the very object that the try before has written.
	const saved = found.attempt.execution === execution ? found : (before?.saved ?? found);
	tries.delete(identity);
	tries.set(identity, { saved, over: Promise.all([before?.over, mine]) });
	forgetOldest();
	if (before !== undefined) await Promise.race([before.over, fired(cancelled)]);
	// The try before may still be sending then, and goes on with what it has written.
	return { saved: cancelled?.aborted === true ? structuredClone(saved) : saved, leave };
}

function forgetOldest(): void {
	let items = 0;
	for (const [n, [identity, { saved }]] of [...tries].reverse().entries()) {
		items += Object.keys(saved.items).length;
		if (n >= MOST_TRIES || (n > 0 && items > MOST_ITEMS)) tries.delete(identity);
	}
}

/** Settles when the signal fires. */
async function fired(signal: AbortSignal | undefined): Promise<void> {
	if (signal?.aborted === true) return;
	await new Promise<void>((resolve) => {
		signal?.addEventListener('abort', () => resolve(), { once: true });
	});
}

/** How many characters of a hash are kept: 132 bits. */
const HASH_LENGTH = 22;

/**
 * Names an item in its execution: the same when n8n repeats the node with it, another when the item has changed.
 *
 * @param scope resource and operation: a node changed to another operation has sent nothing yet
 */
export function itemKey(run: number, scope: string, item: number, json: IDataObject): string {
	const text = [run, scope, item, jsonText(json)].join('\n');
	return createHash('sha256').update(text).digest('base64url').slice(0, HASH_LENGTH);
}

/** The item as text; one that JSON can't hold counts as the same whatever is in it. */
function jsonText(json: IDataObject): string {
	try {
		return JSON.stringify(json);
	} catch {
		return '';
	}
}

/**
 * A name-based UUID (version 5, RFC 9562): the same for the same namespace and name, anywhere.
 *
 * @param namespace a UUID
 */
export function nameUuid(namespace: string, name: string): string {
	const hex = createHash('sha1').update(namespace.replaceAll('-', ''), 'hex').update(name).digest('hex');
	const variant = ((parseInt(hex.charAt(16), 16) & 0b11) | 0b1000).toString(16);
	return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
