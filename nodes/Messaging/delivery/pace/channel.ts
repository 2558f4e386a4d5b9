import { Breaker, FIRST_WAIT_MS, LONGEST_ASKED_MS, LONGEST_WAIT_MS, WAIT_GROWTH } from './breaker';
import type { Waiting } from './queued-call';

/** One channel: its breaker, whom its refusals are about, and the pause between messages. */
export class Channel extends Breaker {
	/** Whether a call that keeps a pause is under way, and when the pause ends after the last one. */
	hasTurn = false;
	pauseEndsAt = -Infinity;
	/** Whom the last refusal was about, when, and until when. */
	private refused = { recipient: '', at: -Infinity, until: -Infinity };

	/**
	 * Whether the trial of this opening is to be a call that was not refused before: at every second one. Only those would leave
	 * what was refused first until its Max Wait; only the others would wait for a recipient that has a limit of its own.
	 */
	get triesNewCall(): boolean {
		return this.openings % 2 === 1;
	}

	/**
	 * Until when the channel may be limited: nothing was answered since the last refusal. The next call that was not refused
	 * before shows it. Until then, those that were refused wait.
	 */
	get limitedUntil(): number {
		return this.answeredAt.call > this.refused.at ? -Infinity : this.refused.until;
	}

	/**
	 * Whether a refusal is that of its recipient alone, whose call waits then: unless another recipient of the channel was
	 * refused just before, and none answered since. Without a time, that shows only while several calls may be in flight.
	 */
	isOfRecipient(call: Waiting, now: number, askedMs: number): boolean {
		const { laterSince = Infinity, recipient } = call;
		if (recipient === undefined || this.opening !== undefined) return false;
		if (askedMs === 0 && this.most === 1) return false;
		const until = now + backoffMs(call, now, askedMs);
		// Others were answered since this call was refused for the first time.
		const isKnown = this.answeredAt.call > laterSince;
		const isOther = this.refused.recipient !== recipient && now < this.limitedUntil;
		this.refused = { recipient, at: now, until };
		if (!isKnown && isOther) return false;
		call.notBefore = until;
		return true;
	}
}

/** How long a call waits that was refused alone: as long as it was told, or longer each time. */
function backoffMs({ laterSince }: Waiting, now: number, askedMs: number): number {
	if (askedMs > 0) return Math.min(LONGEST_ASKED_MS, askedMs);
	return Math.min(LONGEST_WAIT_MS, Math.max(FIRST_WAIT_MS, (WAIT_GROWTH - 1) * (now - (laterSince ?? now))));
}
