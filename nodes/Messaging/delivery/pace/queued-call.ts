import type { Failure } from '../../service/endings';
import type { Reply } from '../../service/reply';

/** What a call can wait for. `own`: calls of its own run; `full`: calls of other runs. */
export type Reason = 'outage' | 'channel' | 'later' | 'me' | 'plan' | 'gap' | 'pause' | 'own' | 'full';

/** Reasons for which no call waits longer than Max Wait. The others end by themselves. */
export type EndingReason = 'outage' | 'channel' | 'later' | 'full';

/** The permission to start one request. One of both must be called, once. */
export interface Start {
	readonly kind: 'start';
	/** It has ended; with the call of its next try. */
	readonly finish: (result: Reply | Failure, call?: Waiting) => void;
	/** It was not sent. */
	readonly cancel: () => void;
}

/** The call must not start: it has waited for as long as it may, or no more calls of its run start. */
export type NoStart = { readonly kind: 'noStart' } & (
	| { readonly why: EndingReason | 'expired' | 'halted' | 'keyRefused' }
	/** The service asks to come back at this time, which is later than the call may wait. */
	| { readonly why: 'comeBack'; readonly comeBackAt: number }
	/** This answer looks as if the address were not that of the service. */
	| { readonly why: 'elsewhere'; readonly shownBy: Failure }
);

/** A job of a run. */
export interface QueuedJob {
	/** Jobs in the same lane run one after the other, in the order given; `undefined` for a job without a lane. */
	readonly lane: string | undefined;
	readonly channel: string;
	/** Whom it reaches; `undefined` if nobody knows. */
	readonly recipient?: string | undefined;
	readonly maxWaitMs: number;
	/** After this moment it must not start; by default it always may. */
	readonly notAfter?: number | undefined;
	/** Whether it changes something. */
	readonly changes: boolean;
	/** Does it, with the queue's answer to its first request; must not reject. */
	run(answer: Start | NoStart): Promise<void>;
}

/** A call that waits for its next try. */
export type Waiting = Omit<QueuedCall, 'answer'>;

/** A call in the queue; the same object for all tries after the first. */
export interface QueuedCall extends Pick<
	QueuedJob,
	'changes' | 'channel' | 'maxWaitMs' | 'notAfter' | 'recipient'
> {
	/** Called once for each try. */
	answer: (answer: Start | NoStart) => void;
	/** Called instead if it has to wait for more than the end of another call. */
	readonly withdraw?: () => void;
	/** The position of the job that it begins, in the list of its run; `undefined` if that has begun. */
	readonly position?: number;
	/** Whether it was started before, and when it may start again. */
	isRetry?: boolean;
	notBefore?: number;
	/** When it was first told to come back later, or found that the service was down. */
	laterSince?: number;
	/** When the service asks to come back with it, if that is later than it may wait. */
	comeBackAt?: number;
	/** What it waits for, and since when. */
	waitsFor?: { readonly why: Reason; readonly since: number } | undefined;
}
