import type { Service } from '../service/connect';
import { type Failure, isFailure } from '../service/endings';
import type { Reply } from '../service/reply';
import type { KeyGate, NoPass, Pass, WaitingCall } from './pace/key-gate';

/** The calls of a run to one channel that wait. */
export interface Line {
	/** Those that can leave as they are. */
	readonly ready: WaitingCall[];
	/** Those that begin a job. */
	readonly jobs: WaitingCall[];
	/** How many jobs are getting what they need. */
	preparing: number;
}

/** The jobs that a run offers beside what waits already. */
export interface Offers {
	/** Whether no job is left to draw. */
	readonly isEmpty: boolean;
	/** Whether another job may get what it needs now, beside as many as may be in flight. */
	mayPrepare(bound: number): boolean;
	/** Draws the next job into its line; `null` if it has to wait for its lane, `undefined` if none is to be drawn now. */
	draw(): Line | null | undefined;
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

/** The calls of one run that wait, and what is known about the others: what the gate goes by, and what the hints report. */
export class RunQueue {
	/** What waits, by channel. */
	readonly lines = new Map<string, Line>();
	jobs: Offers | undefined;
	inFlight = 0;
	/** How many calls have left, not counting repeated tries. */
	calls = 0;
	readonly beganAt: number;
	/** When its last call left. */
	leftAt = -Infinity;
	/** The longest time, in milliseconds, that a call waited for each of these. */
	readonly waitedMs = { plan: 0, pause: 0, outage: 0, channel: 0, silent: 0, full: 0, me: 0, own: 0 };
	/** What the service sent of lists that are not whole. */
	readonly cuts = new Set<string>();
	/** When each channel asks to come back, if that is later than a call may wait. */
	private readonly comeBackAt = new Map<string | undefined, number>();
	private keyRefusals = 0;

	/** @param left how many calls it has still to make, as far as that is known */
	constructor(
		readonly gate: KeyGate,
		readonly settings: RunSettings,
		public left = 0,
	) {
		this.beganAt = gate.clock.now();
		settings.signal.addEventListener('abort', () => gate.wake(this));
	}

	/** Whether nothing waits and no job is left to draw. */
	get isEmpty(): boolean {
		return this.lines.size === 0 && this.jobs?.isEmpty !== false;
	}

	/** The line of a channel. */
	lineOf(channel: string): Line {
		const line = this.lines.get(channel) ?? { ready: [], jobs: [], preparing: 0 };
		this.lines.set(channel, line);
		return line;
	}

	/** Waits for permission to make one request. */
	async enter(call: Omit<WaitingCall, 'answer'>): Promise<Pass | NoPass> {
		return await new Promise((answer) => {
			this.lineOf(call.channel).ready.push(Object.assign(call, { answer }));
			this.gate.wake(this);
		});
	}

	/** Takes a call out of its line. */
	take(call: WaitingCall): void {
		const line = this.lineOf(call.channel);
		const calls = line.jobs[0] === call ? line.jobs : line.ready;
		calls.splice(calls.indexOf(call), 1);
		this.tidy(call.channel);
	}

	/** Forgets a line that is empty; otherwise it has its turn after the others. */
	tidy(channel: string): void {
		const line = this.lineOf(channel);
		this.lines.delete(channel);
		if (line.ready.length + line.jobs.length + line.preparing > 0) this.lines.set(channel, line);
	}

	/** Lets nothing more leave. Jobs that have not begun never do. */
	halt(): void {
		const waiting = [...this.lines.values()].flatMap(({ ready }) => ready);
		this.lines.clear();
		for (const call of waiting) call.answer({ kind: 'noPass', why: 'halted' });
	}

	/** How many calls it has to make, as far as that is known. */
	get wanted(): number {
		let waiting = 0;
		for (const { jobs, ready } of this.lines.values()) waiting += jobs.length + ready.length;
		return Math.max(this.left, waiting);
	}

	/** Why nothing more of it leaves to a channel; `undefined` while its calls may. */
	over(channel: string): NoPass | undefined {
		const kind = 'noPass';
		if (this.settings.signal.aborted) return { kind, why: 'halted' };
		if (this.keyRefusals >= MAX_KEY_REFUSALS) return { kind, why: 'keyRefused' };
		const comeBackAt = this.comeBackAt.get(undefined) ?? this.comeBackAt.get(channel);
		return comeBackAt === undefined ? undefined : { kind, why: 'comeBack', comeBackAt };
	}

	/** Ends a channel for this run, or without one all: the service asks to come back later than a call may wait. */
	end(channel: string | undefined, comeBackAt: number): void {
		this.comeBackAt.set(channel, comeBackAt);
	}

	/** Notes that a call leaves. */
	leave({ isRepeated = false }: WaitingCall, now: number): void {
		this.inFlight += 1;
		if (!isRepeated) this.calls += 1;
		this.left -= 1;
		this.leftAt = now;
	}

	/** Notes how a call ended. */
	ended(result: Reply | Failure): void {
		this.inFlight -= 1;
		if (isFailure(result) && result.cause === 'refused' && result.statusCode === 401) this.keyRefusals += 1;
		else if (!isFailure(result) || result.cause === 'refused') this.keyRefusals = 0;
	}
}
