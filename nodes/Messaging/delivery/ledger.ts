import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Operation } from '../operations/operation';
import { type ApiCall, readsOnly } from '../service/api-call';
import type { Failure, Outcome } from '../service/endings';
import { cutOff } from '../service/failure';
import { Turns } from '../shared/turns';
import { keepingOf } from './repetition';
import { doubt, ifUnknown, type Situation } from './report/wording';
import { isToolCall, itemKey, nameUuid, newSaved, openSaved, type Opened, type SavedItem } from './saved';

/**
 * How an item stands. A run that is cancelled or crashes needs no code for this: what is `left` without a result counts
 * as `unknown` in the next try.
 */
export type State = 'waiting' | 'left' | 'accepted' | 'sent' | Outcome;

/** What can happen to an item: a request leaves, the service accepts it, the result is there, or it fails. */
export type Happening = 'left' | 'accepted' | 'sent' | Outcome;

/**
 * All transitions of an item: its state, what happens, its next state. What the service has accepted stays accepted.
 * What may have been processed stays in doubt, even if a later request is refused.
 */
export const NEXT: Readonly<Record<State, Readonly<Record<Happening, State>>>> = {
	waiting: row('left', 'accepted', 'sent', 'rejected', 'unsent', 'unknown'),
	left: row('left', 'accepted', 'sent', 'rejected', 'unsent', 'unknown'),
	rejected: row('left', 'accepted', 'sent', 'rejected', 'unsent', 'unknown'),
	unsent: row('left', 'accepted', 'sent', 'rejected', 'unsent', 'unknown'),
	unknown: row('unknown', 'accepted', 'sent', 'unknown', 'unknown', 'unknown'),
	accepted: row('accepted', 'accepted', 'sent', 'accepted', 'accepted', 'accepted'),
	sent: row('sent', 'sent', 'sent', 'sent', 'sent', 'sent'),
};

/** A row of the table: the next state after each happening. */
function row(
	left: State,
	accepted: State,
	sent: State,
	rejected: State,
	unsent: State,
	unknown: State,
): Readonly<Record<Happening, State>> {
	return { left, accepted, sent, rejected, unsent, unknown };
}

/** The output of a call, and the items that share it. */
interface Output {
	readonly json: readonly IDataObject[];
	readonly items: number[];
}

/** When an item was sent: by this run, by an earlier try of the execution, or before, as its once key or the service says. */
export type SentWhen = 'now' | 'inEarlierTry' | 'before';

/** What is known of one item. */
export interface Entry {
	/** Names the item in all tries of the execution. */
	key: string;
	/** What later tries of the execution find of it. */
	saved: SavedItem;
	when: SentWhen;
	output?: Output;
	/** What the user is told of an item that failed. */
	failure?: Failure;
	/** The call of which a request has left in this run. */
	call?: ApiCall | undefined;
}

/** A failure and the items that it is about; none when it is about the run as a whole. */
export interface Failed {
	readonly failure: Failure;
	readonly items: readonly number[];
}

/** Stands for the call of an item that has left in an earlier try: only a call that must not be repeated is kept then. */
const ONCE_ONLY: ApiCall = { method: 'POST', path: '' };

/**
 * What has become of each input item: the one record from which everything else is derived. Every change is written to
 * the execution's data as it happens, and a retry begins with it. So even a run that can't start tells the truth.
 */
export class Ledger {
	readonly entries: readonly Entry[];

	readonly situation: Situation;

	/** Whether a call of these items changes something: reading again does no harm. */
	changes = false;

	/** Whether messages have a once key: the option is there for all items, or for none. */
	usesKeys = false;

	private firstNew: Failed | undefined;

	private opened: Opened = { saved: newSaved(), run: 0, forget: () => {}, leave: () => {} };

	/** A ledger that remembers nothing until it is opened. */
	constructor(private readonly context: IExecuteFunctions) {
		this.entries = context
			.getInputData()
			.map((_, item) => ({ key: String(item), saved: { state: 'waiting' }, when: 'now' }));
		this.situation = {
			isToolCall: isToolCall(context),
			continues: context.continueOnFail(),
			isSubWorkflow: context.getMode() === 'integrated',
		};
	}

	/** Takes over what earlier tries of this execution have left for this operation. */
	async open(operation: Operation | undefined): Promise<void> {
		this.opened = await openSaved(this.context);
		const { run, saved } = this.opened;
		const scope = `${operation?.resource} ${operation?.name}`;
		const shared = new Map<SavedItem['json'], Output>();
		const turns = new Turns();
		for (const [item, { json }] of this.context.getInputData().entries()) {
			if (turns.over) await turns.next();
			const entry = this.entry(item);
			entry.key = itemKey(run, scope, item, json);
			const found = saved.items[entry.key];
			if (found !== undefined) this.takeOver(item, found, shared);
		}
	}

	/** Must be called when nothing is written any more: another try of the execution may be waiting for that. */
	leave(): void {
		this.opened.leave();
	}

	/** The entry of an item. */
	entry(item: number): Entry {
		const entry = this.entries[item];
		if (entry === undefined) throw new RangeError(`There is no item ${item}`);
		return entry;
	}

	/** A UUID that belongs to an item in this execution, the same in every try. */
	uuidOf(item: number): string {
		return nameUuid(this.opened.saved.identity, this.entry(item).key);
	}

	/** A request for these items leaves. */
	left(items: readonly number[], call: ApiCall): void {
		if (!readsOnly(call)) this.changes = true;
		for (const item of items) {
			const entry = this.entry(item);
			entry.call = call;
			// What an earlier try has left in doubt is being sent again.
			delete entry.failure;
			this.happened(entry, 'left');
		}
	}

	/** A request for these items has failed. It may be repeated in this run, so that the user is not told yet. */
	cameBack(items: readonly number[], failure: Failure): void {
		for (const item of items) {
			const entry = this.entry(item);
			// Reading leaves nothing in doubt.
			if (keepingOf(entry.call ?? ONCE_ONLY) !== 'nothing') this.failed(entry, failure);
		}
	}

	/** The service has accepted these items; `json` is the output for as long as its answer has not been read. */
	accepted(items: readonly number[], json: readonly IDataObject[]): void {
		this.note(items, 'accepted', json);
	}

	/**
	 * These items are done, with this output.
	 *
	 * @param when 'before' is not kept: a later try asks again, with the key that the item has then
	 */
	sent(items: readonly number[], json: readonly IDataObject[], when: SentWhen = 'now'): void {
		if (when !== 'now') this.changes = true;
		for (const item of items) this.entry(item).when = when;
		this.note(items, 'sent', json);
		for (const item of items) {
			const entry = this.entry(item);
			delete entry.failure;
			// Its body would be kept until the run ends.
			entry.call = undefined;
		}
	}

	/** These items have failed for good in this try. One that may have been processed before stays in doubt. */
	fail(items: readonly number[], failure: Failure): void {
		let told: Failure | undefined;
		for (const item of items) {
			const entry = this.entry(item);
			const { tried } = entry.saved;
			this.failed(entry, failure);
			const isDoubtful = entry.saved.state === 'unknown';
			const isUndone = isDoubtful && failure.outcome !== 'unknown';
			const found = isUndone && tried !== undefined ? doubt(tried, failure) : failure;
			entry.failure = isDoubtful ? advised(found, this.situation, entry.call) : found;
			told ??= entry.failure;
		}
		if (told !== undefined) this.firstNew ??= { failure: told, items };
	}

	/** These items are held back, because they may have been sent before. That is nothing new, and stops no run. */
	holdBack(items: readonly number[], failure: Failure): void {
		this.changes = true;
		for (const item of items) this.entry(item).failure ??= failure;
	}

	/** The run as a whole has failed: this is the failure of all items that have no end yet. */
	failRun(failure: Failure): void {
		this.firstNew ??= { failure, items: [] };
		this.failRest(failure);
	}

	/** What is on its way when a cancelled run ends, or waits to be sent again, may be processed. */
	failLeft(): void {
		for (const [item, { call, failure, saved }] of this.entries.entries()) {
			const isInDoubt = saved.state === 'left' || saved.state === 'unknown';
			if (isInDoubt && failure === undefined) this.fail([item], cutOff(call ?? ONCE_ONLY));
		}
	}

	/** Gives all items that have no end yet this failure; it is not what the run failed for. */
	failRest(failure: Failure): void {
		for (const entry of this.entries) {
			if (!isDone(entry)) entry.failure ??= failure;
		}
	}

	/** n8n could not note how these once keys ended: it will look as if their messages may have been sent. */
	keysUnnoted(keys: readonly string[]): void {
		const { saved } = this.opened;
		if (keys.length > 0) saved.unnoted = [...this.unnoted, ...keys];
	}

	/** The once keys whose end n8n could not note, those of earlier tries included. */
	get unnoted(): readonly string[] {
		return this.opened.saved.unnoted ?? [];
	}

	/** The first failure of this try; one that an earlier try has left only where there is no other. */
	get first(): Failed | undefined {
		if (this.firstNew !== undefined) return this.firstNew;
		const item = this.entries.findIndex(({ failure }) => failure !== undefined);
		const failure = this.entries[item]?.failure;
		return failure && { failure, items: [item] };
	}

	/** Whether an item has failed for good in this try. */
	get hasFailed(): boolean {
		return this.firstNew !== undefined;
	}

	/** The output in input order. The event loop turns while there is much of it. */
	async output(): Promise<INodeExecutionData[]> {
		const turns = new Turns();
		const all: INodeExecutionData[] = [];
		for (const [item, { failure, output }] of this.entries.entries()) {
			if (failure !== undefined) all.push({ json: errorJson(failure, item), pairedItem: { item } });
			else if (output?.items[0] === item) {
				const pairedItem = output.items.length === 1 ? { item } : output.items.map((one) => ({ item: one }));
				for (const json of output.json) {
					if (turns.overAfter(1)) await turns.next();
					all.push({ json, pairedItem });
				}
			}
		}
		return all;
	}

	/**
	 * Deletes what is remembered, unless n8n may repeat the node: with Retry On Fail it does so when the first item of the
	 * output has an error.
	 */
	closeAfter([first]: readonly INodeExecutionData[]): void {
		const { retryOnFail } = this.context.getNode();
		if (retryOnFail !== true || first?.json.error === undefined) this.opened.forget();
	}

	private note(items: readonly number[], happening: 'accepted' | 'sent', json: readonly IDataObject[]): void {
		const output = { json, items: [...items] };
		for (const item of items) {
			const entry = this.entry(item);
			if (entry.saved.state === 'sent') continue;
			entry.output = output;
			entry.saved.json = json;
			this.happened(entry, happening);
		}
	}

	private failed(entry: Entry, failure: Failure): void {
		if (failure.outcome === 'unknown') entry.saved.tried = failure;
		this.happened(entry, failure.outcome);
	}

	/** The one place where the state of an item changes. */
	private happened(entry: Entry, happening: Happening): void {
		const { call = ONCE_ONLY, key, saved, when } = entry;
		const { items } = this.opened.saved;
		saved.state = NEXT[saved.state][happening];
		const isUndone = saved.state === 'rejected' || saved.state === 'unsent';
		const keeping = keepingOf(call);
		const isKept = isDone(entry) ? keeping !== 'nothing' && when !== 'before' : keeping === 'all';
		if (isKept && !isUndone) items[key] = saved;
		else delete items[key];
	}

	/**
	 * Takes over what an earlier try has left of an item.
	 *
	 * @param shared the outputs so far: n8n keeps arrays that several items share as one
	 */
	private takeOver(item: number, found: SavedItem, shared: Map<SavedItem['json'], Output>): void {
		const entry = this.entry(item);
		this.changes = true;
		if (found.state === 'sent' || found.state === 'accepted') {
			const output = shared.get(found.json) ?? { json: found.json ?? [], items: [] };
			output.items.push(item);
			shared.set(found.json, output);
			Object.assign(entry, { saved: found, output, when: 'inEarlierTry' });
		} else {
			const tried = found.tried ?? cutOff(ONCE_ONLY);
			// A new record: a cancelled retry must not write into that of a retry which is still running.
			entry.saved = { state: 'unknown', tried };
			entry.failure = advised(doubt(tried), this.situation);
		}
	}
}

/** Whether the service has accepted an item. */
export function isDone({ saved: { state } }: Entry): boolean {
	return state === 'sent' || state === 'accepted';
}

/** A failure with what to do about it, where the call must not simply be repeated. */
function advised(failure: Failure, situation: Situation, call: ApiCall = ONCE_ONLY): Failure {
	if (keepingOf(call) !== 'all') return failure;
	return { ...failure, description: `${failure.description} ${failure.advice ?? ifUnknown(situation)}` };
}

/** The error item of a failure. */
function errorJson(
	{ message, description, statusCode, outcome, problem }: Failure,
	item: number,
): IDataObject {
	// What never reached the service has its cause in the item: its error says which one it is.
	const advice = outcome === 'unsent' ? `Item ${item}: ${description}` : description;
	return { error: { message, description: advice, statusCode, outcome, problem } };
}
