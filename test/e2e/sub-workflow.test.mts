/** What the workflow that calls a sub-workflow is told of messages that failed in it. */
import { outputOf } from '../../dev/harness/n8n/api.mts';
import { byId, inARow, names, node, type WorkflowOptions } from '../../dev/harness/workflows.mts';
import { enterStage } from './stage.mts';

const { n8n, sandbox, workflow, sendEach, accepted } = enterStage();
beforeEach(async () => await sandbox.reset());

const called = node(
	'When Called',
	'n8n-nodes-base.executeWorkflowTrigger',
	8,
	{ inputSource: 'passthrough' },
	1.1,
);
const items = ['ada', 'grace'].map((name) => ({ to: `${name}@example.com`, text: `Hello ${name}` }));

/** What comes out of Execute Sub-workflow with On Error: Continue, if the answer to Grace's message is lost. */
async function toldOf(more: Pick<WorkflowOptions, 'onError'>) {
	await sandbox.setFaults([{ kind: 'lostResponse', bodyContains: 'grace' }]);
	const parameters = await sendEach({ options: { maxTries: 1, maxConcurrency: 1 } });
	const inner = await n8n.createWorkflow(workflow(parameters, { ...more, trigger: called }));
	await n8n.activateWorkflow(inner);
	const calling = {
		...node('Call', 'n8n-nodes-base.executeWorkflow', 9, { workflowId: byId(inner.id), options: {} }, 1.2),
		onError: 'continueRegularOutput' as const,
	};
	const outer = workflow({}, { items });
	const { id } = await n8n.createWorkflow({
		...outer,
		nodes: [...outer.nodes.filter(({ name }) => name === names.start), calling],
		connections: inARow(names.start, calling.name),
	});
	const execution = await n8n.runWorkflow(id, names.start);
	expect(await accepted()).toEqual({ 'Hello ada': 1, 'Hello grace': 1 });
	return outputOf(execution, calling.name).map(({ json }) => json);
}

test('with Stop Workflow in it: one error for all, whose message says that a message may be out', async () => {
	expect(await toldOf({})).toEqual([
		{ error: expect.stringMatching(/^1 of 2 sent, 1 may have been sent: /) as unknown },
	]);
});

test('with Continue in it: each failed item comes back with its outcome', async () => {
	expect(await toldOf({ onError: 'continueRegularOutput' })).toMatchObject([
		{ recipient: 'ada@example.com' },
		{ error: { outcome: 'unknown' } },
	]);
});
