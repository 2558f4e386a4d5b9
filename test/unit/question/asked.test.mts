import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { Asked } from '../../../nodes/Messaging/question/asked.ts';
import { question } from './question.mts';

/** The questions of a run of the node in an execution, which shares its context with the node's other runs. */
const memory: IDataObject = {};
const open = (execution: string, run: number): Asked =>
	Asked.open({
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
