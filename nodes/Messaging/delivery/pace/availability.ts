import { type Failure, isFailure } from '../../service/endings';
import type { Reply } from '../../service/reply';
import { Recent } from '../../shared/recent';
import { CHANNEL, Circuit, type End, type Hold, KNOWN_FOR_MS, SERVICE, type What } from './circuit';

/** Each channel may have this many calls in flight, however many the others have. */
const OWN_PLACES = 8;
/** How many channels are remembered; the others count as open. */
const MAX_CHANNELS = 1000;

/**
 * Whether the service takes calls now, for which channels, and how many at once. A call passes two circuit breakers: the
 * service, closed while GET /Me fails or several channels are asked to wait, and its channel, closed while its calls fail
 * or are asked to wait.
 */
export class Availability {
	/** Passed by all calls. */
	readonly service: Circuit;
	private readonly channels: Recent<Circuit>;
	private meLeftAt = -Infinity;

	/** @param start how many calls may be in flight at first, and after a failure */
	constructor(
		private readonly start: () => number,
		random: () => number,
	) {
		this.service = new Circuit(SERVICE, 'outage', start, random);
		this.channels = new Recent(MAX_CHANNELS, () => new Circuit(CHANNEL, 'channel', start, random));
	}

	/** Whether the service has answered recently. If it can't be reached now, that is an outage, not a wrong address. */
	isKnown(now: number): boolean {
		const { answeredAt, closure } = this.service;
		return closure?.why === 'outage' || now - Math.max(answeredAt.call, answeredAt.me) < KNOWN_FOR_MS;
	}

	/**
	 * What holds back the calls to a channel: the service or the channel itself, whichever takes longer; `undefined` if
	 * nothing does. When its time is over, one call is tried.
	 */
	closureOf(channel: string): Hold | undefined {
		const { closure } = this.service;
		const own = this.channels.peek(channel)?.closure;
		return closure !== undefined && (own?.until ?? 0) <= closure.until ? closure : (own ?? closure);
	}

	/** How many calls to a channel may be in flight. */
	boundOf(channel: string): number {
		return this.channels.peek(channel)?.bound ?? this.start();
	}

	/** When the gap is over that calls to a channel keep after a 503, also to GET /Me, which finds out whether it goes on. */
	gapEndOf(channel: string): number {
		return this.channels.peek(channel)?.gapEnd(this.meLeftAt) ?? -Infinity;
	}

	/** Whether there is a place for another call to a channel. While it is closed, there is a single one. */
	hasPlace(channel: string): boolean {
		const inFlight = this.channels.peek(channel)?.inFlight ?? 0;
		if (this.closureOf(channel) !== undefined) return inFlight === 0;
		const { bound, inFlight: all } = this.service;
		return inFlight < this.boundOf(channel) && (all < bound || inFlight < OWN_PLACES);
	}

	/** Notes that a request leaves, and returns what to call when it has ended. */
	depart(what: What, channel: string, at: number) {
		if (what === 'me') this.meLeftAt = at;
		const serviceEnded = this.service.depart(what, at);
		const channelEnded = what === 'call' ? this.channels.use(channel).depart(what, at) : undefined;
		return (result: Reply | Failure, now: number, waitMs: number, isOverrun: boolean): void => {
			const end = this.endOf(result, now);
			// A refusal may be about one channel only, such as a telephone number. If another one is paused too, it is
			// about the key.
			const isOfKey =
				isOverrun ||
				this.service.closure !== undefined ||
				this.others(what === 'me' ? undefined : channel).some(
					({ closure }) => closure?.why === 'pause' && now < closure.until,
				);
			const isLimit = end === 'failed' && isFailure(result) && result.statusCode === 503;
			channelEnded?.(end, now, waitMs, isLimit);
			// GET /Me shows whether the service fails, or only this channel. So it is asked at once.
			const serviceWaitMs = end === 'failed' && what === 'call' ? 0 : waitMs;
			serviceEnded(end === 'refused' && !isOfKey ? undefined : end, now, serviceWaitMs, false);
		};
	}

	/** Whether no other channel has been answered since this moment. */
	isAlone(channel: string, since: number): boolean {
		return this.others(channel).every(({ answeredAt }) => answeredAt.call < since);
	}

	private others(channel: string | undefined): Circuit[] {
		const own = channel === undefined ? undefined : this.channels.peek(channel);
		return [...this.channels.all()].filter((other) => other !== own);
	}

	/** How a request ended, as the tables name it; `undefined` if that says nothing. */
	private endOf(result: Reply | Failure, now: number): End | undefined {
		if (!isFailure(result) || result.cause === 'refused') return 'answered';
		if (result.cause === 'throttled') return 'refused';
		// If the service has never answered, its address may be wrong.
		const isOutage = result.cause === 'neverLeft' && this.isKnown(now);
		return result.cause === 'doubtful' || isOutage ? 'failed' : undefined;
	}
}
