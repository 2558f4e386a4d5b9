import { exampleNames, readExample } from '../../dev/harness/examples.mts';
import { documentsWithWorkflows, workflowsIn } from '../docs/workflows.mts';
import { having } from './needs.mts';
import { enterStage } from './stage.mts';

const { n8n } = enterStage();

/** The rules that are broken by the workflows with these IDs. Other tests have stored workflows, too. */
async function findings(ids: readonly string[]): Promise<string[]> {
	const { report } = (await n8n.rest('POST', '/breaking-changes/report/refresh?version=v3')) as {
		report: { workflowResults: Array<{ ruleId: string }> };
	};
	const found = report.workflowResults.map(async ({ ruleId }) => {
		const { affectedWorkflows } = (await n8n.rest('GET', `/breaking-changes/report/${ruleId}`)) as {
			affectedWorkflows: Array<{ id: string; name: string }>;
		};
		return affectedWorkflows.filter(({ id }) => ids.includes(id)).map(({ name }) => `${name}: ${ruleId}`);
	});
	return (await Promise.all(found)).flat();
}

const version3 = having('Migration Report for n8n 3');

version3.describe(`n8n's Migration Report for version 3${version3.lacking}`, () => {
	const pasted = documentsWithWorkflows().flatMap((document) =>
		workflowsIn(document).map((workflow, n) => ({ name: `${document} ${n + 1}`, ...workflow })),
	);
	const all = [...exampleNames.map((name) => readExample(name)), ...pasted];

	it('finds nothing in the examples and in the workflows of the documents', async () => {
		const stored: string[] = [];
		for (const workflow of all) stored.push((await n8n.createWorkflow(workflow)).id);
		expect(pasted.length).toBeGreaterThan(0);
		expect(await findings(stored)).toStrictEqual([]);
	});

	it('finds something where there is something', async () => {
		const settings = { callerPolicy: 'any' as const };
		const { id } = await n8n.createWorkflow({ name: 'Open', nodes: [], connections: {}, settings });
		expect(await findings([id])).toStrictEqual(['Open: caller-policy-any-removed-v3']);
	});
});
