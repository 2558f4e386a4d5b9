import { continuesOnFail } from '../agent/caller';
import { toolInput, type ToolInput } from '../agent/tool-input';
import { kindOfNote, LACKS_PART } from '../input/notes';
import { PathReader } from '../input/path-reader';
import { refuseUnsendable } from '../input/refuse';
import { sourceOf } from '../input/source';
import type { CompiledCall } from '../operations/operation';
import { type Failure, isFailure } from '../service/endings';
import { timeIn } from '../shared/clock';
import { defined, textAt } from '../shared/json';
import { Turns } from '../shared/turns';
import { type End, ExecutionMessages, shortHash } from './execution-messages';
import { isDone } from './ledger';
import { decide } from './repetition';
import type { Run } from './run';
import type { MessageRef } from './saved';
import { callSettings, type CallSettings } from './settings';
import {
	askedTwice,
	broken,
	IN_DOUBT_IN_EARLIER_RUN,
	pastDeadline,
	refusal,
	SAME_KEY,
	samePackageId,
} from './wording';

/** What to send for one item. */
export interface Job {
	readonly item: number;
	readonly compiled: CompiledCall;
	readonly settings: CallSettings;
}

/** What is known of an item before anything is sent. */
export interface Looked {
	/** What to send for it, or why it is refused. */
	readonly job: Job | Failure;
	/** What would be sent as it is and may not be meant, as sentences. */
	readonly notes: readonly string[];
	/** A hash of its message. */
	readonly message?: string | undefined;
	/** The first item with its once key, and the first with its message for the same person; itself if it is the first. */
	readonly sameKeyAs?: number;
	readonly sameTextAs?: number | undefined;
}

/** The input items of a run. All of them are looked at before anything is sent. This is the only loop over items. */
export class Items {
	/** What was found, by item, until it is sent; `undefined` for one that an earlier try has done. */
	readonly looked: Array<Looked | undefined> = [];
	/** The first item with each once key, and the items with the same message for the same person, by a hash of it. */
	private readonly byKey = new Map<string, number>();
	private readonly byMessage = new Map<string, number[]>();

	private readonly paths: PathReader;
	private readonly checked = new Set<string>();
	private readonly toolInput: ToolInput | undefined;
	/** The items whose message an earlier run of the node in this execution has sent. */
	readonly repeated: number[] = [];
	private readonly messages: ExecutionMessages;
	/** The first item with each Package ID that was given, and its once key. */
	private readonly byPackageId = new Map<string, readonly [item: number, onceKey: string | undefined]>();
	/** The items that ask, by the channel and the recipient. */
	private readonly asking = new Map<string, number>();
	/** In a run by hand, the kinds of notes that all items to be sent have so far. What they say may be meant for some items. */
	private ofAll: ReadonlySet<string> | undefined;
	/** Why nobody can be asked. */
	private failure: Failure | undefined;

	private readonly isByHand: boolean;

	constructor(
		private readonly run: Pick<
			Run,
			'asked' | 'calls' | 'context' | 'halt' | 'hints' | 'ledger' | 'lookUps' | 'operation' | 'uuidOfKey'
		>,
	) {
		this.isByHand = run.context.getMode() === 'manual';
		this.paths = new PathReader(run.context);
		this.toolInput = toolInput(run.context);
		this.messages = new ExecutionMessages(run.context, run.ledger.run);
	}

	/**
	 * Looks at all items, in turns of the event loop. Makes no call but the look-up of names.
	 *
	 * @returns why nothing can be sent for any of them
	 */
	async look(): Promise<Failure | undefined> {
		const { calls, context, halt, ledger, lookUps, operation } = this.run;
		const failure = await lookUps.readNamed(context, operation.fields);
		if (failure !== undefined) return failure;
		const turns = new Turns(calls.clock);
		for (const item of ledger.entries.keys()) {
			if (turns.over) await turns.next();
			if (halt.signal.aborted) break;
			this.looked.push(this.lookAt(item));
		}
		return this.failure;
	}

	/** What to send, in item order. With On Error "Stop Workflow", nothing if an item is refused. */
	async jobs(): Promise<Job[]> {
		const { calls, context, ledger } = this.run;
		const all = this.looked.splice(0);
		const isRefused = (item: number): boolean => {
			const job = all[item]?.job;
			return job !== undefined && isFailure(job) && !isDone(ledger.entry(item));
		};
		const refused = [...all.keys()].filter(isRefused);
		const stops = refused.length > 0 && !continuesOnFail(context);
		if (stops) ledger.refused = refused;
		const turns = new Turns(calls.clock);
		const jobs: Job[] = [];
		for (const item of stops ? refused : all.keys()) {
			if (turns.over) await turns.next();
			const job = this.jobOf(item, all[item]);
			if (job !== undefined) jobs.push(job);
		}
		return jobs;
	}

	/** The job of an item; none if it is done, has failed or is held back. */
	private jobOf(item: number, found: Looked | undefined): Job | undefined {
		const { hints, ledger } = this.run;
		const entry = ledger.entry(item);
		if (found === undefined || isDone(entry)) return undefined;
		for (const note of found.notes) {
			const kind = kindOfNote(note);
			if (!note.includes(LACKS_PART)) hints.set(note, 'info');
			else if (this.ofAll?.has(kind) === true) hints.set(`${kind}.`, 'warning');
		}
		const { job } = found;
		if (isFailure(job)) {
			ledger.fail(item, job);
			return undefined;
		}
		const { compiled, settings } = job;
		const earlier = found.message && this.messages.endOf(found.message);
		// What an earlier run may have sent has another ID, unless the once key gives it.
		const isOther = earlier === 'unknown' && settings.onceKey === undefined;
		const packageId = (!isOther && textAt(compiled.ownFields, 'packageId')) || undefined;
		entry.saved.message ??= defined<MessageRef>({ to: compiled.recipient, packageId });
		if (earlier === 'sent') this.repeated.push(item);
		// An item with a key is sent, held back or counted as sent when its key is claimed, which may know that it was sent.
		if (settings.onceKey !== undefined) return job;
		if (earlier === 'unknown') ledger.requestFailed(item, IN_DOUBT_IN_EARLIER_RUN);
		const decision = decide(ledger.isInDoubt(item), 'none', settings.whenUnknown);
		if (decision === 'countAsSent') {
			ledger.countAsSent(item, { alreadySent: true, ...compiled.ownFields }, 'earlierTry');
			return undefined;
		}
		// An item that is held keeps the failure of its earlier try. That stops no run: the other items still go out.
		if (decision !== 'hold') return job;
		ledger.holdBack(item, IN_DOUBT_IN_EARLIER_RUN);
		return undefined;
	}

	private lookAt(item: number): Looked | undefined {
		const { asked, ledger } = this.run;
		const entry = ledger.entry(item);
		// What is done is looked at only to be noted: later items with the same key or recipient are compared with it.
		if (isDone(entry) && !ledger.usesKeys && asked?.has(entry.key) !== true) return undefined;
		const noted = new Set<string>();
		const job = this.compile(item, noted);
		const notes = [...noted];
		if (isFailure(job)) return { job, notes };
		if (this.isByHand) {
			const kinds = new Set(notes.map(kindOfNote));
			this.ofAll = new Set([...(this.ofAll ?? kinds)].filter((kind) => kinds.has(kind)));
		}
		const { fingerprint } = job.compiled;
		const message = fingerprint && shortHash(fingerprint());
		const alike = message === undefined ? [] : firstWith(this.byMessage, message, []);
		alike.push(item);
		const clash = this.clashOf(item, job, message);
		if (clash !== undefined) return { job: clash, notes };
		const { onceKey } = job.settings;
		const sameKeyAs = onceKey === undefined ? item : firstWith(this.byKey, onceKey, item);
		return { job, notes, message, sameKeyAs, sameTextAs: alike[0] };
	}

	/** What to send for an item, by its parameters, or why it is refused. */
	private compile(item: number, notes: Set<string>): Job | Failure {
		const { asked, calls, context, ledger, lookUps, operation } = this.run;
		const { checked, paths, toolInput } = this;
		let onceKey: string | undefined;
		const idOf = (): string => this.idOf(item, onceKey);
		const shared = { checked, paths, named: lookUps.named, note: (text: string) => void notes.add(text) };
		const source = sourceOf(context, operation.fields, item, shared, () => ({
			get callId() {
				return idOf();
			},
			get answerLink() {
				return asked?.linkTo(ledger.entry(item).key) ?? '';
			},
			isTool: ledger.isTool,
			wantsAllNotes: operation.previews !== undefined || (this.isByHand && this.ofAll?.size !== 0),
			toolInput,
		}));
		try {
			const options = callSettings(source, operation);
			({ onceKey } = options);
			if (onceKey !== undefined && !ledger.usesKeys) return broken(new Error('This run has no once keys'));
			const compiled = operation.compile(source);
			refuseUnsendable(compiled.call);
			// Nobody can answer a question whose time is over, so it does not wait for longer than that.
			const answerableMs = (compiled.question?.until ?? Infinity) - Date.now();
			const leftMs = (compiled.deadline ?? Infinity) - Date.now();
			if (leftMs <= 0) return pastDeadline(timeIn(leftMs, source.timezone));
			const maxWaitMs = Math.min(options.maxWaitMs, answerableMs);
			const notAfter = calls.clock.now() + Math.min(leftMs, answerableMs);
			return { item, compiled, settings: { ...options, maxWaitMs, notAfter } };
		} catch (error) {
			return refusal(error);
		}
	}

	/**
	 * Why an item is refused because of an earlier one: of this run, or of the execution.
	 *
	 * @param message a hash of its message
	 */
	private clashOf(item: number, { compiled, settings }: Job, message?: string): Failure | undefined {
		const { asked, ledger } = this.run;
		const { onceKey } = settings;
		const { key: by } = ledger.entry(item);
		if (message !== undefined && this.messages.isOther({ item, by, key: onceKey, message })) return SAME_KEY;
		const packageId = textAt(compiled.call.body, 'packageId').toLowerCase();
		if (packageId !== '' && packageId !== this.idOf(item, onceKey)) {
			const [first, itsKey] = firstWith(this.byPackageId, packageId, [item, onceKey] as const);
			// With the same once key, they are one message.
			const isOne = onceKey !== undefined && onceKey === itsKey;
			if (first !== item && !isOne) return samePackageId(first);
		}
		const { lane } = compiled;
		const first = asked === undefined || lane === undefined ? item : firstWith(this.asking, lane, item);
		if (first !== item) this.failure ??= askedTwice(first, item);
		return undefined;
	}

	/** The ID that the node makes for what it sends. */
	private idOf(item: number, onceKey: string | undefined): string {
		const { ledger, uuidOfKey } = this.run;
		return (onceKey === undefined ? undefined : uuidOfKey(onceKey)) ?? ledger.uuidOf(item);
	}

	/** The items with the same message for the same person, where there are several. */
	get alike(): Array<readonly number[]> {
		return [...this.byMessage.values()].filter(({ length }) => length > 1);
	}

	/** Ends the run: notes how its messages have ended. */
	endRun(): void {
		const { ledger } = this.run;
		this.messages.endRun((item): End | undefined => {
			const { saved, sentIn } = ledger.entry(item);
			if (saved.state === 'unknown' || saved.state === 'inFlight') return 'unknown';
			return saved.state === 'sent' && sentIn !== 'before' ? 'sent' : undefined;
		});
	}
}

/** The first value that was noted under a key: this one, if it is the first. */
function firstWith<Value>(noted: Map<string, Value>, key: string, value: Value): Value {
	const first = noted.get(key);
	if (first === undefined) noted.set(key, value);
	return first ?? value;
}
