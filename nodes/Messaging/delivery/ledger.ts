import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { isReviewer, isTool } from '../agent/caller';
import { modelFieldsOf } from '../agent/tool-input';
import { optionLabel } from '../fields/options';
import type { Operation } from '../operations/operation';
import type { Effect } from '../service/api-call';
import type { Failure } from '../service/endings';
import { cutOff } from '../service/failure';
import { nameUuid } from '../shared/uuid';
import { Turns } from '../shared/turns';
import { type ItemState, itemKey, newSaved, openSaved, type RetryRecord, type SavedItem } from './saved';
import { heldBack, NOT_STARTED, stillInDoubt } from './wording';

/** What has sent an item: this try, an earlier one, or another execution (as its once key or the service says). */
export type SentIn = 'thisTry' | 'earlierTry' | 'before';

/** What is known about one item. */
export interface Entry {
	/** Identifies the item in all tries of the execution. */
	key: string;
	/** What later tries of the execution will find. */
	saved: SavedItem;
	sentIn: SentIn;
	/** What the user sees if the item failed. */
	failure?: Failure;
}

/** How many characters the answers that a run keeps may have in all. */
const MOST_KEPT = 256 * 2 ** 20;

/** A failure and its item; none if it is one of the run as a whole. */
export interface Failed {
	readonly failure: Failure;
	readonly item?: number;
}

/**
 * The state of each input item: the one record from which everything else is derived. Every change is written to the
 * execution's data as it happens, and a retry begins with that data. So even a run that can't start reports the true
 * state.
 */
export class Ledger {
	readonly entries: readonly Entry[];
	/** Whether a model reads how the items end: an AI agent calls the node, and not to ask a person for approval. */
	readonly isTool: boolean;
	/** Whether this is a sub-workflow's execution: its errors also show in the execution that called it. */
	readonly isSubWorkflow: boolean;
	/** What the calls of the operation do. */
	effect: Effect = 'changes';
	/** Whether a repetition does no harm: the operation has no option When Outcome Is Unknown. */
	isRepeatSafe = true;
	/** Whether the operation waits for an answer. Meanwhile, failed items have no output. */
	waits = false;
	/** Which run of the node in this execution this is: loops run it several times. */
	run = 0;
	/** Whether messages have a once key: all items have the option, or none. */
	usesKeys = false;
	/** The labels of the fields that a model fills in. */
	modelFields: readonly string[] = [];
	/** The items that were refused when the run looked at its list, if nothing of the list is sent because of them. */
	refused: readonly number[] = [];
	/** The once keys whose outcome n8n could not record: their messages will seem to be in doubt. */
	unrecorded: readonly string[] = [];
	/** Called when items have failed. */
	onFailure: () => void = () => {};
	/** How many characters the answers had until now. */
	private received = 0;
	private firstNew: Failed | undefined;
	private retry: RetryRecord = { saved: newSaved(), run: 0, forget: () => {}, release: () => {} };

	/** Remembers nothing until it is opened. */
	constructor(private readonly context: IExecuteFunctions) {
		this.isTool = isTool(context) && !isReviewer(context);
		this.isSubWorkflow = context.getMode() === 'integrated';
		this.entries = context
			.getInputData()
			.map((_, item) => ({ key: String(item), saved: { state: 'waiting' }, sentIn: 'thisTry' }));
	}

	/** Takes over the records that earlier tries of this execution left for this operation. */
	async open(operation: Operation | undefined): Promise<void> {
		this.retry = await openSaved(this.context);
		const { run, saved } = this.retry;
		const { effect = this.effect, fields = [] } = operation ?? {};
		const isGet = effect === 'asMethod' && this.context.getNodeParameter('method', 0, '') === 'GET';
		this.effect = effect === 'asMethod' ? (isGet ? 'reads' : 'changes') : effect;
		this.isRepeatSafe = this.effect === 'reads' || optionLabel(fields, 'whenUnknown') === undefined;
		this.run = run;
		this.waits = operation?.waits === true;
		if (this.isTool) this.modelFields = modelFieldsOf(fields, this.context.getNode().parameters);
		const scope = `${operation?.resource} ${operation?.name}`;
		const turns = new Turns();
		for (const [item, { json }] of this.context.getInputData().entries()) {
			if (turns.over) await turns.next();
			const entry = this.entry(item);
			entry.key = itemKey(run, scope, item, json);
			const found = saved.items[entry.key];
			if (found !== undefined) takeOver(entry, found);
		}
	}

	/** Whether the execution is being stopped. */
	get isCancelled(): boolean {
		return this.context.getExecutionCancelSignal()?.aborted === true;
	}

	/** Must be called once nothing more is written: another try of the execution may be waiting for that. */
	release(): void {
		this.retry.release();
	}

	entry(item: number): Entry {
		const entry = this.entries[item];
		if (entry === undefined) throw new RangeError(`There is no item ${item}`);
		return entry;
	}

	/** Whether an earlier try, of the item or of its once key, may have been processed. */
	isInDoubt(item: number): boolean {
		return this.entry(item).saved.tried !== undefined;
	}

	/** Whether the service has accepted an item in this try. */
	isSentNow(item: number): boolean {
		const entry = this.entry(item);
		return isDone(entry) && entry.sentIn === 'thisTry';
	}

	/** A UUID for an item of this execution, the same in every try. */
	uuidOf(item: number): string {
		return nameUuid(this.retry.saved.identity, this.entry(item).key);
	}

	/** A request for this item is leaving. */
	startRequest(item: number): void {
		const entry = this.entry(item);
		// An item that an earlier try left in doubt is being sent again.
		delete entry.failure;
		this.record(entry, 'inFlight');
	}

	/** A request for this item has failed. The user does not see it yet, because this run may retry. */
	requestFailed(item: number, failure: Failure): void {
		// A failed read leaves nothing in doubt.
		if (this.effect !== 'reads') this.recordFailure(this.entry(item), failure);
	}

	/**
	 * The service has accepted this item, or had before; `json` is its output. It is recorded once more when the answer has
	 * been read.
	 *
	 * @param sentIn 'before' is not recorded: a later try asks again, with the key that the item has then
	 */
	sent(item: number, json: readonly IDataObject[], sentIn: SentIn = 'thisTry'): void {
		const entry = this.entry(item);
		entry.sentIn = sentIn;
		entry.saved.json = json;
		delete entry.saved.message;
		delete entry.failure;
		this.record(entry, 'sent');
	}

	/** Whether an answer with so many characters is kept as well. Otherwise a run could fill the memory. */
	keeps(size: number): boolean {
		this.received += size;
		return this.received <= MOST_KEPT;
	}

	/** The user says that this item was sent. */
	countAsSent(item: number, json: IDataObject, sentIn: SentIn): void {
		this.entry(item).saved.isCounted = true;
		this.sent(item, [json], sentIn);
	}

	/** This item has failed, and is not tried again in this run. If it may have been processed, it stays in doubt. */
	fail(item: number, failure: Failure): void {
		const entry = this.entry(item);
		this.recordFailure(entry, failure);
		const staysInDoubt = entry.saved.state === 'unknown' && failure.outcome !== 'unknown';
		entry.failure = staysInDoubt ? stillInDoubt(failure) : failure;
		this.firstNew ??= { failure: entry.failure, item };
		this.onFailure();
	}

	/** This item is held back because it may have been sent before. This is not a new failure and stops no run. */
	holdBack(item: number, failure: Failure): void {
		this.entry(item).failure ??= failure;
	}

	/**
	 * The run is over: what is in flight or between retries may have been processed, and the other items were not sent.
	 *
	 * @param failure of the run as a whole, if it could not be made
	 */
	end(failure?: Failure): void {
		if (failure !== undefined) {
			this.firstNew ??= { failure };
			this.release();
		}
		const stopped = cutOff();
		for (const [item, entry] of this.entries.entries()) {
			if (isDone(entry) || entry.failure !== undefined) continue;
			const { state } = entry.saved;
			if (state === 'inFlight' || state === 'unknown') this.fail(item, stopped);
			else entry.failure = failure ?? NOT_STARTED.halted;
		}
	}

	/** The first failure of this try, or else the first that an earlier try left. */
	get first(): Failed | undefined {
		if (this.firstNew !== undefined) return this.firstNew;
		const item = this.entries.findIndex(({ failure }) => failure !== undefined);
		const failure = this.entries[item]?.failure;
		return failure && { failure, item };
	}

	/**
	 * Deletes the record, unless Retry On Fail may repeat the node. It does if the first output item has an error, see
	 * https://github.com/n8n-io/n8n/blob/master/packages/core/src/execution-engine/workflow-execute.ts
	 */
	closeAfter([first]: readonly INodeExecutionData[]): void {
		const { retryOnFail } = this.context.getNode();
		if (retryOnFail !== true || first?.json.error === undefined) this.retry.forget();
	}

	private recordFailure(entry: Entry, failure: Failure): void {
		if (failure.outcome === 'unknown') entry.saved.tried = failure;
		this.record(entry, failure.outcome);
	}

	/** The one place where the state of an item changes. */
	private record(entry: Entry, event: ItemEvent): void {
		const { key, saved, sentIn } = entry;
		const { items } = this.retry.saved;
		saved.state = stateAfter(saved.state, event);
		const isUndone = saved.state === 'rejected' || saved.state === 'unsent';
		// Not kept: what was sent before, which a retry finds by its key, and what was not sent, which a retry sends.
		const isKept = isDone(entry)
			? this.effect !== 'reads' && (sentIn !== 'before' || saved.isCounted === true)
			: !this.isRepeatSafe && !isUndone;
		if (isKept) items[key] = saved;
		// A later try may be refused before it asks: then what an earlier one left in doubt still is.
		else if (isDone(entry) && saved.tried !== undefined) items[key] = { ...saved, state: 'unknown' };
		else delete items[key];
	}
}

/** Takes over the record that an earlier try left of an item. */
function takeOver(entry: Entry, found: SavedItem): void {
	entry.saved = found;
	if (isDone(entry)) {
		entry.sentIn = 'earlierTry';
		return;
	}
	const tried = found.tried ?? cutOff();
	// A new record: a cancelled retry must not write into the record of a retry that is still running.
	entry.saved = { ...found, state: 'unknown', tried };
	entry.failure = heldBack(tried);
}

/** What can happen to an item; each event has the name of the state that it leads to. */
type ItemEvent = Exclude<ItemState, 'waiting'>;

/**
 * The state of an item after an event. What the service has accepted stays sent, even if its answer can't be read. What may
 * have been processed stays in doubt until it is accepted, even if a later request is refused.
 */
function stateAfter(state: ItemState, event: ItemEvent): ItemState {
	if (event === 'sent') return event;
	return state === 'sent' || state === 'unknown' ? state : event;
}

/** Whether the service has accepted an item. */
export function isDone({ saved }: Entry): boolean {
	return saved.state === 'sent';
}
