import type { INodeParameters } from 'n8n-workflow';

import { outputOf } from '../../dev/harness/n8n/api.ts';
import { byId, messagingWorkflow, names } from '../../dev/harness/workflows.ts';
import { readWorld, receivedCalls } from '../../dev/harness/world.ts';
import { cases, endpointIdOf, scenarios } from '../cases/index.ts';
import { enterStage } from './stage.ts';

const { stage, n8n, sandbox } = enterStage();

/** Sends with these parameters; returns what the sandbox received. */
async function sendMessage(parameters: INodeParameters): Promise<{ status: string; bodies: unknown[] }> {
	const { id } = await n8n.createWorkflow(
		messagingWorkflow({
			name: 'Send',
			credential: stage.credential,
			parameters: { resource: 'message', operation: 'send', ...parameters },
		}),
	);
	const { status } = await n8n.runWorkflow(id, names.start);
	return { status, bodies: (await receivedCalls(sandbox)).map(({ body }) => body) };
}

describe('every operation, as a workflow run by n8n', () => {
	beforeEach(async () => {
		await sandbox.reset();
	});

	it.each(scenarios)('$title', async ({ title, id: operationId, resource, operation, prepare }) => {
		const {
			items,
			parameters,
			requests: sent,
			output: given,
		} = await prepare(await readWorld(sandbox, stage));
		const { id } = await n8n.createWorkflow(
			messagingWorkflow({
				name: title,
				credential: stage.credential,
				parameters: { resource, operation, ...parameters },
				items,
			}),
		);

		const waits = cases[operationId].traits.includes('waits');
		const execution = waits
			? await n8n.runUntilWaiting(id, names.start)
			: await n8n.runWorkflow(id, names.start);

		expect(execution).toMatchObject({ status: waits ? 'waiting' : 'success' });
		const aboutKey = operationId === 'apiKey.getCurrent';
		const requests = aboutKey ? await sandbox.requests() : await receivedCalls(sandbox);
		expect(requests).toHaveLength(sent.length);
		for (const request of requests) {
			expect(request).toMatchObject({
				operationId: endpointIdOf(operationId),
				conforms: true,
				problems: [],
				accepted: true,
			});
			const hasBody = request.body !== null;
			expect(request.headers).toMatchObject({ accept: 'application/json; v=1.0' });
			expect(request.headers['content-type']).toBe(hasBody ? 'application/json; v=1.0' : undefined);
		}
		const shown = requests.map(({ method, path, query, body }) => ({ method, path, query, body }));
		for (const request of sent) expect(shown).toContainEqual({ query: {}, body: null, ...request });

		const output = outputOf(execution, names.messaging);
		expect(output).toEqual(
			given.map(({ json, pairedItem }) =>
				expect.objectContaining({ json: expect.objectContaining(json), pairedItem }),
			),
		);
		expect(outputOf(execution, names.success)).toHaveLength(output.length);
	});

	it('needs no text for a content type other than TEXT', async () => {
		const { channelId } = (await readWorld(sandbox, stage)).channel('Support E-mail');
		const content = { type: 'RECEIPT', to: { type: 'EMAIL', email: 'ada@example.com' } };

		const { status, bodies } = await sendMessage({
			channelId: byId(channelId),
			toEmail: content.to.email,
			text: '',
			additionalFields: { contentType: content.type },
		});

		expect({ status, bodies }).toEqual({
			status: 'success',
			bodies: [{ packageId: expect.any(String), channelId, content }],
		});
	});

	it('needs no channel in the node when a package given as JSON names one', async () => {
		const { channelId } = (await readWorld(sandbox, stage)).channel('Support E-mail');
		const content = { type: 'TEXT', text: 'Hello', to: { type: 'EMAIL', email: 'ada@example.com' } };

		const { status, bodies } = await sendMessage({
			channelId: { __rl: true, mode: 'list', value: '' },
			inputMode: 'json',
			package: JSON.stringify({ channelId, content }),
		});

		expect({ status, bodies }).toEqual({
			status: 'success',
			bodies: [{ packageId: expect.any(String), channelId, content }],
		});
	});
});
