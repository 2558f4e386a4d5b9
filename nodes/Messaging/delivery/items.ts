import type { IExecuteFunctions } from 'n8n-workflow';

import { KeyMessages, shortHash } from './once/key-messages';
import { toolInput, type ToolInput } from '../agent/tool-input';
import { sourceOf } from '../input/source';
import { PathReader } from '../input/path-reader';
import { refuseUnsendable } from '../input/refuse';
import type { CompiledCall, Operation } from '../operations/operation';
import type { Asked } from '../question/asked';
import { type Failure, isFailure } from '../service/endings';
import { maskInErrors } from '../service/secrets';
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

/** What to send for one item. */
export interface Job {
	readonly items: readonly number[];
	/** Its call; once it is prepared, with what had to be looked up first. */
	compiled: CompiledCall;
	readonly settings: CallSettings;
	/** The claim of its once key, once it has been prepared; `undefined` if it has none. */
	claim?: Claim | undefined;
}

/** The input items of a run as jobs. This is the only loop over items. */
export class Items {
	private readonly paths: PathReader;
	private readonly checked = new Set<string>();
	private readonly toolInput: ToolInput | undefined;
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
	}

	/** The job of an item; `undefined` if the item is done, has failed, is held back, */
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
		const { ownFields } = compiled;
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
		return job;
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
			refuseUnsendable(compiled.call);
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

/** How a message can be found at the service, if it may have been sent. */
function messageRef({ ownFields, recipient }: CompiledCall): MessageRef {
	// A key may have been entered as the address.
	const to = recipient && maskInErrors(recipient);
	return defined<MessageRef>({ to, packageId: textAt(ownFields, 'packageId') || undefined });
}
