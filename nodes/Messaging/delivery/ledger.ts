import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Operation } from '../operations/operation';
import type { ApiCall } from '../service/api-call';
import type { Failure, Outcome } from '../service/endings';
import { cutOff } from '../service/failure';
import { Turns } from '../shared/turns';
import { keepingOf } from './repetition';
import { doubt, ifUnknown, type Situation } from './report/wording';
import { itemKey, nameUuid, openNothing, openSaved, type Opened, type SavedItem } from './saved';

/**
 * How an item stands. `leftAgain` is `left` after a try that may have been processed. What is `left` without a result
 * counts as `unknown`, so that a cancelled or crashed run needs no code of its own.
 */
export type State = 'waiting' | 'left' | 'leftAgain' | 'accepted' | 'sent' | Outcome;

/** What can happen to an item: a request leaves, the service accepts it, the result is there, or it fails. */
export type Happening = 'left' | 'accepted' | 'sent' | Outcome;

/**
 * The whole life of an item: how it stands, what happens, how it stands then. What was accepted stays accepted, and
 * what may have been processed is not undone by a later refusal.
 */
export const NEXT: Readonly<Record<State, Readonly<Record<Happening, State>>>> = {
	waiting: row('left', 'accepted', 'sent', 'rejected', 'unsent', 'unknown'),
	left: row('left', 'accepted', 'sent', 'rejected', 'unsent', 'unknown'),
	rejected: row('left', 'accepted', 'sent', 'rejected', 'unsent', 'unknown'),
	unsent: row('left', 'accepted', 'sent', 'rejected', 'unsent', 'unknown'),
	unknown: row('leftAgain', 'accepted', 'sent', 'unknown', 'unknown', 'unknown'),
	leftAgain: row('leftAgain', 'accepted', 'sent', 'unknown', 'unknown', 'unknown'),
	accepted: row('accepted', 'accepted', 'sent', 'accepted', 'accepted', 'accepted'),
	sent: row('sent', 'sent', 'sent', 'sent', 'sent', 'sent'),
};

/** A row of the table: what each happening makes of a state. */
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
	readonly key: string;
	/** What later tries of the execution find of it. */
	saved: SavedItem;
	when: SentWhen;
	output?: Output;
	/** What the user is told of an item that failed. */
	failure?: Failure;
	/** The call that is or was on its way. */
	call?: ApiCall;
	onceKey?: string;
}

/** A failure and the items that it is about; none when it is about the run as a whole. */
export interface Failed {
	readonly failure: Failure;
	readonly items: readonly number[];
}

/** A call of which nothing is known but that it must not be made twice: only of such is kept that they had left. */
const ONCE_ONLY: ApiCall = { method: 'POST', path: '' };

/**
 * What has become of each input item: the one record that everything else is derived from. Every change is written to
 * the execution's data as it happens, and a retry begins with what stands there: so even a run that can't start tells
 * the truth.
 */
export class Ledger {
	readonly entries: readonly Entry[];

	/** Whether one of the calls changes something: reading again does no harm. */
	changes = false;

	/** Whether messages have a once key: the options are those of the node, so all of them have one, or none. */
	usesKeys = false;

	private firstNew: Failed | undefined;

	private constructor(
		private readonly opened: Opened,
		readonly situation: Situation,
		keysOf: ReadonlyArray<() => string>,
	) {
		this.entries = keysOf.map(newEntry);
	}

	/** The ledger of this execution for one operation, with what earlier tries have left in it. */
	static async open(context: IExecuteFunctions, operation: Operation | undefined): Promise<Ledger> {
		const opened = await openSaved(context);
		const { isToolCall, run } = opened;
		const scope = `${operation?.resource} ${operation?.name}`;
		const items = context.getInputData();
		const keysOf = items.map(
			({ json }, item) =>
				() =>
					itemKey(run, scope, item, json),
		);
		const isSubWorkflow = context.getMode() === 'integrated';
		const situation = { isToolCall, continues: context.continueOnFail(), isSubWorkflow };
		const ledger = new Ledger(opened, situation, keysOf);
		await ledger.load();
		return ledger;
	}

	/** A ledger that remembers nothing, for an n8n that can't say where to keep it. */
	static forgetful(total: number): Ledger {
		const situation = { isToolCall: false, continues: false, isSubWorkflow: false };
		const keysOf = Array.from({ length: total }, (_, item) => () => String(item));
		return new Ledger(openNothing(), situation, keysOf);
	}

	/** To be called when nothing is written any more: another try of the execution may be waiting for that. */
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
		for (const item of items) {
			const entry = this.entry(item);
			entry.call = call;
			this.happened(entry, 'left');
		}
	}

	/** A request for these items has failed. It may be repeated in this run: nobody is told yet. */
	cameBack(items: readonly number[], failure: Failure): void {
		for (const item of items) {
			const entry = this.entry(item);
			// Reading leaves nothing in doubt.
			if (keepingOf(entry.call ?? ONCE_ONLY) !== 'nothing') this.doubted(entry, failure);
		}
	}

	/** The service has accepted these items; `json` is the output for as long as its answer has not been read. */
	accepted(items: readonly number[], json: readonly IDataObject[]): void {
		this.note(items, 'accepted', json);
	}

	/**
	 * These items are done, with this output.
	 *
	 * @param when 'before' is not kept: a later try looks it up again, with the key that it has then
	 */
	sent(items: readonly number[], json: readonly IDataObject[], when: SentWhen = 'now'): void {
		for (const item of items) this.entry(item).when = when;
		this.note(items, 'sent', json);
		for (const item of items) delete this.entry(item).failure;
	}

	/** These items have failed for good in this try. One that may have been processed before stays in doubt. */
	fail(items: readonly number[], failure: Failure): void {
		let told: Failure | undefined;
		for (const item of items) {
			const entry = this.entry(item);
			const { tried } = entry.saved;
			this.doubted(entry, failure);
			const isUndone = entry.saved.state === 'unknown' && failure.outcome !== 'unknown';
			const found = isUndone && tried !== undefined ? doubt(tried, failure) : failure;
			entry.failure = entry.saved.state === 'unknown' ? advised(found, this.situation, entry.call) : found;
			told ??= entry.failure;
		}
		if (told !== undefined) this.firstNew ??= { failure: told, items };
	}

	/** These items are held back, because they may have been sent before. That is nothing new and stops no run. */
	holdBack(items: readonly number[], failure: Failure): void {
		for (const item of items) this.entry(item).failure ??= failure;
	}

	/** Gives all items that have no end yet this failure, which is about the run as a whole. */
	failRun(failure: Failure): void {
		this.firstNew ??= { failure, items: [] };
		this.failRest(failure);
	}

	/** What is still on its way when the run ends, because it was cancelled, may be processed. */
	failLeft(): void {
		for (const [item, entry] of this.entries.entries()) {
			if (isOnItsWay(entry)) this.fail([item], cutOff(entry.call ?? ONCE_ONLY));
		}
	}

	/** Gives all items that have no end yet this failure; it is not what the run failed for. */
	failRest(failure: Failure): void {
		for (const entry of this.entries) {
			if (!isDone(entry)) entry.failure ??= failure;
		}
	}

	/** n8n could not note how these once keys ended: they will look as if their items may have been sent. */
	keysUnnoted(onceKeys: readonly string[]): void {
		const unnoted = new Set(onceKeys);
		for (const entry of this.entries) {
			const { onceKey } = entry;
			if (onceKey === undefined || !unnoted.delete(onceKey)) continue;
			entry.saved.unnoted = onceKey;
		}
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
	 * Forgets everything once no repetition can come: n8n repeats a node that threw, one whose first output item is an
	 * error while it has tries left, and one that was cancelled when somebody retries it.
	 */
	closeAfterReturn(): void {
		const first = this.entries.find(
			({ failure, output }) => failure !== undefined || (output !== undefined && output.json.length > 0),
		);
		const isFailed = first?.failure !== undefined || first?.output?.json[0]?.error !== undefined;
		if (!(isFailed && this.opened.retriesLeft)) this.opened.forget();
	}

	private note(items: readonly number[], happening: 'accepted' | 'sent', json: readonly IDataObject[]): void {
		const [first = 0] = items;
		const output = { json, items: [...items] };
		for (const item of items) {
			const entry = this.entry(item);
			const { saved } = entry;
			if (saved.state === 'sent') continue;
			entry.output = output;
			// n8n saves the output of a call once.
			if (item === first) saved.json = json;
			else saved.sharedWith = this.entry(first).key;
			this.happened(entry, happening);
		}
	}

	private doubted(entry: Entry, failure: Failure): void {
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

	/** Takes over what earlier tries have left of the items that this run has. */
	private async load(): Promise<void> {
		const { items } = this.opened.saved;
		if (Object.keys(items).length === 0) return;
		this.changes = true;
		const turns = new Turns();
		const shared = new Map<string, Output>();
		for (const [item, entry] of this.entries.entries()) {
			if (turns.over) await turns.next();
			const saved = items[entry.key];
			if (saved === undefined) continue;
			entry.saved = saved;
			if (isDone(entry)) {
				const holder = saved.sharedWith ?? entry.key;
				const output = shared.get(holder) ?? { json: items[holder]?.json ?? [], items: [] };
				output.items.push(item);
				shared.set(holder, output);
				Object.assign(entry, { output, when: 'inEarlierTry' });
			} else {
				saved.state = 'unknown';
				saved.tried ??= cutOff(ONCE_ONLY);
				entry.failure = advised(doubt(saved.tried), this.situation);
			}
		}
	}
}

/** Whether the service has accepted an item. */
export function isDone({ saved: { state } }: Entry): boolean {
	return state === 'sent' || state === 'accepted';
}

/** Whether a request for an item has left, and has no result yet. */
export function isOnItsWay({ saved: { state } }: Entry): boolean {
	return state === 'left' || state === 'leftAgain';
}

/** An entry whose key is worked out when it is asked for: hashing an item costs as much as reading it. */
function newEntry(keyOf: () => string): Entry {
	let key: string | undefined;
	return {
		get key() {
			return (key ??= keyOf());
		},
		saved: { state: 'waiting' },
		when: 'now',
	};
}

/** What is known of a failure, and what to do about it where the call must not simply be repeated. */
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
