import type { Failure } from '../../service/endings';
import type { Reply } from '../../service/reply';
import type { Hold } from './circuit';

/** The permission to make one request; `leave` must be called once, when it has ended. */
export type Pass = { readonly kind: 'pass'; readonly leave: (result: Reply | Failure) => void };

/**
 * The call must not leave: it has waited for as long as it may (`full`: too many calls of other runs are in flight), or
 * nothing more of its run leaves, to this channel at least.
 */
export type NoPass =
	| {
			readonly kind: 'noPass';
			readonly why: Hold['why'] | 'full' | 'comeBack' | 'keyRefused' | 'halted';
			/** When the service asks to come back. */
			readonly comeBackAt?: number;
	  }
	| {
			readonly kind: 'noPass';
			readonly why: 'elsewhere';
			/** What looks as if the address were not that of the service. */
			readonly shownBy: Failure;
	  };

/** What a call waits for, and since when: also a place, the plan, GET /Me, or calls of its own run. */
export interface HeldBy {
	readonly why: Hold['why'] | 'full' | 'plan' | 'gap' | 'me' | 'own';
	readonly since: number;
}

/** What a job needs before it may leave, such as a once key. Neither promise may reject. */
export interface Need {
	/** Settles when the job has it: whether there is still something to do. */
	readonly claimed: Promise<boolean>;
	/** Settles when it is released: a crash of n8n after that leaves nothing in doubt. */
	readonly settled: Promise<unknown>;
	/** Releases it unused. */
	giveBack(): void;
}

/** A job of a run. */
export interface QueuedJob {
	/** Jobs in the same lane run one after the other, in the order drawn; `undefined` for a job without a lane. */
	readonly lane: string | undefined;
	readonly channel: string;
	readonly maxWaitMs: number;
	/** Whether it changes something. */
	readonly changes: boolean;
	/** Gets what it needs before it may leave; `undefined` if that is nothing. */
	need: (() => Need) | undefined;
	/** Does it, with the gate's answer to its first request; must not reject. */
	run(answer: Pass | NoPass): Promise<void>;
}

/** A call that waits for its turn; the same object for all of its tries. */
export interface WaitingCall {
	/** Calls without a channel have '', and form one group. */
	readonly channel: string;
	/** How long it may be held back, in milliseconds. */
	readonly maxWaitMs: number;
	/** Whether it changes something: it leaves only if its address may be that of the service. */
	readonly changes: boolean;
	/** The job that it begins. */
	readonly job?: QueuedJob;
	/** What the job needs, or that it is getting it; `undefined` before. */
	claim?: Need | 'underWay' | undefined;
	/** Called once for each try. */
	answer: (answer: Pass | NoPass) => void;
	/** Whether it has left before, and when it may leave again. */
	isRepeated?: boolean;
	notBefore?: number;
	/** When it was first told to come back later, or found that the service was down. */
	waitingSince?: number;
	heldBy?: HeldBy | undefined;
}
