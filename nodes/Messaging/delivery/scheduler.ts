import type { Clock } from '../shared/clock';
import { TURN_MS } from '../shared/turns';

/** The jobs of a run, drawn one at a time as there is room. */
export interface Work<T> {
	/** The next job in item order; `null` for an item without a job, `undefined` at the end. */
	next(): T | null | undefined;
	/** Jobs in the same lane run one after the other, in the order drawn; `undefined` for a job without a lane. */
	laneOf(job: T): string | undefined;
	/**
	 * The channel that a job is for, and why calls to a channel are held back: 'channel' if others may go on. Then the
	 * needs of its jobs are not claimed: if n8n was stopped, each claimed one would leave its message in doubt.
	 */
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

/** A job that has been drawn. */
interface Drawn<T> {
	readonly job: T;
	readonly lane: string | undefined;
	readonly channel: Channel<T>;
	/** How many things it waits for: its turn in its lane, its need. */
	waitsFor: number;
	readonly isNeedy: boolean;
}

/** The jobs of one channel. */
interface Channel<T> {
	readonly name: string;
	/** How many are admitted and not finished, and how many of these have started. */
	admitted: number;
	underWay: number;
	/** Those that are held back. */
	readonly waiting: T[];
}

/** How many jobs of a channel are admitted while it is held back: one that is tried, and the next one. */
const TRIALS = 2;
/** How many may be held back: enough to find others in a list of which most is for a channel that fails. */
const MOST_WAITING = 10_000;
/** How many drawn jobs may wait for their lane: enough to find others that can run beside them. */
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
	const busyLanes = new Map<string, Array<Drawn<T>>>();
	const channels = new Map<string, Channel<T>>();
	const ready: Array<Drawn<T>> = [];
	let parked = 0;
	let waiting = 0;
	let ahead = 0;
	let inDoubt = 0;
	let underWay = 0;
	let drawsNeedy = false;
	let drained = false;
	let wake: () => void = () => {};

	const release = (drawn: Drawn<T>): void => {
		drawn.waitsFor -= 1;
		if (drawn.waitsFor === 0) ready.push(drawn);
		wake();
	};

	const mayAdmit = ({ admitted, name }: Channel<T>): boolean =>
		admitted < TRIALS || work.heldBack?.(name) === undefined;

	/** Counts jobs, without those of a channel that is held back while others may go on: these take up no room. */
	const total = (of: (channel: Channel<T>) => number): number => {
		let jobs = 0;
		for (const channel of channels.values()) {
			if (work.heldBack?.(channel.name) !== 'channel') jobs += of(channel);
		}
		return jobs;
	};
	const isFull = (): boolean => total((channel) => channel.underWay) >= limiter.bound;

	const finish = ({ channel, lane }: Drawn<T>): void => {
		underWay -= 1;
		channel.underWay -= 1;
		channel.admitted -= 1;
		if (channel.admitted === 0 && channel.waiting.length === 0) channels.delete(channel.name);
		if (lane !== undefined) {
			const waiting = busyLanes.get(lane)?.shift();
			if (waiting === undefined) busyLanes.delete(lane);
			else {
				parked -= 1;
				release(waiting);
			}
		}
		wake();
	};

	const start = (drawn: Drawn<T>): void => {
		if (drawn.isNeedy) ahead -= 1;
		underWay += 1;
		drawn.channel.underWay += 1;
		void work.run(drawn.job).finally(() => finish(drawn));
	};

	/** Puts a newly drawn job into the line of its channel. */
	const enqueue = (job: T): void => {
		const name = work.channelOf?.(job) ?? '';
		const channel = channels.get(name) ?? { name, admitted: 0, underWay: 0, waiting: [] };
		channels.set(name, channel);
		channel.waiting.push(job);
		waiting += 1;
	};

	/** Notes what a job has to wait for. */
	const admit = (job: T, channel: Channel<T>): void => {
		const lane = work.laneOf(job);
		const needs = work.needsOf?.(job);
		const drawn: Drawn<T> = { job, lane, channel, waitsFor: 0, isNeedy: needs !== undefined };
		channel.admitted += 1;
		drawsNeedy = drawn.isNeedy;
		if (needs !== undefined) {
			drawn.waitsFor += 1;
			ahead += 1;
			inDoubt += 1;
			void needs.claimed.finally(() => release(drawn));
			void needs.settled.finally(() => {
				inDoubt -= 1;
				wake();
			});
		}
		const queue = lane === undefined ? undefined : busyLanes.get(lane);
		if (queue !== undefined) {
			drawn.waitsFor += 1;
			queue.push(drawn);
			parked += 1;
		} else if (lane !== undefined) busyLanes.set(lane, []);
		if (drawn.waitsFor === 0) ready.push(drawn);
	};

	/** Whether to admit another job. Only jobs with a need are admitted ahead, up to as many as may be in flight. */
	const hasRoom = (): boolean =>
		parked < MOST_PARKED && inDoubt < MOST_IN_DOUBT && ahead < limiter.bound && (drawsNeedy || !isFull());

	/** Whether to draw another job, although some are held back. */
	const mayDraw = (): boolean =>
		!drained &&
		waiting < MOST_WAITING &&
		(waiting === 0 || total((channel) => channel.underWay + channel.waiting.length) < limiter.bound);

	/** Starts a job, admits one, or draws one; `undefined` if none of these is possible now. */
	const step = (): 'started' | 'drew' | undefined => {
		const next = isFull() ? undefined : ready.shift();
		if (next !== undefined) {
			start(next);
			return 'started';
		}
		if (!hasRoom()) return undefined;
		for (const channel of waiting === 0 ? [] : channels.values()) {
			if (!mayAdmit(channel)) continue;
			const [job] = channel.waiting.splice(0, 1);
			if (job === undefined) continue;
			waiting -= 1;
			admit(job, channel);
			return 'drew';
		}
		if (!mayDraw()) return undefined;
		const job = work.next();
		if (job === undefined) drained = true;
		else if (job !== null) enqueue(job);
		return 'drew';
	};

	work.wakeWith?.(() => wake());
	for (;;) {
		const turnEnds = clock.now() + TURN_MS;
		let starts = 0;
		let isStuck = false;
		while (!isStuck && starts < TURN_STARTS && clock.now() < turnEnds) {
			const done = work.halted() ? undefined : step();
			if (done === 'started') starts += 1;
			isStuck = done === undefined;
		}
		const isDone = drained && ready.length + parked + ahead + waiting === 0;
		if (underWay === 0 && (work.halted() || isDone)) return;
		if (isStuck) await new Promise<void>((resolve) => (wake = resolve));
		// Answers come in bursts: the next portion is drawn in another turn.
		await clock.sleep(0);
	}
}
