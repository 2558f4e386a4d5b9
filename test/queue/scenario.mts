import { setTimeout as sleep } from 'node:timers/promises';

import { type N8nClient, N8nApiError, unfinished } from '../../dev/harness/n8n/api.mts';
import type { QueueStage } from '../../dev/harness/queue/stage.mts';
import { readWorld } from '../../dev/harness/world.mts';
import type { FaultRule } from '../../dev/sandbox/types.mts';
import { eventually } from '../waiting.mts';
import { balance, type Taken } from './ledger.mts';
import { eventWorkflow, withKey, type AppEvent } from './load.mts';

export interface ScenarioOptions {
	readonly events: readonly AppEvent[];
	/** Faults of the service during the whole run. */
	readonly faults?: readonly FaultRule[];
	/**
	 * What happens in the middle of the run, once n8n has taken all events and so many messages have reached the
	 * service. Until then, the service is slow and each execution has two requests in flight, so that the run does
	 * not end first.
	 */
	readonly middle?: { readonly after: number; readonly happens: () => Promise<void> };
	/**
	 * Whether n8n's main process is killed and started again when executions are stuck: n8n looks for those when it
	 * starts, and otherwise every three hours.
	 */
	readonly recovery?: boolean;
	/** What happens once all executions have ended, before the balance is drawn. */
	readonly afterwards?: (taken: readonly Taken[]) => Promise<void>;
}

/** How a run ended. */
export type ScenarioResult = Awaited<ReturnType<typeof runScenario>>;

/** Which requests are messages. */
export const sending = { path: 'SendMessage' };

/** The service's latency until the middle of the run, in milliseconds. */
const slowness = 1_000;
/** Concurrent webhook calls, and concurrent reads of executions. */
const deliveredAtOnce = 8;
const readAtOnce = 4;
const millisecondsToEnd = 300_000;
const millisecondsWithoutHeadway = 15_000;
let scenarios = 0;

/**
 * Delivers events to n8n in queue mode, where each message has a once key, runs what `middle` asks for, and draws the
 * balance at the end.
 */
export async function runScenario(stage: QueueStage, scenario: ScenarioOptions) {
	const { client, sandbox } = stage;
	await sandbox.reset();
	const { events, middle, faults = [] } = scenario;
	const slow = middle === undefined ? 0 : slowness;
	await sandbox.setFaults([{ kind: 'latency', ms: slow, ...sending }, ...faults]);
	const world = await readWorld(sandbox, { sandbox: stage.service });
	const workflow = await client.createWorkflow(
		eventWorkflow(
			`scenario-${++scenarios}`,
			stage.credential,
			world.channel('Support E-mail').channelId,
			middle === undefined ? withKey : { maxConcurrency: 2, ...withKey },
		),
	);
	await client.activateWorkflow(workflow);

	const started = new Map<AppEvent, string>();
	await deliver(stage, workflow.name, events, started);
	if (middle !== undefined) {
		await untilReached(stage, middle.after);
		await middle.happens();
		await sandbox.setFaults([...faults]);
	}
	const ids = new Set(started.values());
	await untilEnded(stage, workflow.id, ids, scenario.recovery === true);
	// An execution that n8n runs twice has ended for a moment before its second run.
	if (scenario.recovery === true) {
		await sleep(3000);
		await untilEnded(stage, workflow.id, ids, false);
	}
	const taken = await readExecutions(stage, started);
	await scenario.afterwards?.(taken);
	await client.deactivateWorkflow(workflow.id);
	// The slow service still carries out requests whose sender is gone.
	if (middle !== undefined) await sleep(slowness * 1.5);
	const { messages: kept } = await sandbox.state();
	const counted = await sandbox.faults();
	return {
		taken,
		ledger: balance(taken, kept),
		/** Everything that the service has accepted. */
		records: kept,
		/** How often each fault applied; in a run with a middle, since then. */
		faults: counted.slice(-faults.length).map(({ applied }) => applied),
	};
}

/** Delivers events to the workflow's webhook, a few at a time, and notes the executions that n8n answers with. */
export async function deliver(
	{ client }: QueueStage,
	path: string,
	events: readonly AppEvent[],
	started: Map<AppEvent, string>,
): Promise<void> {
	const left = [...events];
	const deliverer = async (): Promise<void> => {
		for (let event = left.shift(); event !== undefined; event = left.shift()) {
			const { statusCode, text } = await client.callWebhook(path, event);
			if (statusCode !== 200) throw new Error(`n8n answered ${statusCode} to event ${event.id}: ${text}`);
			started.set(event, text.replaceAll('"', ''));
		}
	};
	await Promise.all(Array.from({ length: deliveredAtOnce }, deliverer));
}

/** Waits until so many messages have reached the service. */
async function untilReached({ sandbox }: QueueStage, count: number): Promise<void> {
	const reached = async () => (await sandbox.faults())[0]?.matched ?? 0;
	await eventually(async () => (await reached()) >= count, `message ${count}`, 20);
}

/**
 * Waits until all of these executions have ended, successfully or not. One that is still running after some minutes
 * counts as lost silently.
 */
export async function untilEnded(
	{ client, main }: QueueStage,
	workflowId: string,
	executions: ReadonlySet<string>,
	recovery: boolean,
): Promise<void> {
	const deadline = Date.now() + millisecondsToEnd;
	let mayRecover = recovery;
	let last = { left: executions.size, at: Date.now() };
	for (;;) {
		let left: ReadonlySet<string> = executions;
		try {
			left = await notEnded(client, workflowId, executions);
		} catch (error) {
			// n8n answers 503 while its database is away.
			if (!(error instanceof N8nApiError && error.statusCode === 503)) throw error;
		}
		if (left.size === 0 || Date.now() > deadline) return;
		if (left.size !== last.left) last = { left: left.size, at: Date.now() };
		if (mayRecover && Date.now() - last.at > millisecondsWithoutHeadway) {
			mayRecover = false;
			await main.kill();
			await main.start();
		}
		await sleep(500);
	}
}

/**
 * The executions among these that have not ended.
 *
 * n8n's list may lack some executions; those are requested one by one, once none in the list is running.
 */
async function notEnded(
	client: N8nClient,
	workflowId: string,
	executions: ReadonlySet<string>,
): Promise<Set<string>> {
	const listed = new Map((await client.executions(workflowId)).map(({ id, status }) => [id, status]));
	const left = new Set([...executions].filter((id) => unfinished.has(listed.get(id) ?? 'unknown')));
	if ([...left].some((id) => listed.has(id))) return left;
	for (const id of left) {
		if (!unfinished.has((await client.execution(id)).status)) left.delete(id);
	}
	return left;
}

async function readExecutions(
	{ client }: QueueStage,
	started: ReadonlyMap<AppEvent, string>,
): Promise<Taken[]> {
	const left = [...started];
	const taken: Taken[] = [];
	const reader = async (): Promise<void> => {
		for (let next = left.shift(); next !== undefined; next = left.shift()) {
			const [event, id] = next;
			taken.push({ event, execution: await client.execution(id) });
		}
	};
	await Promise.all(Array.from({ length: readAtOnce }, reader));
	return taken;
}
