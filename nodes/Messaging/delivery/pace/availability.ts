import type { RequestEnd } from '../../service/endings';
import { Recent } from '../../shared/recent';
import { CHANNEL, Circuit, type End, type Hold, KNOWN_FOR_MS, SERVICE, type What } from './circuit';

/**
 * How many calls may be in flight at first and after an outage, at first if the plan is shown, after many refusals, and
 * after many successes (TCP's slow start and congestion avoidance, RFC 5681).
 */
const START = 32;
const START_IN_PLAN = 64;
const LEAST = 8;
/** More in flight brings nothing, as measured: with 128, n8n's one thread is busy even at 100 ms latency. */
export const MOST = 128;
/** How many channels are remembered; the others count as open. */
const MOST_CHANNELS = 1000;

/**
 * Whether the service takes calls now, for which channels, and how many at once. A call passes two circuit breakers: the
 * service, closed while GET /Me fails or the service asks to wait, and its channel, closed while its calls fail.
 */
export class Availability {
	/** Passed by all calls. */
	readonly service: Circuit;
	private readonly channels: Recent<Circuit>;
	/** The bound with its decimals. */
	private level = START;
	private isSlowStart = true;

	constructor(random: () => number) {
		this.service = new Circuit(SERVICE, 'outage', random);
		this.channels = new Recent(MOST_CHANNELS, () => new Circuit(CHANNEL, 'channel', random));
	}

	/** How many calls a run may have in flight, unless its user chose a number. */
	get bound(): number {
		return Math.floor(this.level);
	}

	/** Notes that the plan is shown: calls that keep to it are not refused, so more may leave at first. */
	planShown(): void {
		if (this.service.epoch === 0) this.level = Math.max(this.level, START_IN_PLAN);
	}

	/** Whether the service has answered recently. If it can't be reached now, that is an outage, not a wrong address. */
	isKnown(now: number): boolean {
		const { answeredAt, closure } = this.service;
		return closure?.why === 'outage' || now - Math.max(answeredAt.call, answeredAt.me) < KNOWN_FOR_MS;
	}

	/** Why calls to a channel are held back; `undefined` if they are not. */
	closureOf(channel: string): Hold | undefined {
		return this.service.closure ?? this.channels.peek(channel)?.closure;
	}

	/** When the next call to a channel may leave, if no probe is needed; Infinity if that depends on another request. */
	callMayLeaveAt(channel: string, now: number): number {
		const { closure, epoch, inFlight } = this.service;
		const circuit = this.channels.peek(channel);
		// Before the first closure and at the most, the runs limit themselves: a user may have chosen a higher number.
		const isFull = epoch > 0 && this.bound < MOST && inFlight >= this.bound;
		const isTried = this.closureOf(channel) !== undefined && (circuit?.inFlight ?? 0) > 0;
		if (isFull || isTried) return Infinity;
		return Math.max(now, closure?.until ?? now, circuit?.closure?.until ?? now);
	}

	/** Notes that a request leaves, and returns what to call when it has ended. */
	depart(what: What, channel: string): (end: RequestEnd, now: number, waitMs?: number) => void {
		const serviceEnded = this.service.depart(what);
		const channelEnded = what === 'call' ? this.channels.use(channel).depart(what) : undefined;
		return (requestEnd, now, waitMs = 0) => {
			const end = this.endOf(requestEnd, now);
			const { epoch } = this.service;
			const wasOpen = this.closureOf(channel) === undefined;
			channelEnded?.(end, now, waitMs);
			serviceEnded(end, now, waitMs);
			if (this.service.epoch !== epoch) {
				this.isSlowStart = end === 'failed';
				this.level = this.isSlowStart ? START : Math.max(LEAST, this.level / 2);
			} else if (what === 'call' && end === 'answered' && wasOpen) {
				this.level = Math.min(MOST, this.level + (this.isSlowStart ? 1 : 1 / this.level));
			}
		};
	}

	/** How a request ended, as the tables name it; `undefined` if that says nothing. */
	private endOf(end: RequestEnd, now: number): End | undefined {
		if (end === 'throttled' || end === 'unavailable') return 'refused';
		if (end === 'answered' || end === 'unauthorized') return 'answered';
		// If the service has never answered, its address may be wrong.
		return end === 'doubtful' || (end === 'unreachable' && this.isKnown(now)) ? 'failed' : undefined;
	}
}
