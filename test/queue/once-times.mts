/**
 * `npx node test/queue/once-times.mts`: what a once key costs. Prints the time of an execution that sends one message, with and without a
 * key, in queue mode on PostgreSQL; and what it costs to claim a key and note its end on each database, with few and with
 * many keys in the row.
 */
import { ensureN8n } from '../../dev/harness/n8n/install.mts';
import { buildQueueStage, type QueueStage } from '../../dev/harness/queue/stage.mts';
import { readWorld } from '../../dev/harness/world.mts';
import { tearDown } from '../../dev/harness/teardown-list.mts';
import { markdownTable, median, ratio, time } from '../bench/tables.mts';
import buildPackage from '../build.mts';
import { eventually } from '../waiting.mts';
import { eventWorkflow, withKey } from './load.mts';
import { databaseNames, startDatabases } from './store/databases.mts';
import { inProcess, type SendTimes } from './store/work.mts';

const rounds = 60;

/** How long executions of one message take, in milliseconds, by whether it has a key; the two take turns. */
async function executionTimes({ client, credential, sandbox, service }: QueueStage): Promise<number[][]> {
	await sandbox.reset();
	const world = await readWorld(sandbox, { sandbox: service });
	const { channelId } = world.channel('Support E-mail');
	const workflows = [];
	for (const [path, options] of [
		['unkeyed', {}],
		['keyed', withKey],
	] as const) {
		const workflow = await client.createWorkflow(eventWorkflow(path, credential, channelId, options));
		await client.activateWorkflow(workflow);
		workflows.push(workflow);
	}
	const times: number[][] = [[], []];
	for (let round = 0; round < rounds; round++) {
		for (const [index, { id: workflowId, name }] of workflows.entries()) {
			const id = `${name}-${round}`;
			const { text } = await client.callWebhook(name, { id, messages: [{ id, to: 'ada@example.com' }] });
			const execution = text.replaceAll('"', '');
			await eventually(
				async () => {
					const all = await client.executions(workflowId);
					const ended = all.find((one) => one.id === execution && one.status === 'success');
					if (ended?.stoppedAt === undefined) return false;
					times[index]?.push(Date.parse(ended.stoppedAt) - Date.parse(ended.startedAt));
					return true;
				},
				`execution ${execution}`,
				20,
			);
		}
	}
	return times;
}

try {
	await buildPackage();
	const n8n = await ensureN8n();
	const [unkeyed = [], keyed = []] = await executionTimes(await buildQueueStage(n8n));
	const ratios = keyed.map((ms, round) => ms / (unkeyed[round] ?? NaN));
	const half = [time(median(unkeyed)), time(median(keyed)), ratio(median(ratios))];
	console.log(markdownTable(['One message in queue mode, without a key', 'with a key', 'ratio'], [half]));

	const databases = await startDatabases(n8n);
	const rows: string[][] = [];
	for (const name of databaseNames) {
		for (const remembered of [0, 1000, 2000, 10_000, 20_000]) {
			const database = databases[name];
			await inProcess(n8n, { database, does: 'prepare', times: remembered });
			const sent = (await inProcess(n8n, { database, does: 'send', times: 100 })) as SendTimes;
			const sorted = sent.took.sort((one, other) => one - other);
			const wal = name === 'PostgreSQL' ? `${Math.round(sent.walBytes / 1000)} KB` : '';
			rows.push([name, String(remembered), time(sorted[50] ?? NaN), time(sorted[90] ?? NaN), wal]);
		}
	}
	const head = ['Database', 'Keys in the row', 'Claim and note, p50', 'p90', 'Write-ahead log for a message'];
	console.log(markdownTable(head, rows));
} finally {
	await tearDown();
}
