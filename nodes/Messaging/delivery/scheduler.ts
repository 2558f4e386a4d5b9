import type { Clock } from '../time/clock';
import { TURN_MS } from '../time/turns';
import type { Limiter } from './pace/limiter';

/** The work of a run, drawn one by one as there is room. */
export interface Work<T> {
	/** The next job in item order; `null` for an item that needs none, `undefined` when there is none left. */
	next(): T | null | undefined;
	/** Jobs of one lane run one after the other, in the order drawn; `undefined` for a job that waits for none. */
	laneOf(job: T): string | undefined;
	/** Does one job; must not reject. */
	run(job: T): Promise<void>;
	/** Whether no further job may start. */
	halted(): boolean;
}

/** How many drawn jobs may wait for their lane: enough to find others that can run beside it. */
const MOST_PARKED = 1000;
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
	const busyLanes = new Map<string, T[]>();
	const ready: T[] = [];
	let parked = 0;
	let underWay = 0;
	let drained = false;
	let wake: () => void = () => {};

	const finish = (lane: string | undefined): void => {
		underWay -= 1;
		if (lane !== undefined) {
			const waiting = busyLanes.get(lane)?.shift();
			if (waiting === undefined) busyLanes.delete(lane);
			else {
				parked -= 1;
				ready.push(waiting);
			}
		}
		wake();
	};

	const start = (job: T, lane: string | undefined): void => {
		underWay += 1;
		void work.run(job).finally(() => finish(lane));
	};

	/** Starts or parks one job; false when nothing can be done now. */
	const step = (): 'started' | 'passed' | 'nothing' => {
		const freed = ready.shift();
		if (freed !== undefined) {
			start(freed, work.laneOf(freed));
			return 'started';
		}
		if (drained || parked >= MOST_PARKED) return 'nothing';
		const job = work.next();
		if (job === undefined) {
			drained = true;
			return 'nothing';
		}
		if (job === null) return 'passed';
		const lane = work.laneOf(job);
		const queue = lane === undefined ? undefined : busyLanes.get(lane);
		if (queue !== undefined) {
			queue.push(job);
			parked += 1;
			return 'passed';
		}
		if (lane !== undefined) busyLanes.set(lane, []);
		start(job, lane);
		return 'started';
	};

	for (;;) {
		const turnBegan = clock.now();
		let starts = 0;
		let idle = false;
		while (!work.halted() && underWay < limiter.bound) {
			const done = step();
			if (done === 'nothing') {
				idle = true;
				break;
			}
			if (done === 'started') starts += 1;
			if (starts >= TURN_STARTS || clock.now() - turnBegan >= TURN_MS) break;
		}
		const stuck = work.halted() || idle || underWay >= limiter.bound;
		if (underWay === 0 && (work.halted() || (drained && ready.length === 0))) return;
		if (stuck) await new Promise<void>((resolve) => (wake = resolve));
		// Answers come in bursts: the next portion is drawn in a turn of its own.
		await clock.sleep(0);
	}
}
