import { setTimeout as sleep } from 'node:timers/promises';

import type { QueueStage } from '../../dev/harness/queue/stage.mts';
import { eventually } from '../soon.mts';
import { show } from './figures.mts';
import { balance, type Ledger, type Taken } from './ledger.mts';
import { eventsOf, withKey } from './load.mts';
import { runScenario, type ScenarioOptions } from './scenario.mts';

/** More executions than the workers take at once: ten each, by n8n's default. */
const events = eventsOf({ events: 40, messages: 50 });
const after = 300;

/** Enough for another worker to notice the stalled jobs of a killed one. */
const millisecondsUntilSeen = 27_000;

/** Holds in every scenario. */
function expectTruth(ledger: Ledger): void {
	const { twice, lostInSilence: lost, deniedThoughSent: denied } = ledger;
	expect({ twice, lost, denied }).toEqual({ twice: [], lost: [], denied: [] });
}

/**
 * The main process and a worker are killed in the middle of a run and started again. n8n marks the worker's running
 * executions as crashed; `afterwards` these are retried over the API.
 *
 * @param retries gets the retries
 */
const crashedAndRetried = (stage: QueueStage, retries: Taken[]): ScenarioOptions => ({
	events,
	options: withKey,
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
	afterwards: async (taken) => {
		const crashed = taken.filter(({ execution: { status } }) => status === 'crashed');
		const retry = async ({ event, execution: { id } }: Taken): Promise<Taken> => ({
			event,
			execution: await stage.client.retryExecution(id, 'original'),
		});
		retries.push(...(await Promise.all(crashed.map(retry))));
	},
});

/** The Redis list of jobs that no worker has taken yet. */
const waitingJobs = 'bull:jobs:wait';

/**
 * Redis takes a snapshot, as it regularly does, while some executions wait for a worker, and is killed once the workers
 * have taken them. Restored from the snapshot, it has these executions waiting again.
 */
const redisRestored = ({ redis }: QueueStage): ScenarioOptions => ({
	events,
	options: withKey,
	recovery: true,
	middle: {
		after: 30,
		happens: async () => {
			await redis.ask('SAVE');
			const areTaken = async () => (await redis.ask(`LLEN ${waitingJobs}`)) === '0';
			await eventually(areTaken, 'a worker for each execution', 100);
			await redis.kill();
			await redis.start();
			// Before the service is fast again, so that executions that run twice overlap.
			await sleep(3_000);
		},
	},
});

const workerOf = ({ workers }: QueueStage): QueueStage['workers'][number] => {
	const [worker] = workers;
	if (worker === undefined) throw new Error('The stage has no workers');
	return worker;
};

/** Registers the tests of programs that are killed or restarted in the middle of a run, with a once key. */
export function killedAndRestarted(stage: () => QueueStage): void {
	describe('in the middle of a run', () => {
		test('a worker is killed: its executions are seen as failed, and nothing goes out twice', async () => {
			const result = await runScenario(stage(), {
				events,
				options: withKey,
				middle: { after, happens: () => workerOf(stage()).kill() },
				afterwards: () => workerOf(stage()).start(),
			});

			const { ledger } = result;
			show('worker killed', result, { errors: ledger.errors });
			expectTruth(ledger);
			expect(ledger.verdicts['execution failed']).toBeGreaterThan(0);
		});

		test('crashed executions are retried: nothing goes out twice, and what is unknown is at most a group', async () => {
			const retries: Taken[] = [];
			const result = await runScenario(stage(), crashedAndRetried(stage(), retries));

			const { ledger, records } = result;
			const ofRetries = balance(retries, records);
			show('main and worker killed, crashed executions retried', result, {
				retried: retries.length,
				'what the retries say': ofRetries.verdicts,
			});
			expect(retries.length).toBeGreaterThan(0);
			expectTruth(ledger);
			expectTruth(ofRetries);
			// The node's limit of messages in doubt per execution.
			for (const { event, execution } of retries) {
				const { verdicts } = balance([{ event, execution }], records);
				expect(verdicts.unknown ?? 0).toBeLessThanOrEqual(128);
			}
		});

		test('PostgreSQL is restarted: nothing is lost in silence, and nothing goes out twice', async () => {
			const result = await runScenario(stage(), {
				events,
				options: withKey,
				recovery: true,
				middle: {
					after,
					happens: async () => {
						await stage().postgres.stop();
						await stage().postgres.start();
					},
				},
			});

			show('PostgreSQL restarted', result, { errors: result.ledger.errors });
			expectTruth(result.ledger);
		});

		test('Redis comes back with an older snapshot: n8n runs executions twice, and nothing goes out twice', async () => {
			const result = await runScenario(stage(), redisRestored(stage()));

			const again = result.taken.filter(({ execution: { id } }) => startsOf(stage(), id) > 1);
			show('Redis restored from an older snapshot', result, { 'run twice': again.length });
			expect(again.length).toBeGreaterThan(0);
			expectTruth(result.ledger);
		});
	});
}

/** How often workers have started an execution. */
const startsOf = ({ workers }: QueueStage, executionId: string): number =>
	workers.reduce((sum, worker) => sum + worker.startsOf(executionId), 0);
