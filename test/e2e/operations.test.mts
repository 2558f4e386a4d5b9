import type { INodeParameters } from 'n8n-workflow';

import { type Execution, outputOf } from '../../dev/harness/n8n/api.mts';
import { byId, names } from '../../dev/harness/workflows.mts';
import { readWorld, receivedCalls } from '../../dev/harness/world.mts';
import { cases, endpointIdOf, scenarios } from '../cases/index.mts';
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
		const conforming = { operationId: endpointIdOf(operationId), problems: [], accepted: true };
		expect(requests).toEqual(sent.map(() => expect.objectContaining(conforming) as unknown));

		const output = outputOf(execution, names.messaging);
		expect(output).toEqual(
			given.map(({ json, pairedItem }) =>
				expect.objectContaining({ json: expect.objectContaining(json), pairedItem }),
			),
		);
		expect(outputOf(execution, names.success)).toHaveLength(output.length);
	});
});

describe('what n8n itself requires of a message before it starts', () => {
	const to = { type: 'EMAIL', email: 'ada@example.com' };
	const started = async (channelId: string, parameters: INodeParameters): Promise<Execution> => {
		const given = { channelId: byId(channelId), toEmail: to.email, ...parameters };
		const { id } = await store({ resource: 'message', operation: 'send', ...given });
		return await n8n.runWorkflow(id, names.start);
	};
	const receivedBodies = async () => (await receivedCalls(sandbox)).map(({ body }) => body);
	let channelId: string;

	beforeEach(async () => {
		({ channelId } = (await readWorld(sandbox, stage)).channel('Support E-mail'));
	});

	it('no text for a content type other than TEXT', async () => {
		const parameters = { text: '', additionalFields: { contentType: 'RECEIPT' } };
		expect((await started(channelId, parameters)).status).toBe('success');
		const content = { type: 'RECEIPT', to };
		expect(await receivedBodies()).toEqual([{ packageId: expect.any(String), channelId, content }]);
	});

	it('no channel in the node when a package given as JSON names one', async () => {
		const sent = { channelId, content: { type: 'TEXT', text: 'Hello', to } };
		const parameters = {
			channelId: { __rl: true, mode: 'list', value: '' },
			inputMode: 'json',
			package: JSON.stringify(sent),
		};
		expect((await started(channelId, parameters)).status).toBe('success');
		expect(await receivedBodies()).toEqual([{ packageId: expect.any(String), ...sent }]);
	});
});
