import { outputOf } from '../../dev/harness/n8n/api.mts';
import type { QueueStage } from '../../dev/harness/queue/stage.mts';
import { workerNameVariable } from '../../dev/harness/queue/worker.mts';
import { messagingWorkflow, names, sendThrough } from '../../dev/harness/workflows.mts';
import { readWorld } from '../../dev/harness/world.mts';

/** Registers the test of an execution that somebody starts in the editor. */
export function manual(stage: () => QueueStage): void {
	test('a workflow executed by hand sends from a worker, and its key counts in the next execution', async () => {
		const { client, sandbox, credential, service } = stage();
		await sandbox.reset();
		const world = await readWorld(sandbox, { sandbox: service.address() });
		const { id } = await client.createWorkflow(
			messagingWorkflow({
				name: 'By hand',
				credential,
				parameters: sendThrough(world.channel('Support E-mail').channelId, {
					toEmail: 'ada@example.com',
					text: `={{ $env.${workerNameVariable} }}`,
					options: { onceKey: 'by-hand' },
				}),
			}),
		);
		const [first, second] = [
			await client.runWorkflow(id, names.start),
			await client.runWorkflow(id, names.start),
		].map((execution) => outputOf(execution, names.success)[0]?.json);
		expect((await sandbox.state()).messages).toMatchObject([
			{ text: expect.stringMatching(/^worker-\d$/) as string },
		]);
		expect(first).toMatchObject({ onceKey: 'by-hand' });
		expect(first).not.toHaveProperty('alreadySent');
		expect(second).toMatchObject({ onceKey: 'by-hand', alreadySent: true });
	});
}
