import { isTurnedAway, type RequestEnd } from '../../service/endings';
import { Recent } from '../../shared/recent';
import { CHANNEL, Circuit, type Closure, type End, SERVICE, type What } from './circuit';

/** How long an answer proves that the address is right, or that GET /Me works. */
const KNOWN_FOR_MS = 600_000;
/** How many calls may be in flight at first and after an outage, after many refusals, and after many successes. */
const START = 32;
const LEAST = 8;
/** More in flight brings nothing, as measured: with 128, n8n's one thread is busy even at 100 ms latency. */
export const MOST = 128;
/** How many channels are remembered; the others count as open. */
const MOST_CHANNELS = 1000;

/**
 * Whether the service takes calls now, for which channels, and how many at once. A call passes two circuit breakers: the
 * service, closed while GET /Me fails or the service asks to wait, and its channel, closed while its calls fail.
 *
 * The bound grows by one with each success, so that it doubles with each round trip. A refusal halves it, and from then
 * on it grows by one with each round trip (TCP's slow start and congestion avoidance, RFC 5681).
 */
export class Availability {
	private readonly service: Circuit;

	private readonly channels: Recent<Circuit>;

	/** The bound with its decimals. */
	private level = START;

	private isSlowStart = true;

	private answeredAt = -Infinity;

	private meAnsweredAt = -Infinity;

	constructor(random: () => number) {
		this.service = new Circuit(SERVICE, 'outage', random);
		this.channels = new Recent(MOST_CHANNELS, () => new Circuit(CHANNEL, 'channel', random));
	}

	/** How many calls a run may have in flight, unless its user chose a number. */
	get bound(): number {
		return Math.floor(this.level);
	}

	/** Whether GET /Me has to be answered before calls leave. */
	get needsProbe(): boolean {
		return this.service.state === 'inQuestion' || this.service.state === 'failing';
	}

	/** Whether the service has answered recently. If it can't be reached now, that is an outage, not a wrong address. */
	isKnown(now: number): boolean {
		return this.service.closure?.why === 'outage' || now - this.answeredAt < KNOWN_FOR_MS;
	}

	/** Why calls to a channel are held back; without a channel, why all are. `undefined` if they are not. */
	closureOf(channel?: string): Closure | undefined {
		return this.service.closure ?? (channel === undefined ? undefined : this.channels.peek(channel)?.closure);
	}

	/** When the next call to a channel may leave; Infinity if that depends on how another request ends. */
	callMayLeaveAt(channel: string, now: number): number {
		// Before the first closure and at the most, the runs limit themselves: a user may have chosen a higher number.
		const isReopening = this.service.epoch > 0 && this.bound < MOST;
		if (isReopening && this.service.inFlight >= this.bound) return Infinity;
		const circuit = this.channels.peek(channel);
		const ofService = this.service.mayLeaveAt(now, circuit?.closure === undefined);
		return Math.max(ofService, circuit?.mayLeaveAt(now) ?? now);
	}

	/** Notes that a request leaves, and returns what to call when it has ended: whether that begins a pause. */
	depart(what: What, channel = ''): (end: RequestEnd, now: number, waitMs?: number) => boolean {
		const circuit = what === 'call' ? this.channels.use(channel) : undefined;
		// The trial of a channel may hang, and must not hold up the trial of the service.
		const serviceEnded = this.service.depart(what, circuit !== undefined && circuit.closure === undefined);
		const channelEnded = circuit?.depart(what, true);
		return (requestEnd, now, waitMs = 0) => {
			const end = this.endOf(what, requestEnd, now);
			const by = { now, waitMs, meWorks: now - this.meAnsweredAt < KNOWN_FOR_MS };
			if (end === 'answered') this.answeredAt = now;
			if (end === 'answered' && what === 'me') this.meAnsweredAt = now;
			const before = this.service.closure;
			channelEnded?.(end, by);
			if (!serviceEnded(end, by)) return false;
			const { closure } = this.service;
			if (end === 'answered') {
				if (what === 'call' && before === undefined) this.grow();
				return false;
			}
			if (closure === before) return false;
			this.isSlowStart = end === 'failed';
			this.level = this.isSlowStart ? START : Math.max(LEAST, this.level / 2);
			return end === 'refused' && before === undefined;
		};
	}

	private grow(): void {
		this.level = Math.min(MOST, this.level + (this.isSlowStart ? 1 : 1 / this.level));
	}

	/** How a request ended, as the tables name it; `undefined` if that says nothing. */
	private endOf(what: What, end: RequestEnd, now: number): End | undefined {
		if (isTurnedAway(end)) return 'refused';
		if (end === 'answered' || end === 'unauthorized') return 'answered';
		if (end === 'silent') return what === 'me' ? 'failed' : undefined;
		// If the service has never answered, its address may be wrong.
		return end === 'doubtful' || this.isKnown(now) ? 'failed' : undefined;
	}
}
