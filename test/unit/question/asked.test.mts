import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { Asked } from '../../../nodes/Messaging/question/asked.ts';
import { question } from './question.mts';

/** The questions of a run of the node in an execution, which shares its context with the node's other runs. */
const memory: IDataObject = {};
const open = (execution: string, run: number): Asked =>
	new Asked({
		getContext: () => memory,
		getExecutionId: () => execution,
		getWorkflowDataProxy: () => ({ $runIndex: run }),
	} as unknown as IExecuteFunctions);

test('questions belong to one run of the node in one execution, and to all tries of that run', () => {
	open('1', 0).note('word', { question: question(), item: 0 });
	expect(open('1', 0).has('word')).toBe(true);
	const nextRun = open('1', 1);
	expect([nextRun.has('word'), nextRun.any]).toEqual([false, false]);
	nextRun.note('other', { question: question(), item: 0 });
	expect(open('2', 1).any).toBe(false);
});

describe('if nobody answers, n8n passes the input on', () => {
	/** The input of a node of this type, once it waits. */
	async function inputAfterWait(type: string, given?: object) {
		const data = { approved: true, text: 'Yes' };
		const items = [
			{ json: (given ?? { approved: true, data, question: 'May I?' }) as IDataObject, pairedItem: 0 },
		];
		const executeData = { data: { main: [items] } };
		let isWaiting = false;
		const asked = new Asked({
			getNode: () => ({ type }),
			getInputData: () => items,
			getExecuteData: () => executeData,
			getContext: () => ({}),
			getExecutionId: () => '1',
			getWorkflowDataProxy: () => ({ $runIndex: 0 }),
			getSignedResumeUrl: () => 'https://n8n.example/webhook-waiting/1/id',
			putExecutionToWait: () => Promise.resolve((isWaiting = true)),
		} as unknown as IExecuteFunctions);
		await asked.wait();
		expect(isWaiting).toBe(true);
		const [[passedOn] = []] = executeData.data.main;
		return { data, json: passedOn?.json, items };
	}

	test('without an approval of earlier, which stays in the output of the node before', async () => {
		const { data, items, json } = await inputAfterWait('messaging');
		expect(json).toEqual({ question: 'May I?' });
		expect(items).toEqual([{ json: { approved: true, data, question: 'May I?' }, pairedItem: 0 }]);
		expect(data.approved).toBe(true);
	});

	test.each<[object, object]>([
		[{ data: { text: 'Yes', respondedAt: '2030-01-01T00:00:00Z' }, n: 1 }, { n: 1 }],
		[
			{ data: { text: 'of an order' }, approvedBy: 'Ada' },
			{ data: { text: 'of an order' }, approvedBy: 'Ada' },
		],
		[{ approved: false, data: null }, { data: null }],
		[{ data: [{ approved: true }] }, { data: [{ approved: true }] }],
	])('%j is passed on as %j', async (given, expected) => {
		expect((await inputAfterWait('messaging', given)).json).toEqual(expected);
	});

	test('an agent reads that nobody answered, and no approval of earlier', async () => {
		const { data, json } = await inputAfterWait('messagingTool');
		expect(json).toEqual({ note: expect.stringContaining('Nobody answered in time.') });
		expect(data.approved).toBe(true);
	});

	test('calls that wait for a reviewer at the same time share the data of the input', async () => {
		const { data, json } = await inputAfterWait('messagingHitlTool');
		expect(json).toEqual({ chatInput: expect.stringContaining('Nobody answered in time.') });
		expect(data).toEqual({ text: 'Yes' });
	});
});
