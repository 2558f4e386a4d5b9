import { setTimeout as sleep } from 'node:timers/promises';

import { errorOf } from '../../dev/harness/n8n/api.mts';
import { names, node } from '../../dev/harness/workflows.mts';
import { enterStage } from './stage.mts';

const { n8n, sandbox, workflow, sendEach, accepted } = enterStage();

const items = Array.from({ length: 12 }, (_, n) => ({ to: `r${n}@example.com`, text: `text ${n}.` }));

/** A published workflow that sends each item from its webhook, and that n8n ends after three seconds. */
async function publish(path: string, options: { onceKey?: string }): Promise<string> {
	const parameters = await sendEach({ options: { maxConcurrency: 2, ...options } });
	const content = workflow(parameters, {
		trigger: {
			...node(names.start, 'n8n-nodes-base.webhook', 0, { httpMethod: 'POST', path }, 2),
			webhookId: `f3b2a0de-7d6c-4a55-8c39-${path.padEnd(12, '0').replace(/[^a-f0-9]/g, '0')}`,
		},
	});
	const split = node('Split', 'n8n-nodes-base.splitOut', 4, { fieldToSplitOut: 'body.items' });
	const published = await n8n.createWorkflow({
		...content,
		nodes: [...content.nodes, split],
		connections: {
			...content.connections,
			[names.start]: { main: [[{ node: 'Split', type: 'main', index: 0 }]] },
			Split: { main: [[{ node: names.messaging, type: 'main', index: 0 }]] },
		},
		settings: { ...content.settings, executionTimeout: 3 },
	});
	await n8n.activateWorkflow(published);
	return published.id;
}

describe("an execution that n8n's Timeout Workflow ends", () => {
	beforeEach(async () => {
		await sandbox.reset();
	});

	it.each([
		['with once keys', 'timeout-with-keys', { onceKey: '={{ $json.to }}' }],
		['without once keys', 'timeout-without-keys', {}],
	] as const)(
		'shows the error of the node; a retry goes on, sends nothing twice and loses nothing: %s',
		async (_how, path, options) => {
			await sandbox.setFaults([{ kind: 'hang', path: 'SendMessage', skip: 4 }]);
			const id = await publish(path, options);
			await n8n.callWebhook(path, { items });
			const ended = await n8n.waitForFirstExecution(id);
			expect(ended.status).toBe('canceled');
			expect(errorOf(ended, names.messaging)).toMatchObject({
				description: expect.stringMatching(/Of 12 items, 4 were sent, 2 may have been sent/) as string,
			});

			// Requests in flight at the end still hold two keys, whose outcome is saved in the background.
			await sandbox.clearFaults();
			await sleep(1000);
			const retried = await n8n.retryExecution(ended.id, 'original');
			expect(errorOf(retried, names.messaging)).toMatchObject({
				message: expect.stringMatching(/^Not sent again/) as string,
				description: expect.stringMatching(/Of 12 items, 10 were sent/) as string,
			});
			expect(Object.values(await accepted())).toEqual(Array(10).fill(1));
		},
	);
});
