import { type Failure, isFailure } from '../../service/endings';
import type { Reply } from '../../service/reply';
import { Recent } from '../../shared/recent';
import { Channel } from './channel';
import { Circuit, type End, KNOWN_FOR_MS, SERVICE, type What } from './circuit';
import { Limit } from './limit';
import type { Waiting } from './queued-call';

/** Each channel may have this many calls in flight, however many the others have. */
const OWN_PLACES = 8;
/** How many channels are remembered; the circuits of the others count as closed. */
const MAX_CHANNELS = 1000;

/** How a request ended, as far as it matters here. */
export interface Ended {
	readonly call: Waiting;
	readonly result: Reply | Failure;
	readonly now: number;
	/** How long the answer asks to wait, in milliseconds; and how long calls wait, which is shorter if that is too long. */
	readonly askedMs: number;
	readonly waitMs: number;
	/** Whether a refusal is about the key: its plan is used up, or nearly. */
	readonly isPlanUsedUp: boolean;
}

/**
 * Whether the service takes calls now, for which channels, and how many at once. A call passes two circuit breakers: the
 * service's, opened while GET /Me fails or several channels are refused, and its channel's, opened while its calls fail or
 * are refused.
 */
export class Availability {
	/** Passed by all calls. */
	readonly service: Circuit;
	readonly limit: Limit;
	private readonly channels: Recent<Channel>;
	private meStartedAt = -Infinity;

	/** @param first how many calls may be in flight at first, and after a failure */
	constructor(first: () => number, random: () => number) {
		this.service = new Circuit(SERVICE, 'outage', random);
		this.limit = new Limit(first);
		this.channels = new Recent(MAX_CHANNELS, () => new Channel(first, random));
	}

	/** What is known of a channel. */
	of(channel: string): Channel {
		return this.channels.peek(channel) ?? this.channels.use(channel);
	}

	/** Whether the service has answered recently. If it can't be reached now, that is an outage, not a wrong address. */
	isKnown(now: number): boolean {
		const { answeredAt, opening } = this.service;
		return opening?.why === 'outage' || now - Math.max(answeredAt.call, answeredAt.me) < KNOWN_FOR_MS;
	}

	/** Whether the circuits of the service and of a channel are closed. */
	isClosed(channel: string): boolean {
		return this.service.opening === undefined && this.of(channel).circuit.opening === undefined;
	}

	/** When the gap is over that calls to a channel keep, also to GET /Me, which finds out whether a limit lasts. */
	gapEnd(channel: string): number {
		return this.of(channel).limit.gapEnd(this.meStartedAt);
	}

	/** Whether another call to a channel may be in flight. */
	hasPlace(channel: string): boolean {
		const { inFlight, most } = this.of(channel).limit;
		return inFlight < most && (this.limit.inFlight < this.limit.most || inFlight < OWN_PLACES);
	}

	/** Notes that a request starts, and returns what to call when it has ended. */
	start(what: What, started: Waiting, now: number): (ended: Ended) => void {
		if (what === 'me') this.meStartedAt = now;
		const channel = what === 'call' ? this.channels.use(started.channel) : undefined;
		const wasTrial = channel?.trial.mayStart(started, now) === true;
		const before = { service: this.service.openings, channel: channel?.circuit.openings };
		this.limit.start(now);
		channel?.limit.start(now);
		return ({ call, result, now: at, askedMs, waitMs, isPlanUsedUp }) => {
			const end = this.endOf(result, at);
			// Another channel is refused, too: then it is the key.
			const isOfKey =
				isPlanUsedUp ||
				this.service.opening !== undefined ||
				this.others(channel).some(
					({ circuit: { opening } }) => opening?.why === 'later' && at < opening.until,
				);
			if (channel !== undefined) {
				const isCurrent = before.channel === channel.circuit.openings;
				const isLimit = end === 'failed' && isFailure(result) && result.statusCode === 503;
				const mayBeOwn = askedMs > 0 && isFailure(result) && result.statusCode === 429;
				const { trial } = channel;
				const saysSomething = !mayBeOwn || trial.refuse(call, at, askedMs, wasTrial);
				const ofChannel = saysSomething ? end : undefined;
				const isOpened = note(channel, what, ofChannel, { isCurrent, isLimit, now: at, waitMs });
				if (isOpened) trial.opened(call, at, mayBeOwn ? askedMs : undefined);
				else if (wasTrial && end === 'answered') trial.answer();
			}
			// GET /Me shows whether the service fails, or only this channel. So it is asked at once.
			const serviceWaitMs = end === 'failed' && what === 'call' ? 0 : waitMs;
			const ofService = end === 'refused' && !isOfKey ? undefined : end;
			const isCurrent = before.service === this.service.openings;
			note({ circuit: this.service, limit: this.limit }, what, ofService, {
				...{ isCurrent, isLimit: false, now: at, waitMs: serviceWaitMs },
			});
		};
	}

	/** Whether no other channel has been answered since this moment. */
	isAlone(channel: string, since: number): boolean {
		return this.others(this.of(channel)).every(({ circuit }) => circuit.answeredAt.call < since);
	}

	private others(own: Channel | undefined): Channel[] {
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

/** What the end of a request changes in a circuit and its limit. Returns whether it opens the circuit. */
function note(
	{ circuit, limit }: { circuit: Circuit; limit: Limit },
	what: What,
	end: End | undefined,
	{ isCurrent, isLimit, now, waitMs }: { isCurrent: boolean; isLimit: boolean; now: number; waitMs: number },
): boolean {
	if (end === 'answered') circuit.answeredAt[what] = now;
	// What started before the circuit last opened says nothing about the time after it.
	if (!isCurrent) return false;
	limit.inFlight -= 1;
	if (what === 'call' && end === 'answered') {
		limit.answered();
		if (circuit.opening === undefined) limit.grow();
	}
	const isFirst = circuit.openingsInARow === 0;
	if (!circuit.finished(what, end, now, waitMs)) return false;
	if (isFirst && (isLimit || (end === 'refused' && waitMs === 0))) limit.widenGap(isLimit);
	const growthAfter = end === 'refused' ? 'avoidance' : isLimit ? 'careful' : 'slowStart';
	limit.shrink(growthAfter);
	return true;
}
