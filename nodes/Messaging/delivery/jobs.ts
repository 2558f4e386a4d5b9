import type { NoPass, Pass, WaitingCall } from './pace/key-gate';
import type { Line, Offers, RunQueue } from './run-queue';

/** The jobs of a run, drawn one at a time as the gate can use them. */
export interface Work<T> {
	/** The next job in item order; `null` for an item without a job, `undefined` at the end. */
	next(): T | null | undefined;
	/** Jobs in the same lane run one after the other, in the order drawn; `undefined` for a job without a lane. */
	laneOf(job: T): string | undefined;
	/** The channel that a job is for, and how long it may be held back. */
	channelOf(job: T): string;
	maxWaitOf(job: T): number;
	/** How a job gets what it needs before it may leave; `undefined` if it needs nothing. */
	needOf?(job: T): (() => Need) | undefined;
	/** Does one job, with the gate's answer to its first request; must not reject. */
	run(job: T, answer: Pass | NoPass): Promise<void>;
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

/** How many jobs may be drawn and wait: enough to find others in a list of which most is for a channel that fails. */
const MAX_WAITING = 10_000;
/** How many of these may wait for their lane: enough to find others that can run beside them. */
const MAX_IN_LANES = 1000;
/** How many needs may be claimed and not yet released: all of them are in doubt if n8n dies. */
const MAX_IN_DOUBT = 128;

/** A job that has been drawn. */
interface Drawn<T> {
	readonly job: T;
	readonly lane: string | undefined;
}

/** Draws the jobs of a run, in order within a lane, and offers them to the gate. */
export class Jobs<T> implements Offers {
	/** Settles when all are done; if the run is halted, when those are that have begun. */
	readonly over: Promise<void>;
	private settle: () => void = () => {};
	/** The jobs that wait for their turn in a lane with a job that is not done. */
	private readonly lanes = new Map<string, Array<Drawn<T>>>();
	private isDrained = false;
	private waiting = 0;
	private inLanes = 0;
	/** Jobs that have begun, or get what they need. */
	private begun = 0;
	private ahead = 0;
	private inDoubt = 0;

	constructor(
		private readonly queue: RunQueue,
		private readonly work: Work<T>,
	) {
		this.over = new Promise((resolve) => (this.settle = resolve));
		queue.jobs = this;
		queue.gate.wake(queue);
	}

	get isEmpty(): boolean {
		const isEmpty = this.isDrained || this.queue.settings.signal.aborted;
		if (isEmpty && this.begun === 0) this.settle();
		return isEmpty;
	}

	mayPrepare(bound: number): boolean {
		return this.ahead < bound && this.inDoubt < MAX_IN_DOUBT;
	}

	draw(): Line | null | undefined {
		if (this.isDrained || this.waiting >= MAX_WAITING || this.inLanes >= MAX_IN_LANES) return undefined;
		const job = this.work.next();
		if (job === undefined) this.isDrained = true;
		if (job === undefined) return undefined;
		if (job === null) return null;
		this.waiting += 1;
		const lane = this.work.laneOf(job);
		const before = lane === undefined ? undefined : this.lanes.get(lane);
		if (before === undefined) {
			if (lane !== undefined) this.lanes.set(lane, []);
			return this.offer({ job, lane });
		}
		before.push({ job, lane });
		this.inLanes += 1;
		return null;
	}

	/** Puts a job into the line of its channel, behind the others or before them. */
	private offer(drawn: Drawn<T>, where: 'behind' | 'before' = 'behind'): Line {
		const need = this.work.needOf?.(drawn.job);
		const call: WaitingCall = {
			...this.callOf(drawn),
			answer: (answer) => {
				this.begin();
				this.run(drawn, answer);
			},
			...(need !== undefined && { prepare: () => void this.prepare(drawn, call, need) }),
		};
		const line = this.queue.lineOf(call.channel);
		if (where === 'behind') line.jobs.push(call);
		else line.jobs.unshift(call);
		return line;
	}

	private callOf({ job }: Drawn<T>): Pick<WaitingCall, 'channel' | 'maxWaitMs'> {
		return { channel: this.work.channelOf(job), maxWaitMs: this.work.maxWaitOf(job) };
	}

	private begin(): void {
		this.waiting -= 1;
		this.begun += 1;
	}

	private run(drawn: Drawn<T>, answer: Pass | NoPass): void {
		void this.work.run(drawn.job, answer).finally(() => this.done(drawn));
	}

	/** Notes that a job is done: the next one of its lane has its turn. */
	private done({ lane }: Drawn<T>): void {
		this.begun -= 1;
		const next = lane === undefined ? undefined : this.lanes.get(lane)?.shift();
		if (next !== undefined) {
			this.inLanes -= 1;
			this.offer(next);
		} else if (lane !== undefined) this.lanes.delete(lane);
		this.queue.gate.wake(this.queue);
	}

	/** Gets what a job needs. Then it waits as a call that can leave, unless there is nothing more to do. */
	private async prepare(drawn: Drawn<T>, call: WaitingCall, need: () => Need): Promise<void> {
		const { queue } = this;
		const line = queue.lineOf(call.channel);
		line.preparing += 1;
		queue.take(call);
		this.begin();
		this.ahead += 1;
		this.inDoubt += 1;
		const { claimed, giveBack, settled } = need();
		void settled.finally(() => {
			this.inDoubt -= 1;
			queue.gate.wake(queue);
		});
		const isToDo = await claimed;
		line.preparing -= 1;
		queue.tidy(call.channel);
		if (!isToDo) {
			this.ahead -= 1;
			this.done(drawn);
			return;
		}
		const ready: WaitingCall = {
			...this.callOf(drawn),
			answer: (answer) => {
				this.ahead -= 1;
				this.run(drawn, answer);
			},
			giveBack: () => {
				queue.take(ready);
				this.ahead -= 1;
				this.begun -= 1;
				this.waiting += 1;
				giveBack();
				this.offer(drawn, 'before');
			},
		};
		queue.lineOf(ready.channel).ready.push(ready);
		queue.gate.wake(queue);
	}
}
