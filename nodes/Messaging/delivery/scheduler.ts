import type { Clock } from '../shared/clock';
import { TURN_MS } from '../shared/turns';

/** The jobs of a run, drawn one at a time as there is room. */
export interface Work<T> {
	/** The next job in item order; `null` for an item without a job, `undefined` at the end. */
	next(): T | null | undefined;
	/** Jobs in the same lane run one after the other, in the order drawn; `undefined` for a job without a lane. */
	laneOf(job: T): string | undefined;
	/**
	 * What a job needs before it may run, and waits for without taking up room; `undefined` if nothing. Called as soon as
	 * the job is drawn, even if it then waits for its lane.
	 */
	needsOf?(job: T): Need | undefined;
	/** Whether jobs could not use their needs now. Then one is drawn only if no other is under way or waits for its need. */
	holdsNeeds?(): boolean;
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
	/** How many things it waits for: its turn in its lane, its need. */
	waitsFor: number;
	readonly isNeedy: boolean;
}

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
	const ready: Array<Drawn<T>> = [];
	let parked = 0;
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

	const finish = (lane: string | undefined): void => {
		underWay -= 1;
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

	const start = ({ job, lane, isNeedy }: Drawn<T>): void => {
		if (isNeedy) ahead -= 1;
		underWay += 1;
		void work.run(job).finally(() => finish(lane));
	};

	/** Notes what a newly drawn job has to wait for. */
	const admit = (job: T): void => {
		const lane = work.laneOf(job);
		const needs = work.needsOf?.(job);
		const drawn: Drawn<T> = { job, lane, waitsFor: 0, isNeedy: needs !== undefined };
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

	/** Whether to draw another job. Only jobs with a need are drawn ahead, up to as many as may be in flight. */
	const mayDraw = (): boolean =>
		!drained &&
		parked < MOST_PARKED &&
		inDoubt < MOST_IN_DOUBT &&
		ahead < limiter.bound &&
		(underWay < limiter.bound || drawsNeedy) &&
		(ahead + underWay === 0 || work.holdsNeeds?.() !== true);

	/** Starts a job, or draws one; `undefined` if neither is possible now. */
	const step = (): 'started' | 'drew' | undefined => {
		const next = underWay < limiter.bound ? ready.shift() : undefined;
		if (next !== undefined) {
			start(next);
			return 'started';
		}
		if (!mayDraw()) return undefined;
		const job = work.next();
		if (job === undefined) drained = true;
		else if (job !== null) admit(job);
		return 'drew';
	};

	for (;;) {
		const turnEnds = clock.now() + TURN_MS;
		let starts = 0;
		let isStuck = false;
		while (!isStuck && starts < TURN_STARTS && clock.now() < turnEnds) {
			const done = work.halted() ? undefined : step();
			if (done === 'started') starts += 1;
			isStuck = done === undefined;
		}
		const isDone = drained && ready.length + parked + ahead === 0;
		if (underWay === 0 && (work.halted() || isDone)) return;
		if (isStuck) await new Promise<void>((resolve) => (wake = resolve));
		// Answers come in bursts: the next portion is drawn in another turn.
		await clock.sleep(0);
	}
}
