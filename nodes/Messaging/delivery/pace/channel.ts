import { Recent } from '../../shared/recent';
import { CHANNEL, Circuit } from './circuit';
import { Limit } from './limit';

/** How many recipients of a channel are remembered as limited. */
const MOST_RECIPIENTS = 100;
/** After refusals of two recipients, a refusal counts as that of the channel for this long, in milliseconds. */
const BOTH_REFUSED_MS = 60_000;

/** How much longer than the others a refused recipient waits for a trial, in milliseconds. */
const AFTER_OTHERS_MS = 100;

/** A recipient that was refused: until when it asks to wait, and when the last refusal came. */
interface LimitedRecipient {
	until: number;
	refusedAt: number;
}

/** What is known of one channel: its circuit and limit, recipients with limits of their own, and the pause between messages. */
export class Channel {
	readonly circuit: Circuit;
	readonly limit: Limit;
	private readonly recipients = new Recent<LimitedRecipient>(MOST_RECIPIENTS, () => ({
		until: -Infinity,
		refusedAt: -Infinity,
	}));
	/** The last recipient that was refused, and when; and when two were, one soon after the other. */
	private lastRefused: string | undefined;
	private lastRefusedAt = -Infinity;
	private twoRefusedAt = -Infinity;
	/** Whether a call that keeps a pause is under way, and when a request of such a call last ended. */
	private hasTurn = false;
	private turnEndedAt = -Infinity;

	constructor(first: () => number, random: () => number) {
		this.circuit = new Circuit(CHANNEL, 'channel', random);
		this.limit = new Limit(first);
	}

	/**
	 * Until when a recipient waits that was refused, and not answered since; a moment that is past for all others. While the
	 * circuit is open, the trial goes to another one, if one waits.
	 */
	recipientUntil(recipient: string | undefined): number {
		const own = recipient === undefined ? undefined : this.recipients.peek(recipient);
		if (own === undefined || own.refusedAt === -Infinity) return -Infinity;
		return Math.max(own.until, (this.circuit.opening?.until ?? -Infinity) + AFTER_OTHERS_MS);
	}

	/**
	 * Whether a call may be tried at once although the circuit is open: a refusal may be about its recipient only, and
	 * this is another one.
	 */
	mayTryAnother(recipient: string | undefined, now: number): boolean {
		if (this.circuit.opening?.why !== 'later' || this.lastRefused === undefined) return false;
		if (recipient === undefined || recipient === this.lastRefused) return false;
		return now - this.twoRefusedAt >= BOTH_REFUSED_MS;
	}

	/**
	 * Notes a refusal. Returns whether it is about its recipient alone: that one was refused before, and since then others
	 * were not.
	 *
	 * @param waitMs the time that the service names; 0 if it names none
	 */
	refused(recipient: string | undefined, now: number, waitMs: number): boolean {
		if (recipient === undefined) return false;
		const own = this.recipients.use(recipient);
		const isOwn = waitMs > 0 && own.refusedAt < this.circuit.answeredAt.call;
		const wasRefused = own.refusedAt > -Infinity;
		const isSoon = now - this.lastRefusedAt < BOTH_REFUSED_MS;
		if (isSoon && this.lastRefused !== recipient) this.twoRefusedAt = now;
		this.lastRefused = recipient;
		this.lastRefusedAt = now;
		own.until = now + waitMs;
		own.refusedAt = now;
		return isOwn && wasRefused && this.circuit.opening === undefined;
	}

	/** Notes that a recipient was answered. */
	answered(recipient: string | undefined): void {
		if (recipient !== undefined && this.recipients.peek(recipient) !== undefined) {
			Object.assign(this.recipients.use(recipient), { until: -Infinity, refusedAt: -Infinity });
		}
	}

	/** When a call may start that keeps this pause to the last one; Infinity while another one has its turn. */
	pauseEnd(isRetry: boolean, pauseMs: number): number {
		// Only the call whose turn it is was started before.
		return this.hasTurn && !isRetry ? Infinity : this.turnEndedAt + pauseMs;
	}

	/** A call that keeps a pause starts: others wait until it has ended, with all its tries. */
	takeTurn(): void {
		this.hasTurn = true;
	}

	/** A request of such a call has ended. */
	noteEnd(now: number): void {
		this.turnEndedAt = now;
	}

	/** Such a call has ended, with all its tries. */
	endTurn(): void {
		this.hasTurn = false;
	}
}
