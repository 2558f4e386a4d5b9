import { setTimeout as sleep } from 'node:timers/promises';

import type { QueueStage } from '../../dev/harness/queue/stage.ts';
import { figuresOf, show } from './figures.ts';
import { balance, type Ledger, type Taken } from './ledger.ts';
import { eventsOf, withKey } from './load.ts';
import { runScenario, sending, type ScenarioOptions } from './scenario.ts';

/** Every worker has some of these executions under way, and all at once. */
const events = eventsOf({ events: 12, messages: 50 });
const after = 150;

/** Long enough for another worker to see that a killed one has left its jobs behind. */
const millisecondsUntilSeen = 27_000;

/** What holds whatever happens. */
function expectNothingLost(ledger: Ledger): void {
	expect({ lost: ledger.lostInSilence, denied: ledger.deniedThoughSent }).toEqual({ lost: [], denied: [] });
}

/** A worker is killed in the middle of a run, and started again afterwards. */
export const workerKilled = (stage: QueueStage): ScenarioOptions => ({
	events,
	middle: { after, happens: () => workerOf(stage).kill() },
	afterwards: () => workerOf(stage).start(),
});

/**
 * The main process and a worker are killed in the middle of a run and started again. n8n marks what the worker had
 * under way as crashed; `afterwards` these are retried over the API.
 *
 * @param told what the service had accepted before the retries, by id, and how many executions were retried
 * @param retries gets the retries
 */
export const crashedAndRetried = (
	stage: QueueStage,
	told: (before: ReadonlySet<string>, retried: number) => void,
	retries: Taken[] = [],
): ScenarioOptions => ({
	events,
	recovery: true,
	middle: {
		after,
		happens: async () => {
			const worker = workerOf(stage);
			await Promise.all([stage.main.kill(), worker.kill()]);
			await Promise.all([worker.start(), sleep(millisecondsUntilSeen)]);
			await stage.main.start();
		},
	},
	afterwards: async (_run, taken) => {
		const before = new Set((await stage.sandbox.state()).messages.map(({ text }) => text ?? ''));
		const crashed = taken.filter(({ execution }) => execution.status === 'crashed');
		for (const { event, execution } of crashed) {
			retries.push({ event, execution: await stage.client.retryExecution(execution.id, 'original') });
		}
		told(before, crashed.length);
	},
});

/** The main process is killed in the middle of a run and started again. */
export const mainKilled = (stage: QueueStage): ScenarioOptions => ({
	events,
	recovery: true,
	middle: {
		after,
		happens: async () => {
			await stage.main.kill();
			await stage.main.start();
		},
	},
});

/** Redis or PostgreSQL is stopped in the middle of a run and started again. */
export const storeRestarted = (stage: QueueStage, store: 'redis' | 'postgres'): ScenarioOptions => ({
	events,
	recovery: true,
	middle: {
		after,
		happens: async () => {
			await stage[store].stop();
			await stage[store].start();
		},
	},
});

/** More executions than the workers take at once: ten each, by n8n's default. */
const moreThanFits = eventsOf({ events: 36, messages: 20 });

/** Where n8n's queue keeps the jobs that no worker has taken yet. */
const waitingJobs = 'bull:jobs:wait';

/**
 * Redis takes a snapshot, as it does by itself now and then, while some executions wait for a worker. Then it is killed
 * once the workers have taken them. When it is back, it knows no better than that they wait.
 */
export const redisKilled = ({ redis }: QueueStage): ScenarioOptions => ({
	events: moreThanFits,
	recovery: true,
	middle: {
		after,
		happens: async () => {
			await redis.ask('SAVE');
			const deadline = Date.now() + 60_000;
			while ((await redis.ask(`LLEN ${waitingJobs}`)) !== '0') {
				if (Date.now() > deadline) throw new Error('After 60 s executions still wait for a worker');
				await sleep(100);
			}
			await redis.kill();
			await redis.start();
			// Before the service is fast again: what runs twice has to overlap.
			await sleep(3_000);
		},
	},
});

/**
 * The service is killed in the middle of a run and started again, with requests under way: some that it has
 * processed and not answered, and some that it has not processed.
 */
export const serviceRestarted = (stage: QueueStage): ScenarioOptions => ({
	events,
	middle: {
		after,
		happens: async ({ keepAccepted }) => {
			const { sandbox, service } = stage;
			await sandbox.setFaults([
				{ kind: 'lostResponse', times: 5, ...sending },
				{ kind: 'hang', ...sending },
			]);
			await untilAllHang(stage);
			await keepAccepted();
			await service.kill();
			await service.start();
		},
	},
});

const workerOf = ({ workers }: QueueStage): QueueStage['workers'][number] => {
	const [worker] = workers;
	if (worker === undefined) throw new Error('The stage has no workers');
	return worker;
};

/** Waits until every message that is under way hangs, so that what the service has accepted stays as it is. */
async function untilAllHang({ sandbox }: QueueStage): Promise<void> {
	const deadline = Date.now() + 30_000;
	for (;;) {
		const open = (await sandbox.requests()).filter(({ inFlightMs }) => inFlightMs === null);
		if (open.length > 0 && open.every(({ fault }) => fault === 'hang')) return;
		if (Date.now() > deadline) throw new Error('After 30 s requests are still being processed');
		await sleep(100);
	}
}

/** Registers the tests of programs that are killed or restarted in the middle of a run. */
export function killedAndRestarted(stage: () => QueueStage): void {
	describe('in the middle of a run', () => {
		it.each([
			['without a key', {}],
			['with a key', withKey],
		])(
			'a worker is killed, %s: its executions are seen as failed, and nothing goes out twice',
			async (name, options) => {
				const result = await runScenario(stage(), { ...workerKilled(stage()), options });

				const { ledger } = result;
				show(`worker killed, ${name}`, { ...figuresOf(result), errors: ledger.errors });
				expectNothingLost(ledger);
				expect(ledger.twice).toEqual([]);
				expect(ledger.verdicts['execution failed']).toBeGreaterThan(0);
			},
		);

		it('with a key, crashed executions are retried: nothing goes out twice, and what is unknown is at most a group', async () => {
			const retries: Taken[] = [];
			const scenario = crashedAndRetried(stage(), () => {}, retries);

			const { ledger, records, ...result } = await runScenario(stage(), { ...scenario, options: withKey });

			const ofRetries = balance(retries, records);
			show('main and worker killed, crashed executions retried, with a key', {
				...figuresOf({ ...result, ledger, records }),
				retried: retries.length,
				'what the retries say': ofRetries.verdicts,
			});
			expect(retries.length).toBeGreaterThan(0);
			expectNothingLost(ledger);
			expectNothingLost(ofRetries);
			expect(ledger.twice).toEqual([]);
			// Each of these executions has fewer messages than a group.
			for (const { event, execution } of retries) {
				const { verdicts } = balance([{ event, execution }], records);
				expect(verdicts.unknown ?? 0).toBeLessThanOrEqual(128);
			}
		});

		it('BASE LINE WITHOUT A KEY: a crashed execution that is retried sends everything again', async () => {
			let acceptedBefore: ReadonlySet<string> = new Set();
			let retried = 0;
			const scenario = crashedAndRetried(stage(), (before, count) => {
				acceptedBefore = before;
				retried = count;
			});

			const result = await runScenario(stage(), scenario);

			const { ledger, taken } = result;
			show('main and worker killed, crashed executions retried, without a key', {
				...figuresOf(result),
				retried,
			});
			expectNothingLost(ledger);
			expect(retried).toBeGreaterThan(0);
			const ofCrashed = taken
				.filter(({ execution }) => execution.status === 'crashed')
				.flatMap(({ event }) => event.messages.map(({ id }) => id));
			expect([...ledger.twice].sort()).toEqual(ofCrashed.filter((id) => acceptedBefore.has(id)).sort());
		});

		it.each([
			['the main process is killed', mainKilled],
			['Redis is restarted', (on: QueueStage) => storeRestarted(on, 'redis')],
			['PostgreSQL is restarted', (on: QueueStage) => storeRestarted(on, 'postgres')],
		])('%s, with a key: nothing is lost in silence, and nothing goes out twice', async (name, scenario) => {
			const result = await runScenario(stage(), { ...scenario(stage()), options: withKey });

			show(`${name}, with a key`, { ...figuresOf(result), errors: result.ledger.errors });
			expectNothingLost(result.ledger);
			expect(result.ledger.twice).toEqual([]);
		});

		it('BASE LINE WITHOUT A KEY: Redis is killed and comes back with an older snapshot: n8n itself runs executions twice', async () => {
			const result = await runScenario(stage(), redisKilled(stage()));

			show('Redis killed, older snapshot, without a key', figuresOf(result));
			expectNothingLost(result.ledger);
			expect(result.ledger.twice.length).toBeGreaterThan(0);
		});

		it('with a key, Redis is killed and comes back with an older snapshot: n8n runs executions twice, and nothing goes out twice', async () => {
			const result = await runScenario(stage(), { ...redisKilled(stage()), options: withKey });

			show('Redis killed, older snapshot, with a key', figuresOf(result));
			expectNothingLost(result.ledger);
			expect(result.ledger.twice).toEqual([]);
		});

		it('the service is restarted, with a key: what it may have processed is unknown, and nothing goes out twice', async () => {
			const result = await runScenario(stage(), { ...serviceRestarted(stage()), options: withKey });

			const { ledger } = result;
			show('the service is restarted, with a key', figuresOf(result));
			expectNothingLost(ledger);
			expect(ledger.twice).toEqual([]);
			expect(ledger.executions).toEqual({ success: events.length });
			expect(ledger.verdicts.unknown).toBeGreaterThan(0);
		});
	});
}
