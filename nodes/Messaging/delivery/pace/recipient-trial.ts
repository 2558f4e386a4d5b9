import { LONGEST_ASKED_MS } from './circuit';
import type { Waiting } from './queued-call';

/**
 * Whose limit a refusal is about: that of the channel, or that of one recipient, as many services limit each chat. When a
 * refusal opens the channel's circuit, one call to another recipient is tried at once. If it is answered, only the refused
 * call waits, and its further refusals say nothing about the channel. A trial proves that recipients are limited if the call
 * was refused for the second time. Those that prove nothing may cost refusals, so they become fewer.
 */
export class RecipientTrial {
	/** The call whose refusal has opened the circuit, and until when it waits; `undefined` while no other one is tried. */
	private refused:
		| { readonly call: Waiting; readonly isRepeated: boolean; readonly until: number }
		| undefined;
	/** How many openings are not followed by a trial from now on, and after the next trial that proves nothing. */
	private skips = 0;
	private nextSkips = 1;

	/** Whether a call that was not refused itself is such a trial if it starts at this moment. */
	mayStart({ laterSince, recipient }: Waiting, now: number): boolean {
		const { refused } = this;
		if (refused === undefined || now >= refused.until || laterSince !== undefined) return false;
		return recipient !== undefined && recipient !== refused.call.recipient;
	}

	/** Whether another recipient is tried because of a refusal of this call. */
	isFor(call: Waiting): boolean {
		return this.refused?.call === call;
	}

	/** Notes that a call has opened the circuit: because of a refusal that asks to wait, or for another reason. */
	opened(call: Waiting, now: number, askedMs: number | undefined): void {
		this.refused = undefined;
		if (askedMs === undefined || call.recipient === undefined) return;
		if (this.skips > 0) this.skips -= 1;
		else this.refused = { call, isRepeated: call.laterSince !== undefined, until: untilOf(now, askedMs) };
	}

	/**
	 * Notes a refusal that asks to wait.
	 *
	 * @param wasTrial whether the call was started as such a trial
	 * @returns whether it says something about the channel that was not known
	 */
	refuse(call: Waiting, now: number, askedMs: number, wasTrial: boolean): boolean {
		if (wasTrial) {
			this.end(false);
			return false;
		}
		if (call.hasOwnLimit !== true) return true;
		call.notBefore = untilOf(now, askedMs);
		return false;
	}

	/** Notes that a trial was answered. */
	answer(): void {
		const { refused } = this;
		if (refused === undefined) return;
		refused.call.notBefore = refused.until;
		refused.call.hasOwnLimit = true;
		this.end(refused.isRepeated);
	}

	private end(isProof: boolean): void {
		this.refused = undefined;
		this.skips = isProof ? 0 : this.nextSkips;
		this.nextSkips = isProof ? 1 : 2 * this.nextSkips;
	}
}

function untilOf(now: number, askedMs: number): number {
	return now + Math.min(askedMs, LONGEST_ASKED_MS);
}
