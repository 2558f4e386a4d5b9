/** How many calls may be in flight after many answers. More bring nothing, as measured. */
const MOST = 128;
/** After a 503, or a refusal that names no time, calls keep this gap in milliseconds; each further one makes it wider. */
const FIRST_GAP_MS = 100;
const GAP_GROWS = 2;
/** With so few answers between two refusals, waiting for a moment is not enough: calls have to start further apart. */
const FEW_ANSWERS = 2;
/** A gap that has become smaller than this, in milliseconds, is none. */
const NO_GAP_MS = 1;
/** Each answer makes the gap smaller by one of these factors: slowly below this multiple of the gap at the last growth. */
const GAP_SHRINKS = 0.94;
const GAP_SHRINKS_SLOWLY = 0.995;
const NEAR_THE_LIMIT = 1.5;
/** After a 503, the limit grows by one in this many round trips: each attempt at more may cost a call that stays in doubt. */
const CAREFUL = 8;

/** How the limit grows: by one with each answer, with each round trip, or more slowly still. */
export type Growth = 'slowStart' | 'avoidance' | 'careful';

/**
 * How many calls may be in flight, and how close to each other they may start. The limit follows TCP: slow start, and
 * congestion avoidance after a refusal (RFC 5681).
 */
export class Limit {
	/** Calls in flight that started after the circuit last opened. Those from before say nothing about the time after it. */
	inFlight = 0;
	/** The limit with its decimals. */
	private level = 0;
	private growth: Growth = 'slowStart';
	/** When the last call started, and the least time to the next one, in milliseconds. */
	private startedAt = -Infinity;
	private gapMs = 0;
	/** The gap when it last had to grow. */
	private refusedGapMs = 0;
	/** How many calls were answered since the circuit last opened. */
	private answers = 0;

	/** @param first how many calls may be in flight at first, and after a failure */
	constructor(private readonly first: () => number) {}

	/** How many calls may be in flight. */
	get most(): number {
		return Math.floor(this.currentLevel);
	}

	private get currentLevel(): number {
		return this.growth === 'slowStart' ? Math.max(this.level, this.first()) : this.level;
	}

	/** When the gap to the last call, and to a GET /Me that started at this moment, is over. A past moment without a gap. */
	gapEnd(meStartedAt: number): number {
		return this.gapMs < NO_GAP_MS ? -Infinity : Math.max(this.startedAt, meStartedAt) + this.gapMs;
	}

	/** A call starts. */
	start(now: number): void {
		this.inFlight += 1;
		this.startedAt = now;
	}

	/** A call was answered: its calls may start closer to each other. */
	answered(): void {
		this.answers += 1;
		const isNear = this.gapMs < this.refusedGapMs * NEAR_THE_LIMIT;
		this.gapMs *= isNear ? GAP_SHRINKS_SLOWLY : GAP_SHRINKS;
	}

	/** More calls may be in flight. */
	grow(): void {
		const level = this.currentLevel;
		const more = { slowStart: 1, avoidance: 1 / level, careful: 1 / level / CAREFUL };
		this.level = Math.min(MOST, level + more[this.growth]);
	}

	/** Calls failed or were refused. Half as many may be in flight after a refusal, and as at first after a failure. */
	shrink(growth: Growth): void {
		this.level = growth === 'slowStart' ? 0 : Math.max(1, this.currentLevel / 2);
		this.growth = growth;
		this.inFlight = 0;
		this.answers = 0;
	}

	/** A limit was met that names no time: calls start further apart. A refusal alone does not show how far. */
	widenGap(isInDoubt: boolean): void {
		if (!isInDoubt && this.answers > FEW_ANSWERS) return;
		this.refusedGapMs = this.gapMs;
		this.gapMs = Math.max(FIRST_GAP_MS, this.gapMs * GAP_GROWS);
	}
}
