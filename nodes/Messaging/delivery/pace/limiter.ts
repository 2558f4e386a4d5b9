/** How long an answer took. */
export interface Latency {
	/** From when the request was made until its answer was dealt with, in milliseconds. */
	ms: number;
	/** For how much of that this process had nothing to do but wait: so long, at the least, the service took. */
	idleMs: number;
}

/** Decides how many requests of one run may be under way at once. */
export interface Limiter {
	readonly bound: number;
	/**
	 * Told after every request that succeeded or was turned away: how long the answer took, and which of the two it
	 * was. Other failures say nothing about how much the service can take.
	 */
	sample(latency: Latency, turnedAway: boolean): void;
}

/** A bound that the user chose. */
export function fixedLimiter(bound: number): Limiter {
	return { bound, sample: () => {} };
}

/** Few enough that their answers show what the service takes while it has little to do. */
const START = 16;
const MOST = 128;
/** How much slower than the fastest round answers may be before the bound shrinks. */
const TOLERANCE = 2;
/** Slack in milliseconds, so that the jitter of very fast answers does not count as a rise. */
const SLACK_MS = 10;
/** Which part of the time this process has to be idle for more requests at once to be worth it. */
const IDLE_SHARE = 0.02;
/**
 * How many times as many may be under way after a round, as long as nothing has spoken against it. With more, a plan
 * that nobody shows refuses far more of the first burst.
 */
const LARGEST_STEP = 4;
/** How much more than what would have kept this process busy: the next round may be luckier. */
const MARGIN = 1.25;

/**
 * A bound that finds its own level. As long as latency holds and nothing is turned away, it goes with each round of
 * answers to what would have kept n8n's one thread busy (Little's law), at most four times as high: a slow start as in
 * TCP (RFC 5681), only steeper. Then it follows the gradient between the lowest and the present latency, as Netflix's
 * concurrency-limits does ("Performance Under Load", Gradient2), and grows by steps. A refusal halves it, once per round.
 *
 * What an answer takes is in part the time that it lay here until the thread came to it, and that grows with the bound.
 * Only the time for which the thread was idle is held against the service. While it is hardly ever idle, more requests
 * at once would bring nothing but longer turns of the event loop, and the bound stays.
 */
export class AdaptiveLimiter implements Limiter {
	private level = START;

	private slowStart = true;

	private lowest = Infinity;

	private round = newRound(START);

	get bound(): number {
		return this.level;
	}

	sample({ ms, idleMs }: Latency, turnedAway: boolean): void {
		const { round } = this;
		round.answers += 1;
		round.ms += ms;
		round.idleMs += idleMs;
		if (turnedAway && !round.turnedAway) {
			round.turnedAway = true;
			this.slowStart = false;
			this.setLevel(this.level / 2);
		}
		if (round.answers >= round.size) this.endRound();
	}

	private endRound(): void {
		const { answers, ms, idleMs, turnedAway } = this.round;
		// A refusal comes back at once: it must not make the work of a success look slow.
		if (!turnedAway) {
			// The lowest may creep up, so that a route that became slower for good is not held against the service.
			this.lowest = Math.min(ms / answers, this.lowest * 1.02);
			const gradient = (this.lowest * TOLERANCE + SLACK_MS) / (idleMs / answers);
			if (gradient < 1) {
				this.slowStart = false;
				this.setLevel(this.level * Math.max(0.5, gradient));
			} else if (idleMs > ms * IDLE_SHARE) this.setLevel(this.grown(ms, idleMs));
		}
		this.round = newRound(this.level);
	}

	private grown(ms: number, idleMs: number): number {
		if (!this.slowStart) return this.level + Math.sqrt(this.level);
		return this.level * Math.min(LARGEST_STEP, (MARGIN * ms) / (ms - idleMs));
	}

	private setLevel(level: number): void {
		this.level = Math.max(1, Math.min(MOST, Math.floor(level)));
	}
}

/** Answers that are judged together: as many as may be under way at its beginning. */
function newRound(size: number) {
	return { answers: 0, ms: 0, idleMs: 0, size, turnedAway: false };
}
