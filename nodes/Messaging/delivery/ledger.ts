import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { optionLabel } from '../fields/settings';
import type { Effect, Operation } from '../operations/operation';
import type { ApiCall } from '../service/api-call';
import type { Failure, Outcome } from '../service/endings';
import { cutOff } from '../service/failure';
import { isTool } from '../shared/tool';
import { Turns } from '../shared/turns';
import { keepingOf } from './repetition';
import { reportOn } from './report/report';
import { itemError } from './report/text';
import { doubt } from './report/wording';
import { itemKey, nameUuid, newSaved, openSaved, type Opened, type SavedItem } from './saved';

/**
 * The state of an item. A run that is cancelled or crashes needs no cleanup: an item that is `left` without a result
 * counts as `unknown` in the next try.
 */
export type State = 'waiting' | 'left' | 'accepted' | 'sent' | Outcome;

/** What can happen to an item: a request leaves, the service accepts it, the result arrives, or it fails. */
export type Happening = 'left' | 'accepted' | 'sent' | Outcome;

/**
 * The state machine of an item: state, event, next state. What the service has accepted stays accepted. What may have
 * been processed stays in doubt, even if a later request is refused.
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

/** A row of the table: the next state after each event. */
function row(...next: [State, State, State, State, State, State]): Readonly<Record<Happening, State>> {
	const [left, accepted, sent, rejected, unsent, unknown] = next;
	return { left, accepted, sent, rejected, unsent, unknown };
}

/** The output of a call, and the items that share it. */
interface Output {
	readonly json: readonly IDataObject[];
	readonly items: number[];
}

/** When an item was sent: in this run, in an earlier try, or before (according to its once key or the service). */
export type SentWhen = 'now' | 'inEarlierTry' | 'before';

/** What is known about one item. */
export interface Entry {
	/** Identifies the item in all tries of the execution. */
	key: string;
	/** What later tries of the execution will find. */
	saved: SavedItem;
	when: SentWhen;
	output?: Output;
	/** What the user sees if the item failed. */
	failure?: Failure;
	/** The call of the item's last request in this run. */
	call?: ApiCall | undefined;
}

/** A failure and the items it affects; no items if it affects the run as a whole. */
export interface Failed {
	readonly failure: Failure;
	readonly items: readonly number[];
}

/** Stands in for the call of an item that left in an earlier try: only calls that must not be repeated are recorded. */
const ONCE_ONLY: ApiCall = { method: 'POST', path: '' };

/**
 * The state of each input item: the one record from which everything else is derived. Every change is written to the
 * execution's data as it happens, and a retry begins with that data. So even a run that can't start reports the true
 * state.
 */
export class Ledger {
	readonly entries: readonly Entry[];

	/** Whether an AI agent calls, so that a model reads what becomes of the items. */
	readonly isTool: boolean;

	/** What the calls of the operation do. */
	effect: Effect = 'changes';

	/** Whether a repetition does harm: the operation has the option When Outcome Is Unknown. */
	isOnceOnly = false;

	/** Whether the node has run before in this execution, as in a loop. */
	isLaterRun = false;

	/** Whether messages have a once key: all items have the option, or none. */
	usesKeys = false;

	/** The once keys whose outcome n8n could not record: their messages will seem to be in doubt. */
	unnoted: readonly string[] = [];

	private firstNew: Failed | undefined;

	private opened: Opened = { saved: newSaved(), run: 0, forget: () => {}, leave: () => {} };

	/** Remembers nothing until it is opened. */
	constructor(private readonly context: IExecuteFunctions) {
		this.isTool = isTool(context);
		this.entries = context
			.getInputData()
			.map((_, item) => ({ key: String(item), saved: { state: 'waiting' }, when: 'now' }));
	}

	/** Takes over the records that earlier tries of this execution left for this operation. */
	async open(operation: Operation | undefined): Promise<void> {
		this.opened = await openSaved(this.context);
		const { run, saved } = this.opened;
		this.effect = operation?.effect ?? this.effect;
		this.isOnceOnly = optionLabel(operation?.fields ?? [], 'whenUnknown') !== undefined;
		this.isLaterRun = run > 0;
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

	/** Must be called once nothing more is written: another try of the execution may be waiting for that. */
	leave(): void {
		this.opened.leave();
	}

	entry(item: number): Entry {
		const entry = this.entries[item];
		if (entry === undefined) throw new RangeError(`There is no item ${item}`);
		return entry;
	}

	/** A UUID for an item of this execution, the same in every try. */
	uuidOf(item: number): string {
		return nameUuid(this.opened.saved.identity, this.entry(item).key);
	}

	/** A request for these items is leaving. */
	left(items: readonly number[], call: ApiCall): void {
		for (const item of items) {
			const entry = this.entry(item);
			entry.call = call;
			// An item that an earlier try left in doubt is being sent again.
			delete entry.failure;
			this.happened(entry, 'left');
		}
	}

	/** A request for these items has failed. The user does not see it yet, because this run may retry. */
	cameBack(items: readonly number[], failure: Failure): void {
		for (const item of items) {
			const entry = this.entry(item);
			// A failed read leaves nothing in doubt.
			if (keepingOf(entry.call ?? ONCE_ONLY) !== 'nothing') this.failed(entry, failure);
		}
	}

	/** The service has accepted these items; `json` is their output until the answer has been read. */
	accepted(items: readonly number[], json: readonly IDataObject[]): void {
		this.note(items, 'accepted', json);
	}

	/**
	 * These items are done, with this output.
	 *
	 * @param when 'before' is not recorded: a later try asks again, with the key that the item has then
	 */
	sent(items: readonly number[], json: readonly IDataObject[], when: SentWhen = 'now'): void {
		for (const item of items) this.entry(item).when = when;
		this.note(items, 'sent', json);
		for (const item of items) {
			const entry = this.entry(item);
			delete entry.failure;
			// Otherwise its body would stay in memory until the run ends.
			entry.call = undefined;
		}
	}

	/** The user says that this item was sent. */
	countAsSent(item: number, json: IDataObject, when: SentWhen): void {
		this.entry(item).saved.isCounted = true;
		this.sent([item], [json], when);
	}

	/** These items have failed for this try. An item that may have been processed stays in doubt. */
	fail(items: readonly number[], failure: Failure): void {
		let told: Failure | undefined;
		for (const item of items) {
			const entry = this.entry(item);
			const { tried } = entry.saved;
			this.failed(entry, failure);
			const isDoubtful = entry.saved.state === 'unknown';
			const isUndone = isDoubtful && failure.outcome !== 'unknown';
			const found = isUndone && tried !== undefined ? doubt(tried, failure) : failure;
			entry.failure = found;
			told ??= found;
		}
		if (told !== undefined) this.firstNew ??= { failure: told, items };
	}

	/** These items are held back because they may have been sent before. This is not a new failure and stops no run. */
	holdBack(items: readonly number[], failure: Failure): void {
		for (const item of items) this.entry(item).failure ??= failure;
	}

	/** The run as a whole has failed, and with it all items without a result. Those in flight may have been processed. */
	failRun(failure: Failure): void {
		this.firstNew ??= { failure, items: [] };
		this.failLeft();
		this.failRest(failure);
		this.leave();
	}

	/** Fails items in flight or between retries when a run ends early: they may have been processed. */
	failLeft(): void {
		for (const [item, { call, failure, saved }] of this.entries.entries()) {
			const isInDoubt = saved.state === 'left' || saved.state === 'unknown';
			if (isInDoubt && failure === undefined) this.fail([item], cutOff(call ?? ONCE_ONLY));
		}
	}

	/** Fails all items that are not done and have not failed; the run does not count this as its failure. */
	failRest(failure: Failure): void {
		for (const entry of this.entries) {
			if (!isDone(entry)) entry.failure ??= failure;
		}
	}

	/** The first failure of this try, or else the first that an earlier try left. */
	get first(): Failed | undefined {
		if (this.firstNew !== undefined) return this.firstNew;
		const item = this.entries.findIndex(({ failure }) => failure !== undefined);
		const failure = this.entries[item]?.failure;
		return failure && { failure, items: [item] };
	}

	/** Whether an item, or the run, has failed in this try. */
	get hasFailed(): boolean {
		return this.firstNew !== undefined;
	}

	/** The output in input order. A long one is made over several turns of the event loop. */
	async output(): Promise<INodeExecutionData[]> {
		const turns = new Turns();
		const all: INodeExecutionData[] = [];
		for (const [item, { failure, output }] of this.entries.entries()) {
			if (failure !== undefined)
				all.push({
					json: { error: itemError(reportOn(this.context, this, { failure, items: [item] })) },
					pairedItem: { item },
				});
			else if (output?.items[0] === item) {
				const pairedItem = output.items.length === 1 ? { item } : output.items.map((one) => ({ item: one }));
				for (const json of output.json) {
					if (turns.over) await turns.next();
					all.push({ json, pairedItem });
				}
			}
		}
		return all;
	}

	/**
	 * Deletes the record, unless n8n may repeat the node: with Retry On Fail, it does so if the first output item has an
	 * error.
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
			delete entry.saved.sending;
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
	 * Takes over the record that an earlier try left of an item.
	 *
	 * @param shared the outputs so far: items that share an output still share its array after n8n has saved it
	 */
	private takeOver(item: number, found: SavedItem, shared: Map<SavedItem['json'], Output>): void {
		const entry = this.entry(item);
		if (found.state === 'sent' || found.state === 'accepted') {
			const output = shared.get(found.json) ?? { json: found.json ?? [], items: [] };
			output.items.push(item);
			shared.set(found.json, output);
			Object.assign(entry, { saved: found, output, when: 'inEarlierTry' });
		} else {
			const tried = found.tried ?? cutOff(ONCE_ONLY);
			// A new record: a cancelled retry must not write into the record of a retry that is still running.
			entry.saved = { ...found, state: 'unknown', tried };
			entry.failure = doubt(tried);
		}
	}
}

/** Whether the service has accepted an item. */
export function isDone({ saved: { state } }: Entry): boolean {
	return state === 'sent' || state === 'accepted';
}
