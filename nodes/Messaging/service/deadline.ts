import { sleep } from 'n8n-workflow';

/** The time that one request has, whatever the service does with it. */
export interface Deadline {
	/** Fires when the time is up, or when the execution is cancelled. */
	readonly signal: AbortSignal;
	/** Rejects when the time is up; settles in no other way. */
	readonly passed: Promise<never>;
	/** Whether the time is up. */
	readonly isOver: boolean;
	/** To be called when the request has ended. */
	end(): void;
}

interface Watched {
	readonly at: number;
	expire(): void;
}

/** How late a deadline may be noticed, in milliseconds. */
const LATEST_MS = 200;

/**
 * By how much n8n's own time-out, which is set all the same, must come after the deadline, in milliseconds: an older n8n
 * that gives a request up by itself leaves its connection open.
 */
const AFTER_DEADLINE_MS = 1000;

/** The longest time that a timer of Node can be set to, in milliseconds; one above it fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * The time-out to give n8n for a request that has a deadline of its own.
 *
 * @param ms how long the request may take
 */
export function timeoutBehind(ms: number): number {
	return Math.min(ms + AFTER_DEADLINE_MS, LONGEST_TIMER_MS);
}

/** The requests of this process that have not ended. One sleeper watches over all: a timer for each would pile up. */
const underWay = new Set<Watched>();
let watching = false;

/**
 * Starts the time of a request. n8n's own time-out does not do: it is not over while a body keeps coming, however
 * slowly.
 *
 * @param ms how long the request may take, until its answer is there as a whole
 * @param cancelled fires when the execution is cancelled
 */
export function startDeadline(ms: number, cancelled: AbortSignal | undefined): Deadline {
	const controller = new AbortController();
	const cancel = (): void => controller.abort();
	if (cancelled?.aborted === true) cancel();
	cancelled?.addEventListener('abort', cancel, { once: true });
	let isOver = false;
	let fail: () => void;
	const passed = new Promise<never>((_, reject) => (fail = () => reject(new Error('The time is up'))));
	// Whoever waits for it hears of it all the same; nobody does once the request has ended.
	passed.catch(() => {});
	const watched: Watched = {
		at: performance.now() + ms,
		expire() {
			isOver = true;
			controller.abort();
			fail();
		},
	};
	underWay.add(watched);
	if (!watching) void watch();
	return {
		signal: controller.signal,
		passed,
		get isOver() {
			return isOver;
		},
		end() {
			underWay.delete(watched);
			cancelled?.removeEventListener('abort', cancel);
		},
	};
}

async function watch(): Promise<void> {
	watching = true;
	while (underWay.size > 0) {
		await sleep(LATEST_MS);
		const now = performance.now();
		for (const watched of underWay) {
			if (watched.at > now) continue;
			underWay.delete(watched);
			watched.expire();
		}
	}
	watching = false;
}
