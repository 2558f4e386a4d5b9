import { setTimeout as sleep } from 'node:timers/promises';

import { askQuestion, openLink, sendAnswer } from '../../dev/harness/answer-page.mts';
import { outputOf } from '../../dev/harness/n8n/api.mts';
import { ensureN8n } from '../../dev/harness/n8n/install.mts';
import { buildQueueStage, type QueueStage } from '../../dev/harness/queue/stage.mts';
import { tearDown } from '../../dev/harness/teardown-list.mts';
import { names } from '../../dev/harness/workflows.mts';
import type { FaultRule } from '../../dev/sandbox/types.mts';
import { eventually } from '../waiting.mts';
import { freezeHolders } from './frozen-holders.mts';
import { balance, type Ledger, type Taken } from './ledger.mts';
import { eventsOf } from './load.mts';
import { runScenario, sending, type ScenarioOptions, type ScenarioResult } from './scenario.mts';

/** n8n in queue mode: a main process and three workers, PostgreSQL and Redis. One stage serves all scenarios. */
let stage: QueueStage;

beforeAll(async () => {
	stage = await buildQueueStage(await ensureN8n());
}, 600_000);

afterAll(tearDown, 120_000);

const load = { events: 40, messages: 50 };
/** What is delivered three times. */
const again = { events: 34, messages: 20 };

/** The service is sometimes slow, busy or down, and some of its answers never arrive. */
const faults: FaultRule[] = [
	{ kind: 'latency', ms: 5, jitterMs: 25, ...sending },
	{ kind: 'status', status: 429, headers: { 'retry-after': '1' }, every: 711, ...sending },
	{ kind: 'status', status: 503, headers: { 'retry-after': '1' }, every: 903, ...sending },
	{ kind: 'lostResponse', every: 201, ...sending },
];

test('many keys at once: all messages arrive exactly once each, and what is unknown is exactly what got no answer', async () => {
	const result = await runScenario(stage, { events: eventsOf(load), faults });

	const { ledger } = result;
	const unanswered = result.faults[3];
	expect(ledger.messages).toBe(load.events * load.messages);
	expect([...ledger.accepted].sort()).toEqual(
		eventsOf(load)
			.flatMap(({ messages }) => messages.map(({ id }) => id))
			.sort(),
	);
	expect(ledger.executions).toEqual({ success: load.events });
	expect(unanswered).toBeGreaterThan(0);
	expect(ledger.verdicts).toEqual({ sent: ledger.messages - (unanswered ?? 0), unknown: unanswered });
	expect(Object.keys(ledger.byWorker).sort()).toEqual(stage.workers.map(({ name }) => name));
});

test('each event is delivered three times at once: every message goes out once, and who did not send it says so', async () => {
	const deliveries = [...eventsOf(again), ...eventsOf(again), ...eventsOf(again)];
	const result = await runScenario(stage, { events: deliveries });

	const { ledger } = result;
	const messages = again.events * again.messages;
	expect(ledger.messages).toBe(3 * messages);
	expect({ twice: ledger.twice, lost: ledger.lostInSilence }).toEqual({ twice: [], lost: [] });
	expect(ledger.accepted).toHaveLength(messages);
	// On a busy machine some give up waiting for the key before they see that it was sent.
	const { sent, alreadySent = 0, unknown = 0 } = ledger.verdicts;
	expect({ sent, others: alreadySent + unknown }).toEqual({ sent: messages, others: 2 * messages });
	expect(stage.workers.filter(({ name }) => ledger.byWorker[name] === undefined)).toEqual([]);
});

/** More executions than the workers take at once: ten each, by n8n's default. */
const events = eventsOf({ events: 40, messages: 50 });

/** Enough for another worker to notice the stalled jobs of a killed one. */
const millisecondsUntilSeen = 27_000;

/** The Redis list of jobs that no worker has taken yet. */
const waitingJobs = 'bull:jobs:wait';

/** Holds in every scenario. */
function expectTruth(ledger: Ledger): void {
	const { twice, lostInSilence: lost, deniedThoughSent: denied } = ledger;
	expect({ twice, lost, denied }).toEqual({ twice: [], lost: [], denied: [] });
}

/** A run in the middle of which something happens. */
const midway = async (
	happens: () => Promise<void>,
	more: Partial<ScenarioOptions> = { recovery: true },
	after = 300,
): Promise<ScenarioResult> => await runScenario(stage, { events, middle: { after, happens }, ...more });

const workerOf = ({ workers: [worker] }: QueueStage): QueueStage['workers'][number] => {
	if (worker === undefined) throw new Error('The stage has no workers');
	return worker;
};

describe('in the middle of a run', () => {
	test('crashed executions are retried: nothing goes out twice, and what is unknown is at most a group', async () => {
		const [{ client, main }, worker] = [stage, workerOf(stage)];
		const retries: Taken[] = [];
		const crash = async (): Promise<void> => {
			await Promise.all([main.kill(), worker.kill()]);
			await Promise.all([worker.start(), sleep(millisecondsUntilSeen)]);
			// n8n marks the worker's running executions as crashed.
			await main.start();
		};
		const afterwards = async (taken: readonly Taken[]): Promise<void> => {
			const crashed = taken.filter(({ execution: { status } }) => status === 'crashed');
			const retry = async ({ event, execution: { id } }: Taken): Promise<Taken> => ({
				event,
				execution: await client.retryExecution(id, 'original'),
			});
			retries.push(...(await Promise.all(crashed.map(retry))));
		};
		const result = await midway(crash, { recovery: true, afterwards });

		const { ledger, records } = result;
		const ofRetries = balance(retries, records);
		expect(retries.length).toBeGreaterThan(0);
		expectTruth(ledger);
		expectTruth(ofRetries);
		// The node's limit of messages in doubt per execution.
		for (const retry of retries) {
			expect(balance([retry], records).verdicts.unknown ?? 0).toBeLessThanOrEqual(128);
		}
	});

	test('PostgreSQL is restarted: nothing is lost in silence, and nothing goes out twice', async () => {
		const { postgres } = stage;
		const result = await midway(async () => {
			await postgres.stop();
			await postgres.start();
		});

		expectTruth(result.ledger);
	});

	test('Redis comes back with an older snapshot: n8n runs executions twice, and nothing goes out twice', async () => {
		const { redis, workers } = stage;
		const restore = async (): Promise<void> => {
			// Redis takes a snapshot, as it regularly does, while some executions wait for a worker.
			await redis.ask('SAVE');
			const areTaken = async () => (await redis.ask(`LLEN ${waitingJobs}`)) === '0';
			await eventually(areTaken, 'a worker for each execution', 100);
			await redis.kill();
			await redis.start();
			// Before the service is fast again, so that executions that run twice overlap.
			await sleep(3_000);
		};
		const result = await midway(restore, { recovery: true }, 30);

		const startsOf = (id: string) => workers.reduce((sum, worker) => sum + worker.startsOf(id), 0);
		const twice = result.taken.filter(({ execution: { id } }) => startsOf(id) > 1);
		expect(twice.length).toBeGreaterThan(0);
		expectTruth(result.ledger);
	});
});

test('workers freeze for 15 seconds while they hold the lease: nothing goes out twice', async () => {
	const { frozen, twice } = await freezeHolders(await ensureN8n(), stage, 2);
	expect({ frozen, twice }).toEqual({ frozen: 2, twice: [] });
});

/** Asks two people; returns the waiting execution and each person's link. */
async function ask(): Promise<{ id: string; links: string[] }> {
	const { client, sandbox, credential } = stage;
	await sandbox.reset();
	const parameters = {
		toEmail: '={{ $json.email }}',
		message: '=May it go on, {{ $json.email }}? Asked at {{ $now.toMillis() }}.',
		approvalOptions: { values: { approvalType: 'double' } },
	};
	const items = [{ email: 'ada@example.com' }, { email: 'grace@example.com' }];
	const asked = await askQuestion(client, sandbox, credential, parameters, items);
	expect(asked.links).toHaveLength(2);
	return asked;
}

async function answerOf(id: string): Promise<unknown> {
	const execution = await stage.client.waitForExecution(id, 120_000);
	expect(execution.status).toBe('success');
	expect(execution.data.resultData.runData[names.success]).toHaveLength(1);
	return outputOf(execution, names.messaging).map(({ json }) => json);
}

describe('a question', () => {
	test('the page is served and the answer counts, once, wherever the work is done', async () => {
		const { id, links } = await ask();
		const [first = '', second = ''] = links;
		expect((await openLink(second)).html).toContain('May it go on, grace@example.com?');

		const sent = [first, second, first, second].map(
			async (link, index) => await sendAnswer(link, { answer: index < 2 ? 'approve' : 'decline' }),
		);
		const counted = (await Promise.all(sent)).flatMap(({ status }, index) => (status === 200 ? [index] : []));

		expect(counted).toHaveLength(1);
		const [index = -1] = counted;
		expect(await answerOf(id)).toMatchObject([{ data: { approved: index < 2 }, item: index % 2 }]);
	});

	test('a question outlives a restart of everything', async () => {
		const { id, links } = await ask();
		const players = [stage.main, ...stage.workers];
		await Promise.all(players.map(async (player) => await player.kill()));
		for (const player of players) await player.start();

		const [, link = ''] = links;
		// The page shows the question as it was asked, even if its expressions would now give another text.
		const [asked = ''] = (await stage.sandbox.state()).messages[1]?.text?.split('\n') ?? [];
		expect(asked).toMatch(/^May it go on, grace@example\.com\?/);
		expect((await openLink(link)).html).toContain(asked);
		expect((await sendAnswer(link, { answer: 'decline' })).status).toBe(200);

		expect(await answerOf(id)).toMatchObject([{ data: { approved: false }, item: 1 }]);
		expect((await stage.sandbox.state()).messages).toHaveLength(2);
	});
});
