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

/** The queue of one run: its jobs and calls that wait, and what is known about its calls. */
export class RunQueue {
	/** Calls that were started before, or do not begin a job. */
	private readonly begun: QueuedCall[] = [];
	/** The jobs that wait for their turn, each as the call that begins it: a line for each channel, the next one last. */
	private readonly lines = new Map<string, QueuedCall[]>();
	inFlight = 0;
	/** How many calls it has still to start, as far as that is known. */
	left = 0;
	/** How many calls were started, without further tries; and when the last one was. */
	started = 0;
	startedAt = -Infinity;
	readonly beganAt: number;
	/** The longest time, in milliseconds, that a call waited for each reason. */
	readonly waitedMs: Record<Reason, number> = {
		...{ outage: 0, channel: 0, later: 0, me: 0, plan: 0, gap: 0, pause: 0, own: 0, full: 0 },
	};
	/** When each channel asks to come back, or the key, if that is later than a call may wait. */
	readonly comeBackTimes = new Map<string | 'key', number>();
	/** How many answers of 401 came in a row. */
	keyRefusals = 0;
	/** How many jobs were started and are not done. */
	private underWay = 0;
	private settle = (): void => {};
	/** Ends the run because of a bug. */
	fail: (error: unknown) => void = () => {};

	constructor(
		private readonly gate: { readonly clock: Clock; wake(run: RunQueue): void },
		readonly settings: QueueSettings,
	) {
		this.beganAt = gate.clock.now();
		settings.signal.addEventListener('abort', this.wake);
	}

	private readonly wake = (): void => this.gate.wake(this);

	get isHalted(): boolean {
		return this.settings.signal.aborted;
	}

	/** Waits for permission to start one request. */
	async enter(call: Omit<QueuedCall, 'answer'>): Promise<Start | NoStart> {
		return await new Promise((answer) => {
			this.insert(Object.assign(call, { answer }));
			this.wake();
		});
	}

	/** The same for a call that does not wait for more than the end of another call; `undefined` if it would have to. */
	async enterSoon(call: Omit<QueuedCall, 'answer'>): Promise<Start | NoStart | undefined> {
		return await new Promise((answer) => {
			this.insert({ ...call, answer, withdraw: () => answer(undefined) });
			this.wake();
		});
	}

	/** Whoever was told "later" first comes first, however often: otherwise a slow limit would leave some until their Max Wait. */
	private insert(call: QueuedCall): void {
		const since = call.laterSince ?? Infinity;
		let at = this.begun.length;
		while (at > 0 && (this.begun[at - 1]?.laterSince ?? Infinity) > since) at -= 1;
		this.begun.splice(at, 0, call);
	}

	/**
	 * Does these jobs.
	 *
	 * @param jobs in the order in which they start, unless they wait for different things
	 * @returns when all are done; if the run is halted, when those are that have begun
	 */
	async offer(jobs: readonly QueuedJob[]): Promise<void> {
		this.left = jobs.length;
		// From the back, so that the next one of each lane and each line is the last one: taking it out moves no other.
		const lanes = new Map<string | QueuedJob, QueuedCall[]>();
		for (const [position, job] of [...jobs.entries()].reverse()) {
			const key = job.lane ?? job;
			const lane = lanes.get(key) ?? [];
			lanes.set(key, lane);
			lane.push(this.callOf(job, position, lane));
		}
		await new Promise<void>((resolve, reject) => {
			this.settle = resolve;
			this.fail = (error) => {
				this.lines.clear();
				this.begun.length = 0;
				reject(error);
			};
			for (const lane of lanes.values()) this.lineUp(lane.pop());
			this.wake();
		});
	}

	/** The call that begins a job. The next one of its lane lines up when the job is done. */
	private callOf(job: QueuedJob, position: number, lane: QueuedCall[]): QueuedCall {
		const { changes, channel, maxWaitMs, notAfter, recipient } = job;
		const done = (): void => {
			this.underWay -= 1;
			this.lineUp(lane.pop());
			this.wake();
		};
		const answer = (first: Start | NoStart): void => {
			this.underWay += 1;
			void job.run(first).finally(done);
		};
		return { changes, channel, maxWaitMs, notAfter, recipient, answer, position };
	}

	/** Puts a call into the line of its channel, in the order of the jobs. */
	private lineUp(call: QueuedCall | undefined): void {
		if (call === undefined) return;
		const { channel, position = 0 } = call;
		const line = this.lines.get(channel) ?? [];
		this.lines.set(channel, line);
		let at = line.length;
		while (at > 0 && (line[at - 1]?.position ?? 0) < position) at -= 1;
		line.splice(at, 0, call);
	}

	/** The calls that may be next: those that have begun, and the first job of each line. */
	candidates(): QueuedCall[] {
		if (this.isHalted) this.lines.clear();
		return [...this.begun, ...[...this.lines.values()].flatMap((line) => line.slice(-1))];
	}

	/** Takes out a call that does not wait any longer. */
	take(call: QueuedCall): void {
		const line = this.lines.get(call.channel);
		if (call.position === undefined) this.begun.splice(this.begun.indexOf(call), 1);
		else if (line?.pop() !== undefined && line.length === 0) this.lines.delete(call.channel);
	}

	/** Whether jobs to a channel wait that have not begun. */
	hasLine(channel: string): boolean {
		return this.lines.has(channel);
	}

	/** The call that has waited longest; `undefined` if none waits. */
	get waiting(): QueuedCall | undefined {
		return this.candidates().find(({ waitsFor }) => waitsFor !== undefined);
	}

	/** Whether nothing waits. */
	isOver(): boolean {
		const isOver = this.begun.length === 0 && this.lines.size === 0;
		if (isOver && this.underWay === 0) this.settle();
		return isOver;
	}

	/** Notes that a request starts, or with -1 that it was not sent after all. */
	start({ isRetry = false }: Pick<QueuedCall, 'isRetry'>, now: number, count: 1 | -1 = 1): void {
		this.inFlight += count;
		this.startedAt = now;
		if (isRetry) return;
		this.left -= count;
		this.started += count;
	}

	/** Notes how a request ended. */
	finish(result: Reply | Failure): void {
		this.inFlight -= 1;
		if (isFailure(result) && result.cause !== 'refused') return;
		const isKeyRefused = isFailure(result) && result.statusCode === 401 && result.byGateway !== true;
		this.keyRefusals = isKeyRefused ? this.keyRefusals + 1 : 0;
	}
}
