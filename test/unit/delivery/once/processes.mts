import { KeyRow } from '../../../../nodes/Messaging/delivery/once/key-row.ts';
import { OnceKeys } from '../../../../nodes/Messaging/delivery/once/once-keys.ts';
import type { OnceRun, Claim } from '../../../../nodes/Messaging/delivery/once/claim.ts';
import { FakeClock } from '../fake-clock.mts';
import { type Access, N8nStore } from './n8n-store.mts';

/** An n8n process: its executions share one row for the node. */
export class Process {
	readonly row: KeyRow;
	readonly life = { alive: true };

	constructor(
		readonly clock: FakeClock,
		readonly shared: N8nStore,
		random: () => number = () => 0.5,
	) {
		this.row = new KeyRow(clock, random);
	}

	/** A run of the node. */
	run(change: Partial<OnceRun> = {}): OnceKeys {
		return new OnceKeys(this.row, {
			scope: 'message send',
			store: this.shared.store(this.life),
			messages: 1000,
			mostKeys: 10_000,
			signal: new AbortController().signal,
			...change,
		});
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
export async function send(ticket: Claim, ends: 'sent' | 'free' | 'inDoubt' = 'sent', doIt = () => {}) {
	const claimed = await ticket.result;
	if (claimed === 'free') {
		doIt();
		ticket.end(ends);
	}
	if (claimed === 'inDoubt') ticket.end('inDoubt');
	return typeof claimed === 'object' ? claimed.outcome : claimed;
}

/** One execution that sends under some keys, one after the other or in parallel. */
export async function execution(
	process: Process,
	keys: string[],
	ends?: 'sent' | 'free' | 'inDoubt',
): Promise<string[]> {
	const run = process.run();
	const results = await Promise.all(keys.map(async (key) => await send(run.claim(key, 1000), ends)));
	await run.close();
	return results;
}

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
