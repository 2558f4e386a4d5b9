import { createHash, randomUUID } from 'node:crypto';

import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { isPlainObject } from '../../json/plain-object';
import type { ApiCall } from '../../service/api-call';
import type { CallEnd } from '../../service/endings';
import { cutOff } from '../../service/failure';
import type { CallWatch } from '../call';
import { nameUuid } from './name-uuid';
import { newestOf } from './newest';
import { placeOf } from './place';

/** What stands in the execution's data, and is saved with an execution that fails. */
interface MemoryRecord {
	/** Makes the ids of this execution differ from any other's. */
	identity: string;
	/** How calls ended, by key: those that went out, and those of which nobody knows. */
	calls: { [key: string]: CallEnd };
	/** Which try of "Retry On Fail" this is: the execution that counts, the run of the node in it, and the number. */
	attempt: { execution: string; run: number; number: number };
	/** The once keys whose end n8n did not note. */
	unnoted?: string[];
	/** The items, by key, of which no try has made a call. Only where items share calls, which are remembered by part. */
	neverMade?: { [key: string]: true };
}

const PLACE = 'unifiedMessaging';

/** How many characters of a hash are kept: 132 bits. */
const HASH_LENGTH = 22;

/**
 * What this node has sent in this execution. n8n repeats a whole node, by Retry On Fail and when a failed execution
 * is retried; what stands here is not sent a second time.
 *
 * It lives in the node's context: n8n keeps that across both kinds of repetition and saves it with the execution.
 */
export class Memory {
	/** The once keys whose end n8n could not note, and under which nothing has gone out since. */
	private readonly unnoted: Set<string>;

	/** The calls that have left, and how each ends if the execution is cancelled now. */
	private readonly underWay = new Map<string, () => CallEnd>();

	/** The keys under which a success stands that lacks what the service answered. */
	private readonly standIns = new Set<string>();

	private constructor(
		private readonly context: IDataObject,
		private readonly record: MemoryRecord,
		private readonly run: number,
		private readonly scope: string,
		private readonly jsonOf: (item: number) => IDataObject,
		/** Whether n8n may yet repeat this run by itself. */
		private readonly retriesLeft: boolean,
		/** Whether an earlier try of the execution has left something. */
		readonly isRepetition: boolean,
		/** Whether an AI agent makes this call by itself, so that a retry of the execution does not repeat it. */
		readonly isToolCall: boolean,
	) {
		this.unnoted = new Set(record.unnoted);
	}

	/**
	 * The memory of this execution for one operation.
	 *
	 * @param scope resource and operation: a node changed to another operation has sent nothing yet
	 */
	static open(context: IExecuteFunctions, scope: string): Memory {
		const { place, run, isToolCall } = placeOf(context);
		const found = place[PLACE];
		const execution = context.getExecutionId() ?? '';
		const record = isRecord(found) ? recordOf(found, execution) : newRecord();
		place[PLACE] = record;

		const { attempt } = record;
		const again = attempt.execution === execution && attempt.run === run;
		record.attempt = { execution, run, number: again ? attempt.number + 1 : 1 };
		const { retryOnFail, maxTries } = context.getNode();
		// As n8n counts, which takes 0 for "not set".
		const most = retryOnFail === true ? Math.min(5, Math.max(2, maxTries || 3)) : 1;

		const items = context.getInputData();
		return new Memory(
			place,
			record,
			run,
			scope,
			(item) => items[item]?.json ?? {},
			record.attempt.number < most,
			Object.keys(record.calls).length > 0,
			isToolCall,
		);
	}

	/** Says which executions share a memory, by what stands in its place; `undefined` where nothing does. */
	static identityIn(place: IDataObject): string | undefined {
		const found = place[PLACE];
		return isRecord(found) ? found.identity : undefined;
	}

	/** The key of an item: the same when n8n repeats the node with it, another when the item has changed. */
	itemKey(item: number): string {
		return hash(this.run, this.scope, item, jsonText(this.jsonOf(item)));
	}

	/** The key of a part of a call that serves several items. All keys of a part begin alike, whatever its group is. */
	partKey(group: string, part: string): string {
		return this.beginningOf(part) + hash(group).slice(0, 8);
	}

	/** Tells of a part whether anything of it is remembered now, in whichever group: it went out, or may have. */
	remembersPart(): (part: string) => boolean {
		const beginnings = new Set(Object.keys(this.record.calls).map((key) => key.slice(0, HASH_LENGTH)));
		return (part) => beginnings.has(this.beginningOf(part));
	}

	private beginningOf(part: string): string {
		return hash(this.run, this.scope, part);
	}

	/** Notes that an item's parameters have made a call. */
	made(itemKey: string): void {
		delete this.record.neverMade?.[itemKey];
	}

	/** Notes that an item's parameters make none in this try, and says whether no earlier one has made any of it. */
	neverMade(itemKey: string): boolean {
		const { record } = this;
		if (!this.isRepetition) (record.neverMade ??= {})[itemKey] = true;
		return record.neverMade?.[itemKey] === true;
	}

	/** A UUID that belongs to a key in this execution, the same in every repetition. */
	uuidOf(key: string): string {
		return nameUuid(this.record.identity, key);
	}

	/** What is remembered under a key. */
	recall(key: string): CallEnd | undefined {
		return this.record.calls[key];
	}

	/** Something has gone out under a once key, which has an end of its own now, whatever an earlier try has left. */
	goneOut(onceKey: string | undefined): void {
		if (onceKey !== undefined) this.unnoted.delete(onceKey);
	}

	/**
	 * Keeps the once keys whose end n8n could not note: n8n shows what the last try says, which may have nothing to note.
	 *
	 * @returns those of this try and of earlier ones
	 */
	keepUnnoted(onceKeys: readonly string[]): readonly string[] {
		for (const key of onceKeys) this.unnoted.add(key);
		const all = [...this.unnoted];
		if (all.length > 0) this.record.unnoted = all;
		else delete this.record.unnoted;
		return all;
	}

	/** What is remembered now, under which key: it stays the same while calls go out. */
	recollection(): (key: string) => CallEnd | undefined {
		const calls = { ...this.record.calls };
		return (key) => calls[key];
	}

	/**
	 * Notes that a call leaves, and that it has not been processed for sure.
	 *
	 * @param underKey whether it has a once key
	 * @param unread the output of one that was accepted, and whose answer has not been read
	 */
	watch(
		keys: readonly string[],
		call: ApiCall,
		underKey = false,
		unread: () => IDataObject[] = () => [{}],
	): CallWatch {
		const note = (endOf: () => CallEnd): void => {
			let made: CallEnd | undefined;
			const end = (): CallEnd => (made ??= markedIf(underKey, endOf()));
			for (const key of keys) this.underWay.set(key, end);
		};
		const unclear = (): CallEnd => ({ failure: cutOff(call) });
		return {
			left: () => note(unclear),
			cameBack: () => {
				for (const key of keys) this.underWay.delete(key);
			},
			accepted: () =>
				note(() => {
					try {
						return { json: unread() };
					} catch {
						// n8n waits for this, and has a whole execution to save.
						return unclear();
					}
				}),
		};
	}

	/** Notes how a call ended; without an end there is nothing to remember. */
	ended(keys: readonly string[], end: CallEnd | undefined): void {
		for (const key of keys) {
			this.underWay.delete(key);
			this.remember(key, end);
		}
	}

	/**
	 * Remembers all calls under way: as unknown, but for those whose answer only has to be read yet. To be called
	 * synchronously when the execution is cancelled: n8n saves right after.
	 */
	interrupt(): void {
		for (const [key, endNow] of this.underWay) {
			const end = endNow();
			this.remember(key, end);
			if ('json' in end && this.recall(key) === end) this.standIns.add(key);
		}
	}

	private remember(key: string, end: CallEnd | undefined): void {
		const { calls } = this.record;
		const known = calls[key];
		// What has gone out has: calls of several items may carry the same part.
		if (known !== undefined && 'json' in known) {
			const tellsMore = end !== undefined && 'json' in end && this.standIns.delete(key);
			if (!tellsMore) return;
		}
		if (end !== undefined) calls[key] = end;
		// Nor does a refusal undo the doubt that a call of another item has left. What was only noted because the
		// execution was cancelled while this call was under way is settled by it.
		else if (known !== undefined && 'failure' in known && known.failure.cause === 'cutOff') delete calls[key];
	}

	/**
	 * Forgets everything once no repetition can come: n8n repeats a node that threw, one whose first output item is
	 * an error while it has tries left, and one that was cancelled when somebody retries it.
	 */
	closeAfterReturn(firstItemFailed: boolean): void {
		if (!(firstItemFailed && this.retriesLeft)) delete this.context[PLACE];
	}
}

/** How a call ended, as it is remembered. */
export function markedIf(underKey: boolean, end: CallEnd): CallEnd {
	return underKey ? { ...end, underKey } : end;
}

/** Whether this is what a try before has left; n8n may have saved and loaded it meanwhile. */
function isRecord(found: unknown): found is MemoryRecord {
	return isPlainObject(found) && isPlainObject(found.calls) && isPlainObject(found.attempt);
}

/** What is known of the execution: when it is retried, an earlier retry may have sent more than it has saved. */
function recordOf(found: MemoryRecord, execution: string): MemoryRecord {
	return found.attempt.execution === execution ? found : newestOf(found);
}

function newRecord(): MemoryRecord {
	return { identity: randomUUID(), calls: {}, attempt: { execution: '', run: -1, number: 0 } };
}

function hash(...parts: Array<string | number>): string {
	return createHash('sha256').update(parts.join('\n')).digest('base64url').slice(0, HASH_LENGTH);
}

/** The item as text; one that JSON can't hold counts as the same whatever is in it. */
function jsonText(json: IDataObject): string {
	try {
		return JSON.stringify(json);
	} catch {
		return '';
	}
}
