import type { Clock } from '../../../nodes/Messaging/shared/clock.ts';

interface Sleeper {
	at: number;
	wake(): void;
}

/**
 * A clock that stands still until a test advances it. It then jumps from timer to timer in order, and lets everything
 * that one timer triggers settle before the next one fires.
 */
export class FakeClock implements Clock {
	#now = 0;
	readonly #sleepers = new Set<Sleeper>();

	/** How many timers are pending. */
	get asleep(): number {
		return this.#sleepers.size;
	}

	now(): number {
		return this.#now;
	}

	async sleep(ms: number, signal?: AbortSignal): Promise<void> {
		if (signal?.aborted === true) return;
		await new Promise<void>((resolve) => {
			const leave = (): void => {
				this.#sleepers.delete(sleeper);
				resolve();
			};
			const wake = (): void => {
				// Otherwise a signal shared by many timers keeps all their listeners, and slows down.
				signal?.removeEventListener('abort', leave);
				resolve();
			};
			const sleeper = { at: this.#now + Math.max(0, ms), wake };
			this.#sleepers.add(sleeper);
			signal?.addEventListener('abort', leave, { once: true });
		});
	}

	/** Lets time pass without firing timers, as a long computation does. */
	spend(ms: number): void {
		this.#now += ms;
	}

	/** Advances time until the promise settles; fails if no timer is left. */
	async until<T>(promise: Promise<T>): Promise<T> {
		let settled = false;
		const settle = (): void => void (settled = true);
		promise.then(settle, settle);
		for (;;) {
			await rest();
			if (settled) return await promise;
			if (!this.#wakeNext(Infinity)) throw new Error(`Nothing moves any more at ${this.#now} ms`);
		}
	}

	/** Advances time by this much, and fires all timers within it. */
	async pass(ms: number): Promise<void> {
		const end = this.#now + ms;
		do await rest();
		while (this.#wakeNext(end));
		this.#now = Math.max(this.#now, end);
	}

	/** Advances time to the next timer; fails if none is left. */
	async passToNext(): Promise<void> {
		await rest();
		if (!this.#wakeNext(Infinity)) throw new Error(`Nothing moves any more at ${this.#now} ms`);
		await rest();
	}

	#wakeNext(latest: number): boolean {
		let next: Sleeper | undefined;
		for (const sleeper of this.#sleepers) {
			// Timers of the same moment fire in the order in which they were set.
			if (next === undefined || sleeper.at < next.at) next = sleeper;
		}
		if (next === undefined || next.at > latest) return false;
		this.#sleepers.delete(next);
		this.#now = Math.max(this.#now, next.at);
		next.wake();
		return true;
	}
}

/** Waits until all promises that can settle now have settled. */
export function rest(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}
