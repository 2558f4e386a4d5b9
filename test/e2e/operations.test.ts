import type { INodeParameters } from 'n8n-workflow';

import { outputOf } from '../../dev/harness/n8n/api.ts';
import { byId, names } from '../../dev/harness/workflows.ts';
import { readWorld, receivedCalls } from '../../dev/harness/world.ts';
import { cases, endpointIdOf, scenarios } from '../cases/index.ts';
import { enterStage } from './stage.ts';

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

describe('what n8n requires of a message', () => {
	const to = { type: 'EMAIL', email: 'ada@example.com' };

	it.each<[what: string, content: object, parameters: (channelId: string) => INodeParameters]>([
		[
			'no text for a content type other than TEXT',
			{ type: 'RECEIPT', to },
			(channelId) => ({
				channelId: byId(channelId),
				toEmail: to.email,
				text: '',
				additionalFields: { contentType: 'RECEIPT' },
			}),
		],
		[
			'no channel in the node when a package given as JSON names one',
			{ type: 'TEXT', text: 'Hello', to },
			(channelId) => ({
				channelId: { __rl: true, mode: 'list', value: '' },
				inputMode: 'json',
				package: JSON.stringify({ channelId, content: { type: 'TEXT', text: 'Hello', to } }),
			}),
		],
	])('%s', async (_what, content, parameters) => {
		const { channelId } = (await readWorld(sandbox, stage)).channel('Support E-mail');
		const { id } = await store({ resource: 'message', operation: 'send', ...parameters(channelId) });

		expect((await n8n.runWorkflow(id, names.start)).status).toBe('success');
		expect((await receivedCalls(sandbox)).map(({ body }) => body)).toEqual([
			{ packageId: expect.any(String), channelId, content },
		]);
	});
});
