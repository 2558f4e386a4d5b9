import type { Failure } from '../../service/endings';
import { type KeyStore, marksOf } from './key-store';

/** What a key is: free, in doubt (its message may have been sent), or sent. */
export type KeyOutcome = 'free' | 'inDoubt' | 'sent';

/**
 * The result of a claim: what the key is, and if `free` or `inDoubt`, the run now holds it. `busy`: another execution of this
 * process holds it for too long. A failure: the store failed, or the run is over.
 */
export type ClaimResult = KeyOutcome | 'busy' | Failure;

/**
 * The states of a claim that is being dealt with, what may happen in each, and the state that follows. `wanted` and `ended`:
 * the claim, or the outcome, is to be written; `claiming` and `recording`: it is being written. `lost`: the key was found in
 * doubt for too long.
 */
export const NEXT = {
	wanted: { writing: 'claiming', withdrawn: 'gone', givenUp: 'gone' },
	claiming: { free: 'held', sent: 'ended', inDoubt: 'wanted', lost: 'held', failed: 'wanted' },
	held: { ended: 'ended', leftInDoubt: 'gone' },
	ended: { writing: 'recording', givenUp: 'gone' },
	recording: { written: 'gone', failed: 'ended' },
} as const;
export type State = keyof typeof NEXT;
export type Event = { [S in State]: keyof (typeof NEXT)[S] }[State];

/** A run with once keys. */
export interface OnceRun {
	/** Resource and operation: a node that is changed to another operation starts afresh. */
	readonly scope: string;
	readonly store: KeyStore;
	/** How many messages with a key it has, and how many keys the node remembers after it. */
	readonly messages: number;
	readonly mostKeys: number;
	readonly signal: AbortSignal;
	/** Whether the node remembered no key at all when this run claimed some. */
	foundNone?: boolean;
}

/** The claim of one message's key, until its outcome is recorded. */
export class Claim {
	readonly marks;
	/** Never rejects. */
	readonly result: Promise<ClaimResult>;
	/** Resolves once a crash would no longer leave the key in doubt; the value says whether its outcome was recorded. */
	readonly settled: Promise<boolean>;
	isRefused = false;
	/** `undefined` until it is dealt with, and once it is done. */
	state: State | undefined;
	/** While it is held: what the key was when it was claimed. Once it has ended: its outcome. */
	outcome: KeyOutcome = 'free';
	claimedAt = -Infinity;
	/** When it is written next. */
	dueAt = -Infinity;
	timesFoundInDoubt = 0;
	tell: (end: ClaimResult) => void = () => {};
	settle: (isRecorded: boolean) => void = () => {};

	/** @param end releases the key, if the run holds it, as what it is after the message */
	constructor(
		readonly key: string,
		readonly run: OnceRun,
		readonly maxWaitMs: number,
		readonly end: (outcome: KeyOutcome) => void,
	) {
		this.marks = marksOf(run.scope, key);
		this.result = new Promise((resolve) => (this.tell = resolve));
		this.settled = new Promise((resolve) => (this.settle = resolve));
	}

	/** The run does not get the key. */
	refuse(end: Exclude<ClaimResult, 'free' | 'inDoubt'>): void {
		this.isRefused = true;
		this.tell(end);
		this.settle(true);
	}
}
