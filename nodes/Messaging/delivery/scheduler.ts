import type { Clock } from '../shared/clock';
import { TURN_MS } from '../shared/turns';
import type { Limiter } from './pace/limiter';

/** The work of a run, drawn one by one as there is room. */
export interface Work<T> {
	/** The next job in item order; `null` for an item that needs none, `undefined` when there is none left. */
	next(): T | null | undefined;
	/** Jobs of one lane run one after the other, in the order drawn; `undefined` for a job that waits for none. */
	laneOf(job: T): string | undefined;
	/**
	 * What a job needs before it may run, and waits for without taking up room; `undefined` when there is nothing. Asked
	 * as soon as it is drawn, also when it then waits for its lane. Must not reject.
	 */
	needsOf?(job: T): Promise<unknown> | undefined;
	/** Does one job; must not reject. */
	run(job: T): Promise<void>;
	/** Whether no further job may start. */
	halted(): boolean;
}

/** A job that has been drawn. */
interface Drawn<T> {
	readonly job: T;
	readonly lane: string | undefined;
	/** How many things it waits for: its turn in its lane, what it needs. */
	waitsFor: number;
	readonly isNeedy: boolean;
}

/** How many drawn jobs may wait for their lane: enough to find others that can run beside it. */
const MOST_PARKED = 1000;
/**
 * How many jobs that need something may be under way or drawn ahead, together: what they have got is in doubt if n8n dies.
 * No more are drawn ahead than may be under way.
 */
const MOST_NEEDY = 128;
/** How many requests one turn may start: each leaves work behind that runs before the loop turns. */
const TURN_STARTS = 16;

/**
 * Runs all jobs: side by side up to the limiter's bound, in order within a lane, drawn only as they can be started,
 * and in small portions so that the event loop of n8n turns in between.
 */
export async function schedule<T>(
	work: Work<T>,
	limiter: Pick<Limiter, 'bound'>,
	clock: Clock,
): Promise<void> {
	const busyLanes = new Map<string, Array<Drawn<T>>>();
	const ready: Array<Drawn<T>> = [];
	let parked = 0;
	let ahead = 0;
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

	/** Notes what a job that was just drawn has to wait for. */
	const admit = (job: T): Drawn<T> => {
		const lane = work.laneOf(job);
		const needs = work.needsOf?.(job);
		const drawn: Drawn<T> = { job, lane, waitsFor: 0, isNeedy: needs !== undefined };
		if (needs !== undefined) {
			drawn.waitsFor += 1;
			ahead += 1;
			void needs.finally(() => release(drawn));
		}
		const queue = lane === undefined ? undefined : busyLanes.get(lane);
		if (queue !== undefined) {
			drawn.waitsFor += 1;
			queue.push(drawn);
			parked += 1;
		} else if (lane !== undefined) busyLanes.set(lane, []);
		return drawn;
	};

	/** Whether another job may be drawn. Where all may start that may, only what needs something first is drawn ahead. */
	const mayDraw = (): boolean => {
		if (drained || parked >= MOST_PARKED) return false;
		if (underWay >= limiter.bound && !drawsNeedy) return false;
		return ahead === 0 || ahead < Math.min(limiter.bound, MOST_NEEDY - underWay);
	};

	/** Starts or parks one job; 'nothing' when nothing can be done now. */
	const step = (): 'started' | 'passed' | 'nothing' => {
		const freed = underWay < limiter.bound ? ready.shift() : undefined;
		if (freed !== undefined) {
			start(freed);
			return 'started';
		}
		if (!mayDraw()) return 'nothing';
		const job = work.next();
		if (job === undefined) {
			drained = true;
			return 'nothing';
		}
		if (job === null) return 'passed';
		const drawn = admit(job);
		drawsNeedy = drawn.isNeedy;
		if (drawn.waitsFor > 0) return 'passed';
		if (underWay >= limiter.bound) {
			ready.push(drawn);
			return 'passed';
		}
		start(drawn);
		return 'started';
	};

	for (;;) {
		const turnBegan = clock.now();
		let starts = 0;
		let idle = false;
		while (!work.halted()) {
			const done = step();
			if (done === 'nothing') {
				idle = true;
				break;
			}
			if (done === 'started') starts += 1;
			if (starts >= TURN_STARTS || clock.now() - turnBegan >= TURN_MS) break;
		}
		const stuck = work.halted() || idle;
		const isDone = drained && ready.length + parked + ahead === 0;
		if (underWay === 0 && (work.halted() || isDone)) return;
		if (stuck) await new Promise<void>((resolve) => (wake = resolve));
		// Answers come in bursts: the next portion is drawn in a turn of its own.
		await clock.sleep(0);
	}
}
