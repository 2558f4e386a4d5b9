import { outputOf } from '../../dev/harness/n8n/api.mts';
import { names } from '../../dev/harness/workflows.mts';
import { readWorld, receivedCalls } from '../../dev/harness/world.mts';
import { cases, loggedAs, scenarios } from '../cases/index.mts';
import { enterStage } from './stage.mts';

const { stage, n8n, sandbox, store } = enterStage();

beforeEach(async () => {
	await sandbox.reset();
});

describe('every operation, as a workflow run by n8n', () => {
	it.each(scenarios)('$title', async ({ id: operationId, resource, operation, prepare }) => {
		const prepared = await prepare(await readWorld(sandbox, stage));
		const { items, parameters, requests: sent, output: given } = prepared;
		const { id } = await store({ resource, operation, ...parameters }, { items });

		const waits = cases[operationId].traits.includes('waits');
		const execution = waits
			? await n8n.runUntilWaiting(id, names.start)
			: await n8n.runWorkflow(id, names.start);

		expect(execution).toMatchObject({ status: waits ? 'waiting' : 'success' });
		const aboutKey = operationId === 'apiKey.getCurrent';
		const requests = aboutKey ? await sandbox.requests() : await receivedCalls(sandbox);
		const conforming = { operationId: loggedAs(operationId), problems: [], accepted: true };
		expect(requests).toEqual(sent.map(() => expect.objectContaining(conforming) as unknown));

		const output = outputOf(execution, names.messaging);
		expect(output).toEqual(
			given.map(({ json, pairedItem }) =>
				expect.objectContaining({ json: expect.objectContaining(json), pairedItem }),
			),
		);
		expect(outputOf(execution, names.success)).toHaveLength(waits ? 0 : output.length);
	});
});
