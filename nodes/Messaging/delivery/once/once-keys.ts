import { nameUuid } from '../../shared/uuid';
import { Claim, type OnceRun } from './claim';
import { BATCH, type KeyRow } from './key-row';

/** The namespace of UUIDs that are made from once keys. */
const NAMESPACE = '1f0b7b53-3a57-4c0e-9a3c-6f0a5d8f2c41';

/** How many keys of a run may be claimed and not settled: all of them are in doubt if n8n dies. */
const MOST_UNSETTLED = 2 * BATCH;

/** A UUID for what is sent under a key: the same in every execution of this workflow's node. */
export function uuidOfKey({ store, scope }: Pick<OnceRun, 'store' | 'scope'>, key: string): string {
	return nameUuid(NAMESPACE, `${store.place}\n${scope}\n${key}`);
}

/** The once keys of one run. */
export class OnceKeys {
	/** The keys whose outcome is not recorded yet. */
	private readonly claims = new Set<Claim>();
	/** Start the claims that wait for their turn, in order. */
	private readonly waiting: Array<() => void> = [];
	private readonly unrecorded: string[] = [];
	private isClosing = false;

	constructor(
		private readonly row: KeyRow,
		readonly run: OnceRun,
	) {
		row.runs.add(run);
		// A claim that waits for a key would not notice that the run is over.
		run.signal.addEventListener('abort', () => {
			this.claims.forEach((claim) => row.withdraw(claim));
			this.waiting.forEach((start) => start());
		});
	}

	/** Claims a key. Waits up to `maxWaitMs` if another execution of this process holds it. */
	claim(key: string, maxWaitMs: number): Claim {
		const claim: Claim = new Claim(key, this.run, maxWaitMs, (outcome) => this.row.end(claim, outcome));
		this.claims.add(claim);
		void claim.result.then(() => this.isClosing && this.row.giveBack(claim));
		void claim.settled.then((isRecorded) => {
			this.claims.delete(claim);
			this.waiting.shift()?.();
			if (!isRecorded) this.unrecorded.push(key);
		});
		void this.row.enter(claim);
		if (this.run.signal.aborted) this.row.withdraw(claim);
		return claim;
	}

	/** Claims a key as soon as few enough others are claimed and not settled. */
	async claimInTurn(key: string, maxWaitMs: number): Promise<Claim> {
		while (this.claims.size >= MOST_UNSETTLED && !this.run.signal.aborted) {
			await new Promise<void>((start) => this.waiting.push(start));
		}
		return this.claim(key, maxWaitMs);
	}

	/** Releases unused keys, waits until everything is recorded, and returns the keys for which that has failed. */
	async close(): Promise<readonly string[]> {
		this.isClosing = true;
		for (const claim of this.claims) this.row.giveBack(claim);
		await Promise.all([...this.claims].map(async ({ settled }) => await settled));
		await this.row.endRun(this.run);
		return this.unrecorded;
	}
}
