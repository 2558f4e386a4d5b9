import { setTimeout as sleep } from 'node:timers/promises';

import { errorOf, outputOf } from '../../dev/harness/n8n/api.mts';
import { names } from '../../dev/harness/workflows.mts';
import { eventually } from '../waiting.mts';
import { having } from './needs.mts';
import { enterStage } from './stage.mts';

const { n8n, sandbox, store, sendEach, accepted } = enterStage();

const items = Array.from({ length: 12 }, (_, n) => ({ to: `r${n}@example.com`, text: `text ${n}.` }));

const onceEach = (texts: string[]) => Object.fromEntries(texts.map((text) => [text, 1]));
const everyText = items.map(({ text }) => text);

describe('delivery, in the real n8n', () => {
	beforeEach(async () => {
		await sandbox.reset();
	});

	it('a failed execution is retried with the original workflow: only the rest goes out', async () => {
		await sandbox.setFaults([{ kind: 'status', status: 422, bodyContains: 'text 7.', times: 1 }]);
		const { id } = await store(await sendEach({ options: { maxConcurrency: 3 } }), { items });
		const failed = await n8n.runWorkflow(id, names.start);
		expect(failed.status).toBe('error');
		const said = errorOf(failed, names.messaging)?.['description'];
		expect(said).toMatch(/^Outcome: rejected \(not sent\)\.\nOf 12 items, .* \(1 refused\)/);
		expect(said).toMatch(/Correct a wrong value.*pick this one.*Don't run the workflow again/s);

		const retried = await n8n.retryExecution(failed.id, 'original');

		expect(retried).toMatchObject({ status: 'success', mode: 'retry' });
		expect(outputOf(retried, names.success)).toHaveLength(12);
		expect(await accepted()).toEqual(onceEach(everyText));
		expect(JSON.stringify(retried.data)).not.toContain('unifiedMessaging');
	});

	const stopped = having('end of what was stopped');
	it(`an execution that is stopped half-way sends nothing more, not even when somebody tries to retry it${stopped.lacking}`, async () => {
		await sandbox.setFaults([{ kind: 'hang', path: 'SendMessage', skip: 4 }]);
		const settings = { items, onError: 'continueRegularOutput' } as const;
		const { id } = await store(await sendEach({ options: { maxConcurrency: 2 } }), settings);
		const { executionId } = await n8n.startWorkflow(id, names.start);
		const calls = async () => (await sandbox.requests()).filter(({ path }) => path.endsWith('SendMessage'));
		await eventually(async () => (await calls()).length >= 6, 'six requests');

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
