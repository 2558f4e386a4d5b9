import type { Clock } from '../../time/clock';

/** Rings at set moments. Somebody who wakes sooner looks too, and sets it again: there is one sleeper for many. */
export class Alarm {
	private readonly moments = new Set<number>();

	private silenced = new AbortController();

	constructor(
		private readonly clock: Clock,
		private readonly ring: () => void,
	) {}

	/** Rings at this moment or before; at the next turn of the event loop when it has passed. */
	setFor(moment: number): void {
		const now = this.clock.now();
		if (moment === Infinity) return;
		for (const set of this.moments) if (set <= Math.max(moment, now)) return;
		this.moments.add(moment);
		const { signal } = this.silenced;
		void this.clock.sleep(moment - now, signal).then(() => {
			if (signal.aborted) return;
			this.moments.delete(moment);
			this.ring();
		});
	}

	/** Takes back all that was set: nobody waits any more, and a window may be a day long. */
	silence(): void {
		if (this.moments.size === 0) return;
		this.moments.clear();
		this.silenced.abort();
		this.silenced = new AbortController();
	}
}
