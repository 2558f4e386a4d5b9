/** Decides how many requests of one run may be under way at once. */
export interface Limiter {
	readonly bound: number;
	/**
	 * Told after every request that succeeded or was turned away: how long the answer took in milliseconds, and which
	 * of the two it was. Other failures say nothing about how much the service can take.
	 */
	sample(latencyMs: number, turnedAway: boolean): void;
}

/** A bound that the user chose. */
export function fixedLimiter(bound: number): Limiter {
	return { bound, sample: () => {} };
}

const START = 16;
const MOST = 128;
/** How much slower than the fastest round answers may be before the bound shrinks. */
const TOLERANCE = 2;
/** Slack in milliseconds, so that the jitter of very fast answers does not count as a rise. */
const SLACK_MS = 10;

/**
 * A bound that finds its own level. Slow start as in TCP (RFC 5681): the bound doubles with each round of answers
 * while latency holds and nothing is turned away. Then it follows the gradient between the lowest and the present
 * latency, as Netflix's concurrency-limits does ("Performance Under Load", Gradient2), and grows by steps. A refusal
 * halves it, once per round.
 */
export class AdaptiveLimiter implements Limiter {
	private level = START;

	private slowStart = true;

	private lowest = Infinity;

	private round = { answers: 0, latencyMs: 0, size: START, turnedAway: false };

	get bound(): number {
		return this.level;
	}

	sample(latencyMs: number, turnedAway: boolean): void {
		const { round } = this;
		round.answers += 1;
		round.latencyMs += latencyMs;
		if (turnedAway && !round.turnedAway) {
			round.turnedAway = true;
			this.slowStart = false;
			this.setLevel(this.level / 2);
		}
		if (round.answers >= round.size) this.endRound();
	}

	private endRound(): void {
		const { answers, latencyMs, turnedAway } = this.round;
		// A refusal comes back at once: it must not make the work of a success look slow.
		if (!turnedAway) {
			const mean = latencyMs / answers;
			// The lowest may creep up, so that a route that became slower for good is not held against the service.
			this.lowest = Math.min(mean, this.lowest * 1.02);
			const gradient = (this.lowest * TOLERANCE + SLACK_MS) / mean;
			if (gradient < 1) {
				this.slowStart = false;
				this.setLevel(this.level * Math.max(0.5, gradient));
			} else {
				this.setLevel(this.slowStart ? this.level * 2 : this.level + Math.sqrt(this.level));
			}
		}
		this.round = { answers: 0, latencyMs: 0, size: this.level, turnedAway: false };
	}

	private setLevel(level: number): void {
		this.level = Math.max(1, Math.min(MOST, Math.floor(level)));
	}
}
