import { setTimeout as sleep } from 'node:timers/promises';

import { errorOf } from '../../dev/harness/n8n/api.mts';
import {
	messagingType,
	names,
	node,
	sendThrough,
	webhookWorkflow,
	withCredential,
} from '../../dev/harness/workflows.mts';
import { readWorld } from '../../dev/harness/world.mts';
import { enterStage } from './stage.mts';

const { stage, n8n, sandbox, accepted } = enterStage();

const items = Array.from({ length: 12 }, (_, n) => ({ to: `r${n}@example.com`, text: `text ${n}.` }));

/** A published workflow that sends each item from its webhook, and that n8n ends after three seconds. */
async function publish(path: string, options: { onceKey?: string }): Promise<string> {
	// Other tests may have left their channel failing: it would be tried again only after seconds.
	const { channelId } = (await readWorld(sandbox, stage)).channel('Shop Newsletter');
	const parameters = sendThrough(channelId, { options: { maxConcurrency: 2, ...options } });
	const send = {
		...node(names.messaging, messagingType, 2, parameters),
		...withCredential(stage.credential),
	};
	const content = webhookWorkflow(path, 'items', send);
	const settings = { ...content.settings, executionTimeout: 3 };
	const published = await n8n.createWorkflow({ ...content, settings });
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
				description: expect.stringMatching(/Of 12 items: 4 sent, 2 maybe sent/) as string,
			});

			// Requests in flight at the end still hold two keys, whose outcome is saved in the background.
			await sandbox.clearFaults();
			await sleep(1000);
			const retried = await n8n.retryExecution(ended.id, 'original');
			expect(errorOf(retried, names.messaging)).toMatchObject({
				message: expect.stringMatching(/^10 of 12 sent, 2 may have been sent: Not sent again/) as string,
				description: expect.stringMatching(/Of 12 items: 6 sent, 4 sent in an earlier try/) as string,
			});
			expect(Object.values(await accepted())).toEqual(Array(10).fill(1));
		},
	);
});
