import { importExample } from '../../dev/harness/deliver-to.mts';
import { filledExample } from '../../dev/harness/fill-examples.mts';
import type { Execution } from '../../dev/harness/n8n/api.mts';
import { ensureN8n } from '../../dev/harness/n8n/install.mts';
import { DataTables } from '../../dev/harness/n8n/tables.mts';
import { buildQueueStage, type QueueStage } from '../../dev/harness/queue/stage.mts';
import { tearDown } from '../../dev/harness/teardown-list.mts';
import { readWorld } from '../../dev/harness/world.mts';
import { eventually } from '../waiting.mts';
import { balance, type Taken } from './ledger.mts';
import { eventsOf } from './load.mts';
import { runScenario, sending } from './scenario.mts';

/** A worker dies, and the main process lives on: n8n then throws the input of its executions away. */

let stage: QueueStage;

beforeAll(async () => {
	stage = await buildQueueStage(await ensureN8n());
}, 600_000);

afterAll(tearDown, 120_000);

test('a retry has no input and sends nothing; the events, posted again, send the rest and nothing twice', async () => {
	const { client, sandbox, workers } = stage;
	const [worker] = workers;
	const retries: Execution[] = [];
	const again: Taken[] = [];
	let sentByRetries = 0;
	const afterwards = async (taken: readonly Taken[]): Promise<void> => {
		// One that failed in another way, as when the busy store of once keys does not answer in time, keeps its input.
		const lost = taken.filter(({ execution: { data, status } }) => {
			return status !== 'success' && Object.keys(data.resultData.runData).length === 0;
		});
		const [first] = lost;
		if (first === undefined) return;
		const { name } = (await client.call('GET', `/rest/workflows/${first.execution.workflowId}`)) as {
			name: string;
		};
		const count = async () => (await sandbox.state()).messages.length;
		const before = await count();
		for (const { execution } of lost) retries.push(await client.retryExecution(execution.id, 'current'));
		sentByRetries = (await count()) - before;
		// All at once: each waits for the keys that the dead worker still holds.
		const postAgain = async ({ event }: Taken): Promise<Taken> => {
			const { text } = await client.callWebhook(name, event);
			return { event, execution: await client.waitForExecution(text.replaceAll('"', ''), 120_000) };
		};
		again.push(...(await Promise.all(lost.map(postAgain))));
	};

	const result = await runScenario(stage, {
		events: eventsOf({ events: 40, messages: 50 }),
		middle: {
			after: 300,
			// A worker that starts again at once finds its executions in its journal, before n8n takes them for stalled.
			happens: async () => await worker?.kill(),
		},
		afterwards,
	});
	await worker?.start();

	const { ledger, records } = result;
	const ofAgain = balance(again, records);
	expect(retries.length).toBeGreaterThan(0);
	expect(new Set(retries.map(({ status }) => status))).toEqual(new Set(['error']));
	expect(sentByRetries).toBe(0);
	for (const { twice, deniedThoughSent } of [ledger, ofAgain]) {
		expect({ twice, deniedThoughSent }).toEqual({ twice: [], deniedThoughSent: [] });
	}
	expect(ofAgain.lostInSilence).toEqual([]);
	expect(ofAgain.verdicts.sent).toBeGreaterThan(0);
});

test('the inbox loses no event: the next run sends what has no outcome', async () => {
	const { client, sandbox, workers } = stage;
	await sandbox.reset();
	const table = 'Messaging inbox';
	const tables = new DataTables(client);
	const world = await readWorld(sandbox, { sandbox: stage.service });
	const { id } = await importExample(client, filledExample('inbox', world));
	const events = Array.from({ length: 200 }, (_event, n) => `o${n}`);
	await tables.insert(
		table,
		events.map((orderId) => ({ orderId, name: 'Ada', email: `${orderId}@example.com`, state: null })),
	);
	await sandbox.setFaults([{ kind: 'latency', ms: 1_500, ...sending }]);
	const { executionId } = await client.startWorkflow(id, 'Every Minute');
	const reached = async () => (await sandbox.faults())[0]?.matched ?? 0;
	await eventually(async () => (await reached()) >= 20, 'message 20', 20);
	const worker = workers.find((each) => each.startsOf(executionId) > 0);
	await worker?.kill();
	await worker?.start();
	await client.waitForExecution(executionId, 240_000);
	expect((await tables.rows(table)).filter(({ state }) => state !== null)).toEqual([]);
	await sandbox.clearFaults();

	await client.runWorkflow(id, 'Every Minute', 240_000);

	const rows = await tables.rows(table);
	const those = (state: string) => rows.filter((row) => row['state'] === state);
	const [sent, unknown] = [those('sent'), those('unknown')];
	expect(sent.length + unknown.length).toBe(events.length);
	expect(unknown.length).toBeLessThanOrEqual(128);
	const recipients = (await sandbox.state()).messages.map(({ recipient }) => recipient);
	expect(new Set(recipients).size).toBe(recipients.length);
	expect(recipients).toEqual(expect.arrayContaining(sent.map(({ email }) => email)));
});
