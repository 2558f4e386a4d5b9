/** n8n's processes as they share a store: they send under once keys, are killed, and freeze. The one simulator of them. */
import { type Claim, type OnceRun } from '../../../../nodes/Messaging/delivery/once/claim.ts';
import { KeyRow } from '../../../../nodes/Messaging/delivery/once/key-row.ts';
import { Lease } from '../../../../nodes/Messaging/delivery/once/lease.ts';
import { OnceKeys } from '../../../../nodes/Messaging/delivery/once/once-keys.ts';
import type { Clock } from '../../../../nodes/Messaging/shared/clock.ts';
import { FakeClock } from '../fake-clock.mts';
import { runJobs, type SimpleJob } from '../run.mts';
import { type Access, aLife, goOn, N8nStore } from './n8n-store.mts';

export type End = 'sent' | 'free' | 'inDoubt';

/** A message with a key: how long it takes, how it ends, and behind which others it waits. */
export interface Message {
	readonly key: string;
	readonly lane?: string;
	readonly takesMs?: number;
	readonly ends?: End;
}

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

	/** Sends as a run of the node does, with so many in flight. Returns the keys of what was sent. */
	async sendAll(
		messages: readonly Message[],
		{ maxInFlight = 128, ...change }: Partial<OnceRun> & { maxInFlight?: number } = {},
	): Promise<string[]> {
		const run = this.run({ messages: messages.length, ...change });
		const sent: string[] = [];
		const jobOf = ({ ends = 'sent', key, lane, takesMs = 0 }: Message): SimpleJob => {
			let claim: Claim | undefined;
			return {
				...(lane !== undefined && { lane }),
				getReady: async () => {
					claim = await run.claimInTurn(key, 5000);
					const found = await claim.result;
					if (found === 'inDoubt') claim.end('inDoubt');
					return found === 'free';
				},
				run: async () => {
					await this.clock.sleep(takesMs);
					if (ends === 'sent') sent.push(key);
					claim?.end(ends);
				},
			};
		};
		await runJobs(this.world, messages.map(jobOf), { maxInFlight, signal: run.run.signal });
		await run.close();
		return sent;
	}

	/** Takes the workflow's lease for this work, as long as it is wanted. */
	async hold(
		work: (lease: Lease) => Promise<unknown> = async () => {},
		isWanted: () => boolean = () => true,
	): Promise<boolean> {
		const lease = new Lease(this.clock, this.random);
		const { lease: row } = this.shared.store(this.life);
		return await lease.hold(row, isWanted, async () => await work(lease));
	}
}

/** Processes that share a store. */
export function processes(count: number, nextAccess?: () => Access, random?: () => number) {
	const clock = new FakeClock();
	const shared = new N8nStore(clock, nextAccess);
	const made = Array.from({ length: count }, () => new Process(clock, shared, random));
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
