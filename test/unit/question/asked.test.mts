import {
	type IDataObject,
	type IExecuteFunctions,
	type IWebhookFunctions,
	WAIT_INDEFINITELY,
} from 'n8n-workflow';

import { Asked } from '../../../nodes/Messaging/question/asked.ts';
import { answerQuestion } from '../../../nodes/Messaging/question/answer.ts';
import { question } from './question.mts';

/** The questions of a run of the node in an execution, which shares its context with the node's other runs. */
const memory: IDataObject = {};
const open = (execution: string, run: number, token = '?signature=token'): Asked => {
	const resumeUrl = `https://n8n.example/tools/webhook-waiting/${execution}${token}`;
	return new Asked({
		getContext: () => memory,
		getExecutionId: () => execution,
		getNode: () => ({ id: 'the node/1' }),
		getWorkflowDataProxy: () => ({ $runIndex: run, $execution: { resumeUrl } }),
	} as unknown as IExecuteFunctions);
};

test('a link has the word of its question alone at the end, the same in each try, and none that can be guessed', () => {
	const [one, other] = ['one', 'other'].map((key) => open('7', 0).linkTo(key));
	expect(one).toMatch(
		/^https:\/\/n8n\.example\/tools\/webhook-waiting\/7\?signature=token\/the%20node%2F1&question=[\da-f]{32}$/,
	);
	expect(open('7', 0).linkTo('one')).toBe(one);
	expect([other, open('7', 1).linkTo('one'), open('8', 0).linkTo('one')]).not.toContain(one);
});

test('where n8n has no token, the link has the path that n8n looks for', () => {
	expect(open('9', 0, '').linkTo('one')).toMatch(
		/^https:\/\/n8n\.example\/tools\/webhook-waiting\/9\/the%20node%2F1\?question=[\da-f]{32}$/,
	);
});

test('questions belong to one run of the node in one execution, and to all tries of that run', () => {
	open('1', 0).note('word', question(), 0);
	expect(open('1', 0).has('word')).toBe(true);
	const nextRun = open('1', 1);
	expect([nextRun.has('word'), nextRun.any]).toEqual([false, false]);
	nextRun.note('other', question(), 0);
	expect(open('2', 1).any).toBe(false);
});

test('right after an answer, the question of the next node in the same execution can be answered', async () => {
	const answers = async (id: string) => {
		const kept: IDataObject = {};
		new Asked({
			getContext: () => kept,
			getExecutionId: () => '70',
			getNode: () => ({ id }),
			getWorkflowDataProxy: () => ({ $runIndex: 0, $execution: {} }),
		} as unknown as IExecuteFunctions).note('item', question(), 0);
		const [record] = Object.values(kept) as Array<{ questions: Record<string, string> }>;
		const [[word, asked] = []] = Object.entries(record?.questions ?? {});
		const response = { setHeader: () => response, status: () => response, send: () => response };
		return await answerQuestion({
			getQueryData: () => ({ question: word }),
			getNode: () => ({ name: id }),
			getRequestObject: () => ({ method: 'POST' }),
			getResponseObject: () => response,
			getHeaderData: () => ({ 'content-type': 'multipart/form-data; boundary=x' }),
			getBodyData: () => ({ data: { answer: 'approve' } }),
			evaluateExpression: () => asked,
		} as unknown as IWebhookFunctions);
	};
	const approved = [[{ json: { data: { approved: true } } }]];
	expect(await answers('first node')).toMatchObject({ workflowData: approved });
	expect(await answers('second node')).toMatchObject({ workflowData: approved });
});

/** Lets a node of this type wait, with this address of n8n. */
async function waitIn({
	type = 'messaging',
	mode = 'trigger',
	origin = 'https://n8n.example',
	input = [{}],
	ends = [] as ReadonlyArray<number | null>,
}) {
	const data = { approved: true, text: 'Yes' };
	const items = input.map((more) => ({
		json: { approved: true, data, question: 'May I?' } as IDataObject,
		...more,
	}));
	const shown = { hints: [] as string[], log: [] as string[] };
	const executeData = { data: { main: [items] } };
	const limits: Date[] = [];
	const asked = new Asked({
		getNode: () => ({ type, id: 'id' }),
		getExecuteData: () => executeData,
		getInputData: () => items,
		getContext: () => ({}),
		getExecutionId: () => '1',
		getMode: () => mode,
		getWorkflowDataProxy: () => ({
			$runIndex: 0,
			$execution: { resumeUrl: `${origin}/webhook-waiting/1` },
		}),
		logger: { warn: (line: string) => shown.log.push(line) },
		putExecutionToWait: (limit: Date) => Promise.resolve(limits.push(limit)),
	} as unknown as IExecuteFunctions);
	for (const [item, until] of ends.entries()) {
		asked.note(String(item), question({ until }), item);
	}
	const output = await asked.wait((message) => shown.hints.push(message));
	expect(limits).toHaveLength(1);
	const [[passedOn] = []] = executeData.data.main;
	return { data, items, json: passedOn?.json, limit: limits[0], output, ...shown };
}

test.each<[Array<number | null>, Date]>([
	[[2000, 3000, 1000], new Date(3000)],
	[[2000, null, 1000], WAIT_INDEFINITELY],
])('with questions that end at %j, it waits for the last one', async (ends, expected) => {
	expect((await waitIn({ ends })).limit).toEqual(expected);
});

describe('while it waits, it gives back its input', () => {
	test('without an approval of earlier, each item paired with itself', async () => {
		const { output } = await waitIn({ input: [{ pairedItem: 3 }, { binary: {} }] });
		expect(output).toEqual([
			{ json: { question: 'May I?' }, pairedItem: { item: 0 } },
			{ json: { question: 'May I?' }, binary: {}, pairedItem: { item: 1 } },
		]);
	});

	test('without errors, because n8n would repeat the node', async () => {
		const error = 'of an earlier node';
		const { output } = await waitIn({ input: [{ json: { error, order: 1042 }, error }] });
		expect(output).toEqual([{ json: { order: 1042 }, pairedItem: { item: 0 } }]);
	});

	test.each(['messagingTool', 'messagingHitlTool'])('as a time-out passes it on: %s', async (type) => {
		const { items, output } = await waitIn({ type });
		expect(output).toEqual([{ json: items[0]?.json, pairedItem: { item: 0 } }]);
		expect(JSON.stringify(output)).not.toContain('approved');
	});
});

test('a link that only this machine can open is told in a hint, and of a published workflow also in the log', async () => {
	for (const origin of ['http://localhost:5678', 'http://127.0.0.1', 'http://[::1]:5678']) {
		const { hints, log } = await waitIn({ origin });
		expect([hints.length, log.length]).toEqual([1, 1]);
		expect(log[0]).toContain(origin);
		const manual = await waitIn({ origin, mode: 'manual' });
		expect([manual.hints.length, manual.log.length]).toEqual([1, 0]);
	}
	const { hints, log } = await waitIn({});
	expect([hints, log]).toEqual([[], []]);
});

describe('if nobody answers, n8n passes the input on', () => {
	const inputAfterWait = async (type: string, json?: object) =>
		await waitIn({ type, input: [{ pairedItem: 0, ...(json !== undefined && { json }) }] });

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
