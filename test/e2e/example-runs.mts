import { importExample } from '../../dev/harness/deliver-to.mts';
import { filledExample } from '../../dev/harness/fill-examples.mts';
import type { Execution, StoredWorkflow, WorkflowFile } from '../../dev/harness/n8n/api.mts';
import { DataTables } from '../../dev/harness/n8n/tables.mts';
import { readWorld, type World } from '../../dev/harness/world.mts';
import { eventually } from '../waiting.mts';
import { enterStage } from './stage.mts';

/** A workflow whose schedules don't start in the middle of a test: once a year. */
const onlyOnDemand = (file: WorkflowFile): WorkflowFile => ({
	...file,
	nodes: file.nodes.map((node) =>
		node.type === 'n8n-nodes-base.scheduleTrigger'
			? { ...node, parameters: { rule: { interval: [{ field: 'months', monthsInterval: 12 }] } } }
			: node,
	),
});

/** The stage for tests of examples, and what a person does with one. Each test begins with a new service and no tables. */
export function enterExamples() {
	const entered = enterStage();
	const { stage, n8n, sandbox } = entered;
	const tables = new DataTables(n8n);
	let current: World;

	beforeEach(async () => {
		await sandbox.reset();
		current = await readWorld(sandbox, stage);
		await tables.deleteAll();
	});

	/** What the service had when the test began. */
	const world = (): World => current;

	/** An example with what it asks for filled in. */
	const filled = (name: string): WorkflowFile => filledExample(name, current);

	/**
	 * Imports and publishes a workflow while something is done with it. An example that needs data tables makes them
	 * first, as its note says.
	 */
	const whilePublished = async <T,>(
		file: WorkflowFile,
		act: (workflow: StoredWorkflow) => Promise<T>,
	): Promise<T> => {
		const workflow = await importExample(n8n, onlyOnDemand(file));
		await n8n.activateWorkflow(workflow);
		try {
			return await act(workflow);
		} finally {
			await n8n.deactivateWorkflow(workflow.id);
		}
	};

	/** Publishes a workflow and calls its webhook. Returns the ID of the execution. */
	const called = async (file: WorkflowFile, path: string, body: object): Promise<string> =>
		await whilePublished(file, async ({ id }) => {
			await n8n.callWebhook(path, body);
			return await n8n.waitForStart(id);
		});

	/** Waits until a workflow has so many executions, those that made tables aside, and until these have ended. */
	const ended = async (workflowId: string, count: number): Promise<Execution[]> => {
		const ids = async () => [
			...new Set(
				(await n8n.executions(workflowId)).flatMap(({ id, mode }) => (mode === 'manual' ? [] : [id])),
			),
		];
		await eventually(async () => (await ids()).length >= count, `execution ${count}`, 200);
		const all = await ids();
		expect(all).toHaveLength(count);
		return await Promise.all(all.map(async (id) => await n8n.waitForExecution(id)));
	};

	/** Waits until a workflow has so many executions, and until all of these have succeeded. */
	const succeeded = async (workflowId: string, count: number): Promise<Execution[]> => {
		const executions = await ended(workflowId, count);
		expect(executions.flatMap((each) => (each.status === 'success' ? [] : failuresIn(each)))).toEqual([]);
		expect(executions.map(({ status }) => status)).toEqual(Array(count).fill('success'));
		return executions;
	};

	return { ...entered, tables, world, filled, whilePublished, called, ended, succeeded };
}

/** The nodes that failed in an execution, each with its reason. */
const failuresIn = ({ data: { resultData } }: Execution): string[] =>
	Object.entries(resultData.runData).flatMap(([node, runs]) =>
		runs.flatMap(({ error }) => (error ? [`${node}: ${(error as { message?: string }).message}`] : [])),
	);

/** A message that the service accepted. */
export function message(
	channelId: string,
	to: object,
	{ text, ...rest }: { text?: string; correlationId?: string } = {},
): unknown {
	const content = expect.objectContaining({ to, ...(text !== undefined && { text }) }) as unknown;
	const body = expect.objectContaining({ channelId, content, ...rest }) as unknown;
	return expect.objectContaining({ operationId: 'message.send', conforms: true, accepted: true, body });
}

/** The address of an e-mail. */
export const email = (address: string, name?: string): object => ({
	...{ type: 'EMAIL', email: address },
	...(name !== undefined && { name }),
});
