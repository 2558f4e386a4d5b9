import type { Service } from '../../service/connect';
import { type Failure, isFailure } from '../../service/endings';
import type { Reply } from '../../service/reply';
import type { Clock } from '../../shared/clock';
import type { NoPass, Pass, WaitingCall } from './waiting-call';

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
export interface Offer {
	/** Jobs in the same lane run one after the other, in the order drawn; `undefined` for a job without a lane. */
	readonly lane: string | undefined;
	readonly channel: string;
	readonly maxWaitMs: number;
	/** Gets what it needs before it may leave; `undefined` if that is nothing. */
	need: (() => Need) | undefined;
	/** Does it, with the gate's answer to its first request; must not reject. */
	run(answer: Pass | NoPass): Promise<void>;
}

/** The calls of a run to one channel that wait: those that can leave as they are, and those that begin a job. */
export interface Line {
	readonly ready: WaitingCall[];
	readonly jobs: WaitingCall[];
	/** How many jobs are getting what they need. */
	preparing: number;
}

/** What the calls of one run have in common. */
export interface RunSettings {
	readonly service: Service;
	readonly keepToPlan: boolean;
	/** Fires when nothing more may be sent: the execution was cancelled, or an item failed in stop mode. */
	readonly signal: AbortSignal;
	/** How many of its calls may be in flight; without it, as many as the gate finds out. */
	readonly maxInFlight?: number | undefined;
}

/** After this many 401 answers in a row, nothing more of a run leaves. */
const MAX_KEY_REFUSALS = 3;
/** How many jobs may be drawn and wait: enough to find others in a list of which most is for a channel that fails. */
const MAX_WAITING = 10_000;
/** How many more may wait for their lane: enough to find others that can run beside them. */
const MAX_IN_LANES = 1000;
/** How many needs may be claimed and not yet released: all of them are in doubt if n8n dies. */
const MAX_IN_DOUBT = 128;

/** What one run has waiting and offers, and what is known about its calls. */
export class RunQueue {
	/** What waits, by channel. */
	readonly lines = new Map<string, Line>();
	inFlight = 0;
	/** How many calls have left, not counting repeated tries, and when the last one did. */
	calls = 0;
	leftAt = -Infinity;
	readonly beganAt: number;
	/** The longest time, in milliseconds, that a call waited for each of these. */
	readonly waitedMs = { plan: 0, pause: 0, outage: 0, channel: 0, silent: 0, full: 0, me: 0, own: 0 };
	/** When each channel asks to come back, or the key, if that is later than a call may wait. */
	readonly comeBackAt = new Map<string | 'key', number>();
	private keyRefusals = 0;
	/** Draws the next job; `undefined` when there are no more. */
	private next: (() => Offer | null | undefined) | undefined;
	/** The jobs that wait for their turn in a lane with a job that is not done. */
	private readonly lanes = new Map<string, Offer[]>();
	private inLanes = 0;
	/** How many jobs have begun, or get what they need, and how many needs are claimed and not released. */
	private begun = 0;
	private inDoubt = 0;
	private settle = (): void => {};
	/** Ends it with an error of its own making. */
	fail: (error: unknown) => void = () => {};

	/** @param left how many calls it has still to make, as far as that is known */
	constructor(
		private readonly gate: { readonly clock: Clock; wake(run: RunQueue): void },
		readonly settings: RunSettings,
		public left = 0,
	) {
		this.beganAt = gate.clock.now();
		settings.signal.addEventListener('abort', this.wake);
	}

	private readonly wake = (): void => this.gate.wake(this);

	/** Waits for permission to make one request. */
	async enter(call: Omit<WaitingCall, 'answer'>): Promise<Pass | NoPass> {
		return await new Promise((answer) => {
			this.lineOf(call.channel).ready.push(Object.assign(call, { answer }));
			this.wake();
		});
	}

	/**
	 * Offers jobs to the gate, which draws them as it can use them.
	 *
	 * @param next the next job in item order; `null` for an item without a job, `undefined` at the end
	 * @returns when all jobs are done; if the run is halted, when those are that have begun
	 */
	async offer(next: () => Offer | null | undefined): Promise<void> {
		this.next = next;
		await new Promise<void>((resolve, reject) => {
			this.settle = resolve;
			this.fail = (error) => {
				this.next = undefined;
				this.lines.clear();
				reject(error);
			};
			this.wake();
		});
	}

	/** Draws a job into its line; `null` if there is none to wait for now, `undefined` if no more is to be drawn. */
	draw(): Line | null | undefined {
		if (this.count(({ jobs }) => jobs.length) >= MAX_WAITING || this.inLanes >= MAX_IN_LANES)
			return undefined;
		const job = this.next?.();
		if (job === undefined) this.next = undefined;
		if (job === undefined || job === null) return job;
		const { lane } = job;
		const before = lane === undefined ? undefined : this.lanes.get(lane);
		if (lane !== undefined && before === undefined) this.lanes.set(lane, []);
		if (before === undefined) return this.add(job, 'behind');
		before.push(job);
		this.inLanes += 1;
		return null;
	}

	/** Puts a job into the line of its channel, behind the others or before them. */
	private add(job: Offer, where: 'behind' | 'before'): Line {
		const { channel, maxWaitMs, need } = job;
		const call: WaitingCall = {
			...{ channel, maxWaitMs },
			answer: (answer) => {
				this.begun += 1;
				void job.run(answer).finally(() => this.done(job));
			},
			prepare: need && (() => void this.prepare(job, call, need())),
		};
		const line = this.lineOf(channel);
		if (where === 'behind') line.jobs.push(call);
		else line.jobs.unshift(call);
		return line;
	}

	/** Waits until a job has what it needs. Then it can leave, unless there is nothing more to do. */
	private async prepare(job: Offer, call: WaitingCall, { claimed, giveBack, settled }: Need): Promise<void> {
		this.begun += 1;
		this.inDoubt += 1;
		const line = this.lineOf(call.channel);
		line.preparing += 1;
		this.take(call);
		void settled.finally(() => {
			this.inDoubt -= 1;
			this.wake();
		});
		const isToDo = await claimed;
		line.preparing -= 1;
		this.tidy(call.channel);
		if (!isToDo) return this.done(job);
		const ready: WaitingCall = {
			...{ channel: job.channel, maxWaitMs: job.maxWaitMs },
			answer: (answer) => void job.run(answer).finally(() => this.done(job)),
			giveBack: () => {
				this.take(ready);
				this.begun -= 1;
				giveBack();
				this.add(job, 'before');
			},
		};
		this.lineOf(ready.channel).ready.push(ready);
		this.wake();
	}

	/** Notes that a job is done: the next one of its lane has its turn. */
	private done({ lane }: Offer): void {
		this.begun -= 1;
		const next = lane === undefined ? undefined : this.lanes.get(lane)?.shift();
		if (next !== undefined) {
			this.inLanes -= 1;
			this.add(next, 'behind');
		} else if (lane !== undefined) this.lanes.delete(lane);
		this.wake();
	}

	/** Whether another job may get what it needs: as many as may be in flight, beside those that are. */
	mayPrepare(bound: number): boolean {
		const ahead = this.count(
			({ preparing, ready }) => preparing + ready.filter((call) => call.giveBack).length,
		);
		return ahead < bound && this.inDoubt < MAX_IN_DOUBT;
	}

	/** How many calls it has to make, as far as that is known. */
	get wanted(): number {
		return Math.max(
			this.left,
			this.count(({ jobs, ready }) => jobs.length + ready.length),
		);
	}

	private count(of: (line: Line) => number): number {
		let count = 0;
		for (const line of this.lines.values()) count += of(line);
		return count;
	}

	/** The call that has waited longest; `undefined` if none waits. */
	get waiting(): WaitingCall | undefined {
		const first = [...this.lines.values()].flatMap(({ jobs, ready }) => [...ready, ...jobs.slice(0, 1)]);
		return first.find(({ heldBy }) => heldBy !== undefined);
	}

	private lineOf(channel: string): Line {
		const line = this.lines.get(channel) ?? { ready: [], jobs: [], preparing: 0 };
		this.lines.set(channel, line);
		return line;
	}

	/** Takes a call out of its line, which has its next turn after the others. */
	take(call: WaitingCall): void {
		const line = this.lineOf(call.channel);
		const calls = line.jobs[0] === call ? line.jobs : line.ready;
		calls.splice(calls.indexOf(call), 1);
		this.tidy(call.channel);
	}

	private tidy(channel: string): void {
		const line = this.lineOf(channel);
		this.lines.delete(channel);
		if (line.ready.length + line.jobs.length + line.preparing > 0) this.lines.set(channel, line);
	}

	/** Ends everything that waits, if the run is halted. Returns whether nothing waits and no job is left to draw. */
	isOver(): boolean {
		if (this.settings.signal.aborted) {
			const waiting = [...this.lines.values()].flatMap(({ ready }) => ready);
			this.lines.clear();
			this.next = undefined;
			for (const call of waiting) call.answer({ kind: 'noPass', why: 'halted' });
		}
		const isOver = this.lines.size === 0 && this.next === undefined;
		if (isOver && this.begun === 0) this.settle();
		return isOver;
	}

	/** Why nothing more of it leaves to a channel; `undefined` while its calls may. */
	refusalFor(channel: string): NoPass | undefined {
		if (this.keyRefusals >= MAX_KEY_REFUSALS) return { kind: 'noPass', why: 'keyRefused' };
		const comeBackAt = this.comeBackAt.get('key') ?? this.comeBackAt.get(channel);
		return comeBackAt === undefined ? undefined : { kind: 'noPass', why: 'comeBack', comeBackAt };
	}

	/** Notes that a call leaves. */
	leave({ isRepeated = false }: WaitingCall, now: number): void {
		this.inFlight += 1;
		this.left -= 1;
		this.leftAt = now;
		if (!isRepeated) this.calls += 1;
	}

	/** Notes how a call ended. */
	ended(result: Reply | Failure): void {
		this.inFlight -= 1;
		if (isFailure(result) && result.cause !== 'refused') return;
		const isKeyRefused = isFailure(result) && result.statusCode === 401 && result.byGateway !== true;
		this.keyRefusals = isKeyRefused ? this.keyRefusals + 1 : 0;
	}
}
