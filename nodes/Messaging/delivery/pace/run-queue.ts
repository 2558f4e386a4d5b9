import type { Service } from '../../service/connect';
import { type Failure, isFailure } from '../../service/endings';
import type { Reply } from '../../service/reply';
import type { Clock } from '../../shared/clock';
import type { QueuedJob, NoPass, Pass, WaitingCall } from './waiting-call';

/** What the calls of one run have in common. */
export interface QueueSettings {
	readonly service: Service;
	readonly keepToPlan: boolean;
	/** Fires when nothing more may be sent: the execution was cancelled, or an item failed in stop mode. */
	readonly signal: AbortSignal;
	/** How many of its calls may be in flight; without it, as many as the gate finds out. */
	readonly maxInFlight?: number | undefined;
}

/** After this many 401 answers in a row, nothing more of a run leaves. */
const MAX_KEY_REFUSALS = 3;
/** How many jobs may wait for their lane: enough to find others that can run beside them. */
const MAX_IN_LANES = 1000;
/** How many needs may be claimed and not yet released: all of them are in doubt if n8n dies. */
const MAX_IN_DOUBT = 128;

/** What one run has waiting, and what is known about its calls. */
export class RunQueue {
	/** The calls that wait, of jobs that have begun, have what they need, or are getting it. */
	readonly begun: WaitingCall[] = [];
	/** The other jobs, by channel, each as the call that begins it. */
	private readonly jobs = new Map<string, WaitingCall[]>();
	/** How many jobs are in `jobs`. */
	drawn = 0;
	inFlight = 0;
	/** How many requests have ended. */
	ends = 0;
	/** How many calls have left, not counting repeated tries, and when the last one did. */
	calls = 0;
	leftAt = -Infinity;
	readonly beganAt: number;
	/** The longest time, in milliseconds, that a call waited for each of these. */
	readonly waitedMs = { plan: 0, pause: 0, gap: 0, outage: 0, channel: 0, full: 0, me: 0, own: 0 };
	/** When each channel asks to come back, or the key, if that is later than a call may wait. */
	readonly comeBackAt = new Map<string | 'key', number>();
	private keyRefusals = 0;
	/** Draws the next job; `undefined` when there are no more. */
	private next: (() => QueuedJob | null | undefined) | undefined;
	/** The jobs that wait for their turn in a lane with a job that is not done. */
	private readonly lanes = new Map<string, QueuedJob[]>();
	private inLanes = 0;
	/** How many jobs have begun, have what they need, or are getting it. */
	private underWay = 0;
	/** How many needs are claimed and not released. */
	private inDoubt = 0;
	private settle = (): void => {};
	/** Ends the run because of a bug. */
	fail: (error: unknown) => void = () => {};

	/** @param left how many calls it has still to make, as far as that is known */
	constructor(
		private readonly gate: { readonly clock: Clock; wake(run: RunQueue): void },
		readonly settings: QueueSettings,
		public left = 0,
	) {
		this.beganAt = gate.clock.now();
		settings.signal.addEventListener('abort', this.wake);
	}

	private readonly wake = (): void => this.gate.wake(this);

	/** Waits for permission to make one request. */
	async enter(call: Omit<WaitingCall, 'answer'>): Promise<Pass | NoPass> {
		return await new Promise((answer) => {
			this.begun.push(Object.assign(call, { answer }));
			this.wake();
		});
	}

	/**
	 * Offers jobs to the gate, which draws them as it can use them.
	 *
	 * @param next the next job in item order; `null` for an item without a job, `undefined` at the end
	 * @returns when all jobs are done; if the run is halted, when those are that have begun
	 */
	async offer(next: () => QueuedJob | null | undefined): Promise<void> {
		this.next = next;
		await new Promise<void>((resolve, reject) => {
			this.settle = resolve;
			this.fail = (error) => {
				this.next = undefined;
				this.clear();
				reject(error);
			};
			this.wake();
		});
	}

	/**
	 * The calls that may be next, for as long as the gate looks: those of jobs that have begun, the next job of each
	 * channel, and jobs that are drawn now.
	 *
	 * @yields `null` before it draws, which takes time
	 */
	*candidates(): Generator<WaitingCall | null> {
		if (this.isOver()) return;
		yield* this.begun.filter(({ claim }) => claim !== 'underWay');
		for (const line of [...this.jobs.values()]) yield* nextOf(line);
		while (this.next !== undefined && this.inLanes < MAX_IN_LANES) {
			yield null;
			const job = this.next();
			if (job === undefined) this.next = undefined;
			else if (job !== null && !this.waitsForLane(job)) yield* nextOf(this.add(job));
		}
	}

	/** Puts a job into its lane. Returns whether it waits there, because another job of the lane is not done. */
	private waitsForLane(job: QueuedJob): boolean {
		const { lane } = job;
		if (lane === undefined) return false;
		const waiting = this.lanes.get(lane);
		if (waiting === undefined) {
			this.lanes.set(lane, []);
			return false;
		}
		waiting.push(job);
		this.inLanes += 1;
		return true;
	}

	private add(job: QueuedJob): WaitingCall[] {
		const call: WaitingCall = {
			channel: job.channel,
			maxWaitMs: job.maxWaitMs,
			changes: job.changes,
			job,
			answer: (answer) => {
				if (call.claim === undefined) this.underWay += 1;
				void job.run(answer).finally(() => this.done(job));
			},
		};
		return this.put(call, 'behind');
	}

	/** Puts a job that has not begun into the line of its channel. */
	private put(call: WaitingCall, where: 'behind' | 'before'): WaitingCall[] {
		const line = this.jobs.get(call.channel) ?? [];
		this.jobs.set(call.channel, line);
		if (where === 'behind') line.push(call);
		else line.unshift(call);
		this.drawn += 1;
		return line;
	}

	/** Takes out a call that does not wait any longer. */
	take(call: WaitingCall): void {
		const line = this.jobs.get(call.channel);
		if (!isNew(call)) this.begun.splice(this.begun.indexOf(call), 1);
		else if (line?.shift() !== undefined) this.drawn -= 1;
		if (line?.length === 0) this.jobs.delete(call.channel);
	}

	/** Gets what a job needs. Then it can leave, unless there is nothing more to do. */
	async prepare(call: WaitingCall): Promise<void> {
		const { job } = call;
		if (job?.need === undefined) return;
		const need = job.need();
		this.take(call);
		call.claim = 'underWay';
		this.begun.push(call);
		this.underWay += 1;
		this.inDoubt += 1;
		void need.settled.finally(() => {
			this.inDoubt -= 1;
			this.wake();
		});
		const isToDo = await need.claimed;
		call.claim = need;
		if (isToDo) return this.wake();
		this.take(call);
		this.done(job);
	}

	/** Gives back what a job needs, because it can't leave now. */
	giveBack(call: WaitingCall): void {
		if (call.claim === undefined || call.claim === 'underWay') return;
		call.claim.giveBack();
		this.take(call);
		call.claim = undefined;
		this.underWay -= 1;
		this.put(call, 'before');
	}

	/** Whether another job may get what it needs: as many as may be in flight, beside those that are. */
	mayPrepare(bound: number): boolean {
		return this.begun.filter(({ claim }) => claim).length < bound && this.inDoubt < MAX_IN_DOUBT;
	}

	/** Whether it may have another call in flight. */
	get hasPlace(): boolean {
		return this.inFlight < (this.settings.maxInFlight ?? Infinity);
	}

	/** Notes that a job is done: the next one of its lane has its turn. */
	private done({ lane }: QueuedJob): void {
		this.underWay -= 1;
		const next = lane === undefined ? undefined : this.lanes.get(lane)?.shift();
		if (next !== undefined) {
			this.inLanes -= 1;
			this.add(next);
		} else if (lane !== undefined) this.lanes.delete(lane);
		this.wake();
	}

	/** The call that has waited longest; `undefined` if none waits. */
	get waiting(): WaitingCall | undefined {
		const first = [...this.begun, ...[...this.jobs.values()].flatMap((line) => line.slice(0, 1))];
		return first.find(({ heldBy }) => heldBy !== undefined);
	}

	/** Ends everything that waits, if the run is halted. Returns whether nothing waits and no job is left to draw. */
	isOver(): boolean {
		if (this.settings.signal.aborted) {
			const waiting = this.begun.filter(({ claim }) => claim !== 'underWay');
			const claiming = this.begun.filter(({ claim }) => claim === 'underWay');
			this.clear();
			// What gets its key right now is answered when it has it: until then, it can't give it back.
			this.begun.push(...claiming);
			for (const call of waiting) call.answer({ kind: 'noPass', why: 'halted' });
		}
		const isOver = this.begun.length === 0 && this.jobs.size === 0 && this.next === undefined;
		if (isOver && this.underWay === 0) this.settle();
		return isOver;
	}

	private clear(): void {
		this.next = undefined;
		this.begun.length = 0;
		this.jobs.clear();
	}

	/** Why nothing more of it leaves to a channel; `undefined` while its calls may. */
	refusalFor(channel: string): NoPass | undefined {
		if (this.keyRefusals >= MAX_KEY_REFUSALS) return { kind: 'noPass', why: 'keyRefused' };
		const comeBackAt = this.comeBackAt.get('key') ?? this.comeBackAt.get(channel);
		return comeBackAt === undefined ? undefined : { kind: 'noPass', why: 'comeBack', comeBackAt };
	}

	/** Notes that a call leaves. */
	leave({ isRepeated = false }: Pick<WaitingCall, 'isRepeated'>, now: number): void {
		this.inFlight += 1;
		this.leftAt = now;
		if (isRepeated) return;
		this.left -= 1;
		this.calls += 1;
	}

	/** Notes how a call ended. */
	ended(result: Reply | Failure): void {
		this.inFlight -= 1;
		this.ends += 1;
		if (isFailure(result) && result.cause !== 'refused') return;
		const isKeyRefused = isFailure(result) && result.statusCode === 401 && result.byGateway !== true;
		this.keyRefusals = isKeyRefused ? this.keyRefusals + 1 : 0;
	}
}

/** Whether a call begins a job, of which nothing is under way. */
export function isNew({ claim, job }: WaitingCall): boolean {
	return job !== undefined && claim === undefined;
}

/** Whether that job has to get something before it may leave. */
export function needs(call: WaitingCall): boolean {
	return isNew(call) && call.job?.need !== undefined;
}

/** The next job of a channel, and the one behind it if the gate takes the first out of the line to prepare it. */
function* nextOf(line: readonly WaitingCall[]): Generator<WaitingCall> {
	let call = line[0];
	while (call !== undefined) {
		yield call;
		const next = line[0];
		call = next === call ? undefined : next;
	}
}
