import { type Failure, isFailure } from '../../service/endings';
import type { Reply } from '../../service/reply';
import { Recent } from '../../shared/recent';
import { CHANNEL, Circuit, type End, type Hold, KNOWN_FOR_MS, SERVICE, type What } from './circuit';

/** How many calls may be in flight at first if the plan is shown: those that keep to it are not refused. */
const START_IN_PLAN = 64;
/** This part of the bound is there for each channel, also if others use up all of it. */
const PART = 1 / 4;
/** How many channels are remembered; the others count as open. */
const MAX_CHANNELS = 1000;

/** What counts of a run: how many of its calls are in flight, and the Max Concurrency that its user chose. */
interface Run {
	readonly inFlight: number;
	readonly settings: { readonly maxInFlight?: number | undefined };
}

/**
 * Whether the service takes calls now, for which channels, and how many at once: the one place that decides what may be in
 * flight. A call passes two circuit breakers: the service, closed while GET /Me fails or several channels are asked to
 * wait, and its channel, closed while its calls fail or are asked to wait.
 */
export class Availability {
	/** Passed by all calls. */
	readonly service: Circuit;
	private readonly channels: Recent<Circuit>;
	/** How many calls are in flight, without those to channels that hold up only themselves; when it was counted. */
	private counted = { at: NaN, calls: 0 };

	constructor(random: () => number) {
		this.service = new Circuit(SERVICE, 'outage', random);
		this.channels = new Recent(MAX_CHANNELS, () => {
			const channel = new Circuit(CHANNEL, 'channel', random);
			channel.beginWith(this.service.bound);
			return channel;
		});
	}

	/** How many calls to a channel may be in flight. */
	boundOf(channel: string): number {
		const { bound } = this.service;
		return Math.min(bound, this.channels.peek(channel)?.bound ?? bound);
	}

	/** Notes that the plan is shown. */
	planShown(): void {
		for (const circuit of [this.service, ...this.channels.all()]) circuit.beginWith(START_IN_PLAN);
	}

	/** Whether the service has answered recently. If it can't be reached now, that is an outage, not a wrong address. */
	isKnown(now: number): boolean {
		const { answeredAt, closure } = this.service;
		return closure?.why === 'outage' || now - Math.max(answeredAt.call, answeredAt.me) < KNOWN_FOR_MS;
	}

	/** Why calls to a channel are held back; `undefined` if they are not. */
	holdOf(channel: string, now: number): Hold | undefined {
		const { closure } = this.service;
		const own = this.channels.peek(channel)?.holdAt(now);
		return closure !== undefined && (own?.until ?? 0) <= closure.until ? closure : (own ?? closure);
	}

	/** When the next call to a channel may leave, if no probe is needed; Infinity if that depends on another request. */
	mayLeaveAt(channel: string, run: Run, now: number): number {
		const circuit = this.channels.peek(channel);
		const hold = this.holdOf(channel, now);
		const inFlight = circuit?.inFlight ?? 0;
		if (run.inFlight >= (run.settings.maxInFlight ?? Infinity)) return Infinity;
		if (hold?.why === 'silent') return Math.max(now, hold.until);
		// A trial takes up no room, so that many channels that fail don't hold up the others.
		if (hold !== undefined) return inFlight > 0 ? Infinity : Math.max(now, hold.until);
		if (inFlight > 0 && this.service.holdAt(now) !== undefined) return Infinity;
		return this.hasRoom(circuit, run, now) ? now : this.silenceAfter(now);
	}

	/** Whether the bounds leave room for another call to a channel. */
	private hasRoom(channel: Circuit | undefined, run: Run, now: number): boolean {
		const { bound } = this.service;
		const inFlight = channel?.inFlight ?? 0;
		// Without trouble, each run may have a call in flight, and a user may have chosen a higher number.
		const isFree = this.service.isFree && channel?.isFree !== false;
		if (isFree && run.inFlight === 0) return true;
		const chosen = (isFree && run.settings.maxInFlight) || 0;
		const part = inFlight < bound * PART ? bound * PART : 0;
		return (
			inFlight < Math.max(channel?.bound ?? bound, chosen) &&
			this.countAt(now) < Math.max(bound + part, chosen)
		);
	}

	private countAt(now: number): number {
		if (this.counted.at !== now) {
			const open = [...this.channels.all()].filter((circuit) => circuit.holdAt(now) === undefined);
			this.counted = { at: now, calls: open.reduce((sum, { inFlight }) => sum + inFlight, 0) };
		}
		return this.counted.calls;
	}

	/** When another channel is found to be silent, and takes up no room any more. */
	private silenceAfter(now: number): number {
		return Math.min(
			...[...this.channels.all()].map(({ silentAt }) => (silentAt > now ? silentAt : Infinity)),
		);
	}

	/** Notes that a request leaves, and returns what to call when it has ended. */
	depart(what: What, channel: string, leftAt: number) {
		const serviceEnded = this.service.depart(what, leftAt);
		const channelEnded = what === 'call' ? this.channels.use(channel).depart(what, leftAt) : undefined;
		this.counted.at = NaN;
		return (result: Reply | Failure, now: number, waitMs: number, isOverrun: boolean): void => {
			const end = this.endOf(result, now);
			// The refusal of one channel, as of a telephone number, is no refusal of the key: but that of another one is.
			const isOfKey =
				isOverrun ||
				this.service.closure !== undefined ||
				this.others(what === 'me' ? undefined : channel).some((other) => other.isPausedAt(now));
			channelEnded?.(end, now, waitMs);
			// Whether a failure is one of the service, GET /Me shows at once.
			const serviceWaitMs = end === 'failed' && what === 'call' ? 0 : waitMs;
			serviceEnded(end === 'refused' && !isOfKey ? undefined : end, now, serviceWaitMs);
			this.counted.at = NaN;
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
