import type { Clock } from '../../../nodes/Messaging/shared/clock.ts';

interface Sleeper {
	at: number;
	wake(): void;
}

/**
 * Time that stands still until a test lets it go on. It then jumps from sleeper to sleeper, in the order in which they
 * are to wake, and lets everything that one of them sets off come to rest before the next one wakes.
 */
export class FakeClock implements Clock {
	#now = 0;
	readonly #sleepers = new Set<Sleeper>();

	/** How many are asleep. */
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
				// A signal that sees many sleepers come and go looks through all that it still has.
				signal?.removeEventListener('abort', leave);
				resolve();
			};
			const sleeper = { at: this.#now + Math.max(0, ms), wake };
			this.#sleepers.add(sleeper);
			signal?.addEventListener('abort', leave, { once: true });
		});
	}

	/** Lets time pass without anybody waking, as a long computation does. */
	spend(ms: number): void {
		this.#now += ms;
	}

	/** Lets time go on until the promise settles; fails when nobody is left who could wake. */
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

	/** Lets this much time pass, and everything happen that falls into it. */
	async pass(ms: number): Promise<void> {
		const end = this.#now + ms;
		do await rest();
		while (this.#wakeNext(end));
		this.#now = Math.max(this.#now, end);
	}

	/** Lets time go on until somebody wakes; fails when nobody is left who could. */
	async passToNext(): Promise<void> {
		await rest();
		if (!this.#wakeNext(Infinity)) throw new Error(`Nothing moves any more at ${this.#now} ms`);
		await rest();
	}

	#wakeNext(latest: number): boolean {
		let next: Sleeper | undefined;
		for (const sleeper of this.#sleepers) {
			// Of those of one moment, the one who lay down first.
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
