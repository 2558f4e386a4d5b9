import type { Clock } from '../shared/clock';
import { TURN_MS } from '../shared/turns';

/** The jobs of a run, drawn one at a time as there is room. */
export interface Work<T> {
	/** The next job in item order; `null` for an item without a job, `undefined` at the end. */
	next(): T | null | undefined;
	/** Jobs in the same lane run one after the other, in the order drawn; `undefined` for a job without a lane. */
	laneOf(job: T): string | undefined;
	/** The channel that a job is for, and why calls to it are held back: 'channel' if those to others may go on. */
	channelOf?(job: T): string;
	heldBack?(channel: string): string | undefined;
	/** Takes what to call when a channel has been found to be failing. */
	wakeWith?(wake: () => void): void;
	/**
	 * What a job needs before it may run, and waits for without taking up room; `undefined` if nothing. Called as soon as
	 * the job is drawn, even if it then waits for its lane.
	 */
	needsOf?(job: T): Need | undefined;
	/** Does one job; must not reject. */
	run(job: T): Promise<void>;
	/** Whether no further job may start. */
	halted(): boolean;
}

/** What a job needs before it may run, such as a once key. Neither promise may reject. */
export interface Need {
	/** Settles when the job may run. */
	readonly claimed: Promise<unknown>;
	/** Settles when the need is released: a crash of n8n after that leaves nothing in doubt. */
	readonly settled: Promise<unknown>;
}

/** A job that has been admitted. */
interface Admitted<T> {
	readonly job: T;
	readonly channel: Channel<T>;
	readonly lane: string | undefined;
	/** How many things it waits for: its turn in its lane, its need. */
	waitsFor: number;
}

/** The jobs of one channel. */
interface Channel<T> {
	readonly name: string;
	/** Those that have been drawn and not admitted, because the channel is held back. */
	readonly drawn: T[];
	/** How many are admitted and not finished, and how many of these have started. */
	admitted: number;
	underWay: number;
}

/**
 * How many jobs of a channel are admitted while it is held back: one that is tried, and the next one. The others don't
 * claim their needs: if n8n was stopped, each claimed one would leave its message in doubt.
 */
const TRIALS = 2;
/** How many may be drawn and not admitted: enough to find others in a list of which most is for a channel that fails. */
const MOST_DRAWN = 10_000;
/** How many admitted jobs may wait for their lane: enough to find others that can run beside them. */
const MOST_PARKED = 1000;
/** How many needs may be claimed and not yet released: all of them are in doubt if n8n dies. */
const MOST_IN_DOUBT = 128;
/** How many requests one turn may start: each leaves work that runs before the event loop turns. */
const TURN_STARTS = 16;

/**
 * Runs all jobs: concurrently up to the limiter's bound, in order within a lane. Jobs are drawn only as they can be
 * started, and in small portions so that n8n's event loop turns in between.
 */
export async function schedule<T>(
	work: Work<T>,
	limiter: { readonly bound: number },
	clock: Clock,
): Promise<void> {
	/** The channels with jobs that are not finished. */
	const channels = new Map<string, Channel<T>>();
	/** The jobs that wait for their turn in a lane with a job that is not finished. */
	const lanes = new Map<string, Array<Admitted<T>>>();
	const ready: Array<Admitted<T>> = [];
	let pending = 0;
	let inDoubt = 0;
	let starts = 0;
	let isNeedy = false;
	let isDrained = false;
	let wake: () => void = () => {};

	/** Counts jobs, without those of a channel that fails while others may go on: these take up no room. */
	const total = (of: (channel: Channel<T>) => number): number => {
		let jobs = 0;
		for (const channel of channels.values()) {
			if (work.heldBack?.(channel.name) !== 'channel') jobs += of(channel);
		}
		return jobs;
	};
	const isFull = (): boolean => total(({ underWay }) => underWay) >= limiter.bound;

	/** Only jobs with a need are admitted before they can be started, up to as many as may be in flight. */
	const hasRoom = (): boolean =>
		inDoubt < MOST_IN_DOUBT && (isNeedy ? pending < limiter.bound : pending < MOST_PARKED && !isFull());

	const release = (job: Admitted<T>): void => {
		job.waitsFor -= 1;
		if (job.waitsFor === 0) ready.push(job);
		wake();
	};

	const start = ({ channel, job, lane }: Admitted<T>): void => {
		starts += 1;
		pending -= 1;
		channel.underWay += 1;
		void work.run(job).finally(() => {
			channel.underWay -= 1;
			channel.admitted -= 1;
			if (channel.admitted + channel.drawn.length === 0) channels.delete(channel.name);
			const next = lane === undefined ? undefined : lanes.get(lane)?.shift();
			if (next !== undefined) release(next);
			else if (lane !== undefined) lanes.delete(lane);
			wake();
		});
	};

	const admit = (job: T, channel: Channel<T>): void => {
		const lane = work.laneOf(job);
		const need = work.needsOf?.(job);
		const admitted = { job, channel, lane, waitsFor: 1 };
		pending += 1;
		channel.admitted += 1;
		isNeedy = need !== undefined;
		if (need !== undefined) {
			inDoubt += 1;
			admitted.waitsFor += 1;
			void need.claimed.finally(() => release(admitted));
			void need.settled.finally(() => {
				inDoubt -= 1;
				wake();
			});
		}
		const parked = lane === undefined ? undefined : lanes.get(lane);
		if (parked !== undefined) parked.push(admitted);
		else {
			if (lane !== undefined) lanes.set(lane, []);
			release(admitted);
		}
	};

	/** Draws a job into the line of its channel, unless enough wait there already; returns whether it did. */
	const draw = (): boolean => {
		let waiting = 0;
		for (const { drawn } of channels.values()) waiting += drawn.length;
		if (isDrained || waiting >= MOST_DRAWN || total(({ drawn }) => drawn.length) >= limiter.bound)
			return false;
		const job = work.next();
		if (job === undefined) isDrained = true;
		else if (job !== null) {
			const name = work.channelOf?.(job) ?? '';
			const channel = channels.get(name) ?? { name, drawn: [], admitted: 0, underWay: 0 };
			channels.set(name, channel);
			channel.drawn.push(job);
		}
		return true;
	};

	/** Starts a job, admits one, or draws one; returns whether one of these was possible. */
	const step = (): boolean => {
		const next = isFull() ? undefined : ready.shift();
		if (next !== undefined) {
			start(next);
			return true;
		}
		if (!hasRoom()) return false;
		for (const channel of channels.values()) {
			const isHeld = channel.admitted >= TRIALS && work.heldBack?.(channel.name) !== undefined;
			const [job] = isHeld ? [] : channel.drawn.splice(0, 1);
			if (job === undefined) continue;
			admit(job, channel);
			return true;
		}
		return draw();
	};

	work.wakeWith?.(() => wake());
	for (;;) {
		const turnEnds = clock.now() + TURN_MS;
		let isStuck = false;
		starts = 0;
		while (!isStuck && starts < TURN_STARTS && clock.now() < turnEnds) isStuck = work.halted() || !step();
		const isIdle = [...channels.values()].every(({ underWay }) => underWay === 0);
		if (work.halted() ? isIdle : isDrained && channels.size === 0) return;
		if (isStuck) await new Promise<void>((resolve) => (wake = resolve));
		// Answers come in bursts: the next portion is drawn in another turn.
		await clock.sleep(0);
	}
}
