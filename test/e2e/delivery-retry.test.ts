import { setTimeout as sleep } from 'node:timers/promises';

import type { INodeParameters } from 'n8n-workflow';

import type { StoredWorkflow } from '../../dev/harness/n8n/api.ts';
import { errorOf, outputOf } from '../../dev/harness/n8n/api.ts';
import { byId, messagingWorkflow, names } from '../../dev/harness/workflows.ts';
import type { WorkflowOptions } from '../../dev/harness/workflows.ts';
import { readWorld } from '../../dev/harness/world.ts';
import { stoppedForGood } from './needs.ts';
import { enterStage } from './stage.ts';
import { otherwise } from './where.ts';

const { stage, n8n, sandbox } = enterStage();

const items = Array.from({ length: 12 }, (_, n) => ({ to: `r${n}@example.com`, text: `text ${n}.` }));

/** A stored workflow that sends `text` to `to` of each item. */
async function sending(
	options: Partial<WorkflowOptions> & { delivery?: INodeParameters; text?: string } = {},
): Promise<StoredWorkflow> {
	return await n8n.createWorkflow(await content(options));
}

async function content({
	delivery = {},
	text = '={{ $json.text }}',
	...rest
}: Partial<WorkflowOptions> & { delivery?: INodeParameters; text?: string }) {
	const { channelId } = (await readWorld(sandbox, stage)).channel('Support E-mail');
	return messagingWorkflow({
		name: 'Delivery',
		credential: stage.credential,
		items,
		parameters: {
			resource: 'message',
			operation: 'send',
			channelId: byId(channelId),
			toEmail: '={{ $json.to }}',
			text,
			options: delivery,
		},
		...rest,
	});
}

/** How often each text was accepted. */
async function accepted(): Promise<Record<string, number>> {
	const counts: Record<string, number> = {};
	for (const { text } of (await sandbox.state()).messages) counts[text ?? ''] = (counts[text ?? ''] ?? 0) + 1;
	return counts;
}

const onceEach = (texts: string[]) => Object.fromEntries(texts.map((text) => [text, 1]));
const everyText = items.map(({ text }) => text);

describe('delivery, in the real n8n', () => {
	beforeEach(async () => {
		await sandbox.reset();
	});

	it('Retry On Fail sends nothing twice', async () => {
		await sandbox.setFaults([
			{ kind: 'status', status: 400, bodyContains: 'text 0.', times: 1 },
			{ kind: 'lostResponse', bodyContains: 'text 5.', times: 1 },
		]);
		const onError = 'continueErrorOutput';
		const { id } = await sending({ onError, retryOnFail: true, delivery: { maxConcurrency: 12 } });

		const execution = await n8n.runWorkflow(id, names.start);

		expect(execution.status).toBe('success');
		expect(await accepted()).toEqual(onceEach(everyText));
		const failed = outputOf(execution, names.messaging, 1);
		expect(failed.map(({ pairedItem, json }) => [pairedItem, json['error']])).toEqual([
			[{ item: 5 }, expect.objectContaining({ outcome: 'unknown' })],
		]);
	});

	it('a failed execution is retried with the original workflow: only the rest goes out', async () => {
		await sandbox.setFaults([{ kind: 'status', status: 409, bodyContains: 'text 7.', times: 1 }]);
		const { id } = await sending({ delivery: { maxConcurrency: 3 } });
		const failed = await n8n.runWorkflow(id, names.start);
		expect(failed.status).toBe('error');
		expect(errorOf(failed, names.messaging)?.['description']).toMatch(
			/^The service refused it\. .* Of 12 items, \d+ went out, 1 was refused.* item 7\. .* open Executions, /,
		);

		const retried = await n8n.retryExecution(failed.id, 'original');

		expect(retried).toMatchObject({ status: 'success', mode: 'retry' });
		expect(outputOf(retried, names.success)).toHaveLength(12);
		expect(await accepted()).toEqual(onceEach(everyText));
		expect(JSON.stringify(retried.data)).not.toContain('unifiedMessaging');
	});

	it('and with the current one, mended: what went out stays as it is', async () => {
		await sandbox.setFaults([{ kind: 'lostResponse', bodyContains: 'text 7.', times: 1 }]);
		const { id } = await sending({ delivery: { maxConcurrency: 1 } });
		const failed = await n8n.runWorkflow(id, names.start);
		expect(failed.status).toBe('error');

		const { nodes } = await content({
			text: '={{ $json.text }} mended',
			onError: 'continueErrorOutput',
		});
		await n8n.updateWorkflow(id, { nodes });
		const retried = await n8n.retryExecution(failed.id, 'current');

		expect(retried.status).toBe('success');
		expect(outputOf(retried, names.messaging)).toHaveLength(11);
		expect(outputOf(retried, names.messaging, 1).map(({ json }) => json['error'])).toEqual([
			expect.objectContaining({
				outcome: 'unknown',
				message: expect.stringMatching(/^Not sent again/) as string,
			}),
		]);
		expect(await accepted()).toEqual(
			onceEach(everyText.map((text, n) => (n <= 7 ? text : `${text} mended`))),
		);
	});

	const stopped = otherwise(stoppedForGood);
	it(`an execution that is stopped half-way sends nothing more, not even when somebody tries to retry it${stopped.lacking}`, async () => {
		await sandbox.setFaults([{ kind: 'hang', path: 'SendMessage', skip: 4 }]);
		const { id } = await sending({ delivery: { maxConcurrency: 2 }, onError: 'continueRegularOutput' });
		const { executionId } = await n8n.startWorkflow(id, names.start);
		const calls = async () => (await sandbox.requests()).filter(({ path }) => path.endsWith('SendMessage'));
		const deadline = Date.now() + 20_000;
		while ((await calls()).length < 6 && Date.now() < deadline) await sleep(20);

		await n8n.stopExecution(executionId);

		expect((await n8n.waitForExecution(executionId, 10_000)).status).toBe('canceled');
		await sleep(500);
		expect(await calls()).toHaveLength(6);
		await sandbox.clearFaults();
		const retried = n8n.retryExecution(executionId, 'original');
		if (stopped.lacks) {
			// An older n8n makes an empty execution of it.
			expect(outputOf(await retried, names.messaging)).toEqual([]);
		} else {
			// n8n saves nothing of a stopped execution, so it can't be retried.
			await expect(retried).rejects.toThrow();
		}
		expect(await calls()).toHaveLength(6);
	});
});
