/** n8n's processes as they share a store: they send under once keys, are killed, and freeze. One seed, one course of events. */
import { type Claim, type OnceRun } from '../../../../nodes/Messaging/delivery/once/claim.ts';
import { KeyRow } from '../../../../nodes/Messaging/delivery/once/key-row.ts';
import { Lease } from '../../../../nodes/Messaging/delivery/once/lease.ts';
import { OnceKeys } from '../../../../nodes/Messaging/delivery/once/once-keys.ts';
import type { Failure } from '../../../../nodes/Messaging/service/endings.ts';
import type { Clock } from '../../../../nodes/Messaging/shared/clock.ts';
import { FakeClock } from '../fake-clock.mts';
import { type Access, aLife, goOn, N8nStore } from './n8n-store.mts';

export type End = 'sent' | 'free' | 'inDoubt';

/** An n8n process: its executions share one row for the node. */
export class Process {
	readonly life = aLife();
	/** The clock as this process sees it: it does not go on while the process is frozen. */
	readonly clock: Clock;
	readonly row: KeyRow;

	constructor(
		private readonly world: FakeClock,
		readonly shared: N8nStore,
		private readonly random: () => number = () => 0.5,
	) {
		const sleep: Clock['sleep'] = async (ms, signal) => {
			await world.sleep(ms, signal);
			await goOn(world, this.life);
		};
		this.clock = { now: () => world.now(), sleep };
		this.row = new KeyRow(this.clock, random);
	}

	kill(): void {
		this.life.alive = false;
	}

	freeze(ms: number): void {
		this.life.frozenUntil = this.world.now() + ms;
	}

	/** A run of the node. */
	readonly run = (change: Partial<OnceRun> = {}): OnceKeys =>
		new OnceKeys(this.row, {
			scope: 'message send',
			store: this.shared.store(this.life),
			messages: 1000,
			mostKeys: 10_000,
			signal: new AbortController().signal,
			...change,
		});

	/** Takes the workflow's lease for this work, as long as it is wanted. */
	async hold(
		work: (lease: Lease) => Promise<unknown> = async () => {},
		isWanted: () => boolean = () => true,
	): Promise<boolean | Failure> {
		const lease = new Lease(this.clock, this.random);
		const { lease: row } = this.shared.store(this.life);
		return await lease.hold(row, isWanted, async () => await work(lease));
	}
}

/** Processes that share a store. */
export function processes(count: number, nextAccess?: () => Access) {
	const clock = new FakeClock();
	const shared = new N8nStore(clock, nextAccess);
	const made = Array.from({ length: count }, () => new Process(clock, shared));
	return { clock, shared, made, first: made[0] as Process, second: made[1] as Process };
}

/** Sends under a key as the node does, and returns the outcome. */
export async function send(claim: Claim, ends: End = 'sent', doIt: () => unknown = () => {}) {
	const found = await claim.result;
	if (found === 'free') {
		await doIt();
		claim.end(ends);
	}
	if (found === 'inDoubt') claim.end('inDoubt');
	return typeof found === 'object' ? found.outcome : found;
}

/** One execution that sends under some keys, one after the other or in parallel. */
export async function execution(process: Process, keys: string[], ends?: End): Promise<string[]> {
	const run = process.run();
	const results = await Promise.all(keys.map(async (key) => await send(run.claim(key, 1000), ends)));
	await run.close();
	return results;
}

/** Some executions of several processes, and what they have sent. */
export class Simulation {
	readonly clock = new FakeClock();
	readonly random: () => number;
	readonly shared: N8nStore;
	/** How often each message was sent. */
	readonly sent = new Map<string, number>();
	/** How the claims ended; `lost` if a key counts as sent that was not. */
	readonly ends: string[] = [];

	/** @param takes how long reading a row takes, or writing it, in milliseconds; or all about the next access */
	constructor(seed: number, takes: (random: () => number) => number | Access) {
		this.random = drawn(seed);
		this.shared = new N8nStore(this.clock, () => {
			const access = takes(this.random);
			return typeof access === 'object' ? access : { readMs: access, writeMs: takes(this.random) as number };
		});
	}

	worker(): Process {
		return new Process(this.clock, this.shared, this.random);
	}

	/** Lets something happen at a time. */
	async at<T>(ms: number, what: () => T): Promise<Awaited<T>> {
		await this.clock.sleep(ms);
		return await what();
	}

	/** Sends under these keys, all at once. Returns how long that took. */
	async execution(worker: Process, keys: readonly string[], takesMs = this.random() * 50): Promise<number> {
		const { clock, ends, sent } = this;
		const began = clock.now();
		const run = worker.run({ messages: 300 });
		await Promise.all(
			keys.map(async (key) => {
				const claim = run.claim(key, 60_000);
				void claim.result.then((found) => {
					const isLost = found === 'sent' && !sent.has(key);
					ends.push(isLost ? 'lost' : typeof found === 'string' ? found : found.message);
				});
				await send(claim, 'sent', async () => {
					await goOn(clock, worker.life);
					sent.set(key, (sent.get(key) ?? 0) + 1);
					await worker.clock.sleep(takesMs);
				});
			}),
		);
		await run.close();
		return clock.now() - began;
	}
}

export const numbered = (count: number, name = 'key'): string[] =>
	Array.from({ length: count }, (_, n) => `${name} ${n}`);

/** Pseudorandom numbers from 0 to 1, the same for the same seed (mulberry32). */
export function drawn(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}
