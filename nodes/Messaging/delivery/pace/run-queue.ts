import type { Service } from '../../service/connect';
import { type Failure, isFailure } from '../../service/endings';
import type { Reply } from '../../service/reply';
import type { Clock } from '../../shared/clock';
import type { NoStart, QueuedCall, QueuedJob, Reason, Start } from './queued-call';

/** What the calls of one run have in common. */
export interface QueueSettings {
	readonly service: Service;
	readonly keepToPlan: boolean;
	/** Fires when nothing more may be sent: the execution was cancelled, or an item failed in stop mode. */
	readonly signal: AbortSignal;
	/** How many of its calls may be in flight; without it, as many as the queue of the key finds out. */
	readonly maxInFlight?: number | undefined;
	/** The pause from the end of one message of a channel to the start of the next, in milliseconds. */
	readonly pauseMs?: number;
}

/** How many jobs may wait for their lane: enough to find others that can run beside them. */
const MAX_IN_LANES = 1000;

/** The queue of one run: its jobs and calls that wait, and what is known about its calls. */
export class RunQueue {
	/** Calls that wait: of jobs that are getting ready, are ready, or were started before. */
	readonly begun: QueuedCall[] = [];
	/** The other jobs, each as the call that begins it: a line for each channel. */
	private readonly lines = new Map<string, QueuedCall[]>();
	/** How many jobs are in `lines`. */
	drawn = 0;
	inFlight = 0;
	/** How many calls were started, without further tries; when the last one was; and how many requests have ended. */
	started = 0;
	startedAt = -Infinity;
	ended = 0;
	readonly beganAt: number;
	/** The longest time, in milliseconds, that a call waited for each reason. */
	readonly waitedMs: Record<Reason, number> = {
		...{ outage: 0, channel: 0, later: 0, me: 0, plan: 0, gap: 0, pause: 0, own: 0, full: 0 },
	};
	/** When each channel asks to come back, or the key, if that is later than a call may wait. */
	private readonly comeBackTimes = new Map<string | 'key', number>();
	/** How many answers of 401 came in a row. */
	keyRefusals = 0;
	/** Draws the next job; `undefined` when there are no more. */
	private next: (() => QueuedJob | null | undefined) | undefined;
	/** The jobs that wait for their turn in a lane with a job that is not done. */
	private readonly lanes = new Map<string, QueuedJob[]>();
	private inLanes = 0;
	/** How many jobs are getting ready, are ready, or were started and are not done. */
	private underWay = 0;
	private settle = (): void => {};
	/** Ends the run because of a bug. */
	fail: (error: unknown) => void = () => {};

	/** @param left how many calls it has still to start, as far as that is known */
	constructor(
		private readonly gate: { readonly clock: Clock; wake(run: RunQueue): void },
		readonly settings: QueueSettings,
		public left = 0,
	) {
		this.beganAt = gate.clock.now();
		settings.signal.addEventListener('abort', this.wake);
	}

	private readonly wake = (): void => this.gate.wake(this);

	get isHalted(): boolean {
		return this.settings.signal.aborted;
	}

	get keepsToPlan(): boolean {
		return this.settings.keepToPlan;
	}

	/** Whether it may have another call in flight. */
	get hasPlace(): boolean {
		return this.inFlight < (this.settings.maxInFlight ?? Infinity);
	}

	/** Waits for permission to start one request. */
	async enter(call: Omit<QueuedCall, 'answer'>): Promise<Start | NoStart> {
		return await new Promise((answer) => {
			this.begun.push(Object.assign(call, { answer }));
			this.wake();
		});
	}

	/**
	 * Offers jobs, which are drawn when they can be used.
	 *
	 * @param next the next job in item order; `null` for an item without a job, `undefined` at the end
	 * @returns when all jobs are done; if the run is halted, when those are that have begun
	 */
	async offer(next: () => QueuedJob | null | undefined): Promise<void> {
		this.next = next;
		await new Promise<void>((resolve, reject) => {
			this.settle = resolve;
			this.fail = (error) => {
				this.dropJobs();
				this.begun.length = 0;
				reject(error);
			};
			this.wake();
		});
	}

	/**
	 * The calls that may be next, for as long as the caller looks: those that have begun, the first of each line, and jobs
	 * that are drawn now.
	 *
	 * @yields `null` before it draws, which takes time
	 */
	*candidates(): Generator<QueuedCall | null> {
		if (this.isHalted) this.dropJobs();
		yield* this.begun.filter(({ readiness }) => readiness !== 'gettingReady');
		for (const line of [...this.lines.values()]) yield* nextOf(line);
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

	private add(job: QueuedJob): QueuedCall[] {
		const { changes, channel, maxWaitMs, notAfter, recipient } = job;
		const call: QueuedCall = {
			...{ changes, channel, job, maxWaitMs, notAfter, recipient },
			answer: (answer) => {
				if (call.readiness === undefined) this.underWay += 1;
				void job.run(answer).finally(() => this.done(job));
			},
		};
		return this.put(call, 'behind');
	}

	/** Puts a job that has not begun into its line. */
	private put(call: QueuedCall, where: 'behind' | 'before'): QueuedCall[] {
		const name = call.channel;
		const line = this.lines.get(name) ?? [];
		this.lines.set(name, line);
		if (where === 'behind') line.push(call);
		else line.unshift(call);
		this.drawn += 1;
		return line;
	}

	/** Takes out a call that does not wait any longer. */
	take(call: QueuedCall): void {
		if (!isNew(call)) {
			this.begun.splice(this.begun.indexOf(call), 1);
			return;
		}
		const name = call.channel;
		const line = this.lines.get(name);
		if (line?.shift() !== undefined) this.drawn -= 1;
		if (line?.length === 0) this.lines.delete(name);
	}

	/** Has a job get ready. Then it can start, unless there is nothing more to do. */
	async getReady(call: QueuedCall): Promise<void> {
		const { job } = call;
		if (job?.preparation === undefined) return;
		this.take(call);
		call.readiness = 'gettingReady';
		this.begun.push(call);
		this.underWay += 1;
		const isToDo = await job.preparation.getReady();
		call.readiness = 'ready';
		if (isToDo) return this.wake();
		this.take(call);
		this.done(job);
	}

	/** Undoes that, because the job can't start now. */
	release(call: QueuedCall): void {
		if (call.readiness !== 'ready' || call.isRetry === true) return;
		call.job?.preparation?.release();
		this.take(call);
		call.readiness = undefined;
		this.underWay -= 1;
		this.put(call, 'before');
	}

	/** How many jobs of a channel are getting ready, or are ready and not started. */
	readyIn(channel: string): number {
		return this.begun.filter((call) => call.readiness !== undefined && call.channel === channel).length;
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
	get waiting(): QueuedCall | undefined {
		const first = [...this.begun, ...[...this.lines.values()].flatMap((line) => line.slice(0, 1))];
		return first.find(({ waitsFor }) => waitsFor !== undefined);
	}

	/** Whether nothing waits and no job is left to draw. */
	isOver(): boolean {
		const isOver = this.begun.length === 0 && this.lines.size === 0 && this.next === undefined;
		if (isOver && this.underWay === 0) this.settle();
		return isOver;
	}

	private dropJobs(): void {
		this.next = undefined;
		this.lines.clear();
		this.drawn = 0;
	}

	/** When the service asks to come back, if no call to a channel may wait that long. */
	comeBackAt(channel: string): number | undefined {
		return this.comeBackTimes.get('key') ?? this.comeBackTimes.get(channel);
	}

	/** Notes that no call to a channel, or with this key, may wait until the service asks to come back. */
	noteComeBack(what: string | 'key', at: number): void {
		this.comeBackTimes.set(what, at);
	}

	/** Notes that a request starts. */
	start({ isRetry = false }: Pick<QueuedCall, 'isRetry'>, now: number): void {
		this.inFlight += 1;
		this.startedAt = now;
		if (isRetry) return;
		this.left -= 1;
		this.started += 1;
	}

	/** Notes how a request ended. */
	finish(result: Reply | Failure): void {
		this.inFlight -= 1;
		this.ended += 1;
		if (isFailure(result) && result.cause !== 'refused') return;
		const isKeyRefused = isFailure(result) && result.statusCode === 401 && result.byGateway !== true;
		this.keyRefusals = isKeyRefused ? this.keyRefusals + 1 : 0;
	}
}

/** Whether a call begins a job of which nothing is under way. */
export function isNew({ job, readiness }: QueuedCall): boolean {
	return job !== undefined && readiness === undefined;
}

/** The first job of a line, and the one behind it if the first is taken out. */
function* nextOf(line: readonly QueuedCall[]): Generator<QueuedCall> {
	let call = line[0];
	while (call !== undefined) {
		yield call;
		const next = line[0];
		call = next === call ? undefined : next;
	}
}
