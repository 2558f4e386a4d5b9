import { errorOf, outputOf } from '../../dev/harness/n8n/api.mts';
import { names } from '../../dev/harness/workflows.mts';
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
});
