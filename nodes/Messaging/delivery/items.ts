import type { IExecuteFunctions } from 'n8n-workflow';

import { KeyMessages, shortHash } from './once/key-messages';
import { toolInput, type ToolInput } from '../agent/tool-input';
import { sourceOf } from '../input/source';
import { PathReader } from '../input/path-reader';
import { refuseUnsendable } from '../input/refuse';
import type { CompiledCall, Operation, Sharing } from '../operations/operation';
import type { Asked } from '../question/asked';
import { type Failure, isFailure } from '../service/endings';
import { maskShapes } from '../service/secrets';
import { type Clock, timeIn } from '../shared/clock';
import { defined, textAt } from '../shared/json';
import { isDone, type Ledger } from './ledger';
import type { Hints, LookUps } from './look-up';
import type { MessageRef } from './saved';
import type { Claim } from './once/claim';
import { decide } from './repetition';
import { askedTwice, broken, pastDeadline, refusal, SAME_KEY } from './wording';
import { callSettings, type CallSettings } from './settings';

/** What the items of a run are compiled with. */
interface ForItems {
	readonly context: IExecuteFunctions;
	readonly operation: Operation;
	readonly ledger: Ledger;
	readonly clock: Clock;
	readonly lookUps: Pick<LookUps, 'named'>;
	/** The questions asked; only in an operation that waits for an answer. */
	readonly asked: Pick<Asked, 'has' | 'linkTo'> | undefined;
	/** A UUID for what is sent under a once key; `undefined` if the run has no keys. */
	readonly uuidOfKey: (onceKey: string) => string | undefined;
	/** Takes the notes on the items. */
	readonly hints: Hints;
}

/** What to send for one item, or for several that share a call. */
export interface Job {
	readonly items: readonly number[];
	/** Its call; once it is prepared, with what had to be looked up first. */
	compiled: CompiledCall;
	readonly settings: CallSettings;
	/** The claim of its once key, once it has been prepared; `undefined` if it has none. */
	claim?: Claim | undefined;
}

/** Items that share a call. */
interface Group {
	readonly items: number[];
	readonly entries: string[];
	readonly settings: CallSettings;
	readonly sharing: Sharing;
}

/** The input items of a run as jobs. This is the only loop over items. */
export class Items {
	private readonly paths: PathReader;
	private readonly checked = new Set<string>();
	private readonly toolInput: ToolInput | undefined;
	/** Groups whose call still has room. */
	private readonly groups = new Map<string, Group>();
	/** The messages of the execution under once keys. */
	private readonly messages: KeyMessages;
	/** The items that ask, by the channel and the recipient. */
	private readonly asking = new Map<string, number>();

	/** The items with the same message to the same recipient, by a hash of both. */
	readonly same = new Map<string, number[]>();

	constructor(private readonly run: ForItems) {
		this.paths = new PathReader(run.context);
		this.toolInput = toolInput(run.context);
		this.messages = new KeyMessages(run.context);
	}

	/** The jobs in item order, each compiled only when it is drawn; `null` for an item without a job (yet). */
	*jobs(): Generator<Job | null> {
		for (const item of this.run.ledger.entries.keys()) {
			try {
				yield this.jobOf(item) ?? null;
			} catch (error) {
				this.run.ledger.fail([item], broken(error));
				yield null;
			}
		}
		for (const group of this.groups.values()) yield jobOfGroup(group);
	}

	/** The job of an item; `undefined` if the item is done, has failed, is held back, or waits to share a call. */
	private jobOf(item: number): Job | undefined {
		const { asked, ledger } = this.run;
		const entry = ledger.entry(item);
		// What is done is compiled only to be noted: later items with the same key or recipient are compared with it.
		if (isDone(entry) && !ledger.usesKeys && asked?.has(entry.key) !== true) return undefined;
		const job = this.compile(item);
		if (isDone(entry)) return undefined;
		if (isFailure(job)) {
			ledger.fail([item], job);
			return undefined;
		}
		const { compiled, settings } = job;
		const { ownFields, sharing } = compiled;
		const isTried = ledger.isInDoubt(item);
		entry.saved.message ??= messageRef(compiled);
		// An item with a key is sent, held back or counted as sent when its key is claimed, which may know that it was sent.
		if (settings.onceKey !== undefined) {
			if (!ledger.usesKeys) throw new Error('This run has no once keys');
			return job;
		}
		const decision = decide(isTried, 'none', settings.whenUnknown);
		// The item keeps the failure of its earlier try. That stops no run: the other items still go out.
		if (decision === 'hold') return undefined;
		if (decision === 'countAsSent') {
			ledger.countAsSent(item, { alreadySent: true, ...ownFields }, 'earlierTry');
			return undefined;
		}
		return sharing === undefined ? job : this.shared(item, job, sharing, isTried);
	}

	/**
	 * Adds an item to the group that it can share a call with.
	 *
	 * @param isDoubtful whether it may have been processed. Such items are grouped apart, because items that share a call
	 *   must end alike: a refusal leaves these in doubt, and no others
	 * @returns what to send now: a full group, or the item's own job if its entries fill more than a group
	 */
	private shared(item: number, job: Job, sharing: Sharing, isDoubtful: boolean): Job | undefined {
		const { entries, key, most } = sharing;
		const { settings } = job;
		if (entries.length > most) return job;
		const id = `${isDoubtful} ${settings.whenUnknown} ${key}`;
		const group = this.groups.get(id);
		if (group !== undefined && group.entries.length + entries.length <= most) {
			group.items.push(item);
			group.entries.push(...entries);
			return undefined;
		}
		// The item begins a group. One that had no room for it goes out now.
		this.groups.set(id, { items: [item], entries: [...entries], settings, sharing });
		return group && jobOfGroup(group);
	}

	/** The job of a single item, or why it has none. Notes on it are added to the hints of the run. */
	compile(item: number): Job | Failure {
		const { asked, clock, context, hints, ledger, lookUps, operation, uuidOfKey } = this.run;
		const { checked, paths, toolInput } = this;
		let onceKey: string | undefined;
		const run = {
			checked,
			paths,
			named: lookUps.named,
			note: (text: string) => void hints.set(text, 'info'),
		};
		const source = sourceOf(context, operation.fields, item, run, () => ({
			get callId() {
				return (onceKey === undefined ? undefined : uuidOfKey(onceKey)) ?? ledger.uuidOf(item);
			},
			get answerLink() {
				return asked?.linkTo(ledger.entry(item).key) ?? '';
			},
			isTool: ledger.isTool,
			isPreview: operation.previews !== undefined,
			toolInput,
		}));
		try {
			const options = callSettings(source, operation);
			({ onceKey } = options);
			const compiled = operation.compile(source);
			// Nobody can answer a question whose time is over, so it does not wait for longer than that.
			const answerableMs = (compiled.question?.until ?? Infinity) - Date.now();
			const leftMs = (compiled.deadline ?? Infinity) - Date.now();
			if (leftMs <= 0) return pastDeadline(timeIn(leftMs, source.timezone));
			const maxWaitMs = Math.min(options.maxWaitMs, answerableMs);
			const settings = { ...options, maxWaitMs, notAfter: clock.now() + Math.min(leftMs, answerableMs) };
			refuseUnsendable(compiled.call, operation.fields, compiled.sources);
			if (this.isOtherMessage(item, compiled, settings)) return SAME_KEY;
			const { lane = '' } = compiled;
			const first = this.asking.get(lane) ?? item;
			if (first !== item) return askedTwice(first);
			if (asked !== undefined) this.asking.set(lane, item);
			return { items: [item], compiled, settings };
		} catch (error) {
			return refusal(error);
		}
	}

	/**
	 * Notes the message of an item. Returns whether an earlier item or run of this execution has the same once key but a
	 * different message.
	 */
	private isOtherMessage(item: number, { fingerprint }: CompiledCall, { onceKey }: CallSettings): boolean {
		if (fingerprint === undefined) return false;
		const message = shortHash(fingerprint());
		const same = this.same.get(message);
		if (same === undefined) this.same.set(message, [item]);
		else same.push(item);
		return onceKey !== undefined && this.messages.isOther(onceKey, message, this.run.ledger.entry(item).key);
	}

	/** Forgets the messages that did not go out now: the next run, or an agent's next call, may correct them. */
	forgetUnsent(): void {
		const unsent = this.run.ledger.entries.filter(
			({ saved, sentIn }) => sentIn === 'before' || ['waiting', 'rejected', 'unsent'].includes(saved.state),
		);
		this.messages.endRun(new Set(unsent.map(({ key }) => key)));
	}
}

/** The job of items that share a call. */
function jobOfGroup({ entries, items, settings, sharing }: Group): Job {
	return { items, compiled: sharing.callFor(entries), settings };
}

/** How a message can be found at the service, if it may have been sent. */
function messageRef({ ownFields, recipient }: CompiledCall): MessageRef {
	// A key may have been entered as the address.
	const to = recipient && maskShapes(recipient);
	return defined<MessageRef>({ to, packageId: textAt(ownFields, 'packageId') || undefined });
}
