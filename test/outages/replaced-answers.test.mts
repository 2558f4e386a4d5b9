/**
 * Gateways that replace 502 and 504, the real programs: what they write in the place of an answer proves nothing. The
 * service takes each message, but its answers come too late, or break off because it is restarted.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { endsOf, orders, type Order } from '../engine/delivery-lab.mts';
import type { Run } from '../engine/run.mts';
import { eventually } from '../waiting.mts';
import { LIMIT_SECONDS } from './configurations.mts';
import { REPLACING } from './replacing.mts';
import { testBehindGateways, type Front } from './runs.mts';

const messages = 100;
/** How many are answered in time at first. */
const before = 20;
const restartMs = 700;

/**
 * What a user does: sends a list while the service fails, and when it is well again, sends once more what failed, or
 * nothing. Gives each run whose items tell how they ended.
 */
type Way = (front: Front, items: Order[], isWell: Promise<void>) => AsyncGenerator<Run>;

async function* once(front: Front, items: Order[]): AsyncGenerator<Run> {
	yield await front.run(items);
}

async function* againWithKeys(front: Front, items: Order[], isWell: Promise<void>): AsyncGenerator<Run> {
	const options = { onceKey: '={{ $json.id }}' };
	yield await front.run(items, options);
	await isWell;
	yield await front.run(items, options);
}

async function* retried(front: Front, items: Order[], isWell: Promise<void>): AsyncGenerator<Run> {
	const repeats = { retryOnFail: true, maxTries: 3, waitBetweenTries: 500 };
	const failed = await front.run(items, {}, { onError: 'stopWorkflow', ...repeats });
	await isWell;
	yield await front.retry(failed);
}

/** With the answers that each way is played with: for n8n's own retries, one of each kind is enough. */
const WAYS: ReadonlyArray<readonly [name: string, play: Way, answers: RegExp]> = [
	['without keys', once, /./],
	['with keys, then again', againWithKeys, /./],
	['Retry On Fail, then Retry', retried, /a 404 page|an empty 503/],
];

/** An answer that is too late for a gateway, behind so many that are in time. The service does its work all the same. */
const late = { kind: 'latency', path: 'SendMessage', ms: 3000 * LIMIT_SECONDS, skip: before } as const;

/** The service answers late, is restarted, and is well again. */
async function fail(front: Front): Promise<void> {
	front.fail(late);
	const isLate = async () => (front.sandbox.faults.list().at(-1)?.applied ?? 0) > 0;
	await eventually(isLate, `more than ${before} messages`);
	await sleep(1500 * LIMIT_SECONDS);
	await front.restart(restartMs);
	front.fail();
}

const groups = WAYS.map(([way, play, answers]) =>
	REPLACING.filter(({ name }) => answers.test(name)).map((each) => ({
		...each,
		name: `${each.name}: ${way}`,
		play,
	})),
);

testBehindGateways(
	groups,
	async (front, { play }) => {
		const isWell = fail(front);
		try {
			const items = orders(messages);
			const faults: string[] = [];
			let inDoubt = 0;
			for await (const run of play(front, items, isWell)) {
				await isWell;
				faults.push(...(await front.faults(items, run)));
				inDoubt += endsOf(run).filter((end) => end === 'unknown').length;
			}
			return { faults, inDoubt };
		} finally {
			await isWell;
		}
	},
	({ faults, inDoubt }) => {
		expect(faults).toEqual([]);
		// Otherwise nothing has been tested.
		expect(inDoubt).toBeGreaterThan(0);
	},
);
