import type { IDataObject, INodeExecutionData, IWebhookFunctions } from 'n8n-workflow';

import { outputSchemaOf } from '../../../api/output-schemas.mts';
import type { Operation } from '../../../nodes/Messaging/operations/operation.ts';
import { findOperation } from '../../../nodes/Messaging/operations/index.ts';
import { answerQuestion } from '../../../nodes/Messaging/question/answer.ts';
import { question } from './question.mts';

const WORD = '0123456789abcdef0123456789abcdef';
const LINK = { question: WORD, signature: 'token/node' };

/** The result of a request: what n8n is told, and what was sent to the browser directly. */
interface Outcome {
	workflowData: INodeExecutionData[] | undefined;
	page: string;
	status: number;
	headers: Record<string, string>;
	log: string[];
}

interface Given {
	query?: IDataObject;
	body?: IDataObject;
	/** Its content type, by default that of the page's form. */
	type?: string;
	/** When the time for an answer ends. */
	until?: number | null;
	/** The run that asks. By default, each visit is to another one. */
	run?: string;
	/** The name of the node. */
	name?: string;
	/** What fails of n8n. */
	broken?: object;
}

let visits = 0;

/** Requests a question's page as n8n does after checking the signature. */
async function visit(
	method: string,
	{
		query = LINK,
		body,
		type = 'multipart/form-data; boundary=x',
		until = null,
		run = `7 ${visits++}`,
		name = 'Ask',
		broken = {},
	}: Given = {},
): Promise<Outcome> {
	const outcome: Outcome = { workflowData: undefined, page: '', status: 200, headers: {}, log: [] };
	const response = {
		setHeader: (header: string, value: string) => (outcome.headers[header.toLowerCase()] = value),
		status(code: number) {
			outcome.status = code;
			return response;
		},
		send: (page: string) => (outcome.page = page),
	};
	const kept = { [WORD]: JSON.stringify({ question: question({ until }), item: 3, run }) };
	const context = {
		getQueryData: () => query,
		getNode: () => ({ name }),
		getRequestObject: () => ({ method }),
		getResponseObject: () => response,
		getBodyData: () => body ?? {},
		getHeaderData: () => ({ 'content-type': type }),
		// As n8n does: the text between the braces is JavaScript.
		evaluateExpression: (expression: string) => {
			const [, code = ''] = /^\{\{(.*?)\}\}$/s.exec(expression) ?? [];
			const $node = { [name]: { context: { unifiedMessagingQuestions: { questions: kept } } } };
			return new Function('$node', `return ${code}`)($node) as unknown;
		},
		logger: { error: (line: string) => outcome.log.push(line) },
		...broken,
	};
	const answered = await answerQuestion(context as unknown as IWebhookFunctions);
	if (answered.workflowData === undefined) expect(answered).toStrictEqual({ noWebhookResponse: true });
	else outcome.page = String(answered.webhookResponse);
	return { ...outcome, workflowData: answered.workflowData?.[0] as INodeExecutionData[] | undefined };
}

const approve = { data: { answer: 'approve' } };

/** The visit has answered nothing, and shows a page with this status: the question's, or one that asks nothing. */
function expectPage({ page, status, workflowData }: Outcome, expected: number): void {
	const isQuestion = [200, 415, 422].includes(expected);
	expect({ status, workflowData }).toEqual({ status: expected, workflowData: undefined });
	expect([page.includes('<form'), page.includes(question().page.text)]).toEqual([isQuestion, isQuestion]);
}

test.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
	'%s shows the page and changes nothing, even with an answer in the address',
	async (method) => {
		const query = { ...LINK, ...approve, answer: 'approve' };
		expectPage(await visit(method, { query, body: approve }), 200);
	},
);

test('POST answers: the output has the answer, its time, and the IDs of the message', async () => {
	const before = Date.now();
	const { workflowData = [], page } = await visit('POST', { body: approve });
	const data = { approved: true, respondedAt: expect.any(String) as unknown };
	expect(workflowData).toStrictEqual([
		{ json: { data, packageId: 'p', channelId: 'c', item: 3 }, pairedItem: { item: 3 } },
	]);
	const { respondedAt } = workflowData[0]?.json['data'] as { respondedAt: string };
	expect(Date.parse(respondedAt)).toBeGreaterThanOrEqual(before);
	expect(page).toContain('has been recorded');
});

test('the output has exactly the fields of its schema', async () => {
	const [item] = (await visit('POST', { body: approve })).workflowData ?? [];
	const operation = findOperation('message', 'sendAndWait');
	const { properties = {} } = outputSchemaOf(operation as Operation);
	expect(Object.keys(item?.json ?? {})).toStrictEqual(Object.keys(properties));
	expect(Object.keys(item?.json['data'] as object)).toStrictEqual(
		Object.keys(properties['data']?.properties ?? {}),
	);
});

test('an invalid POST changes nothing and shows the page again', async () => {
	for (const body of [{}, { data: {} }, { data: { answer: 'maybe' } }, { answer: 'approve' }]) {
		expectPage(await visit('POST', { body }), 422);
	}
});

test('an answer that is too long is not recorded, and is not given back', async () => {
	const body = { data: { answer: 'approve', more: '<'.repeat(2_000_000) } };
	const tooLong = await visit('POST', { body });
	expectPage(tooLong, 413);
	expect(tooLong.page.length).toBeLessThan(10_000);
});

test.each(['application/json', 'application/xml', 'application/x-www-form-urlencoded', 'text/plain', ''])(
	'a POST that the page does not send changes nothing: %j',
	async (type) => {
		expectPage(await visit('POST', { body: approve, type }), 415);
	},
);

test('a question is over when its own time is up, whatever the others of its run have', async () => {
	for (const method of ['GET', 'POST']) {
		const late = await visit(method, { body: approve, until: Date.now() - 1 });
		expectPage(late, 410);
	}
	const inTime = await visit('POST', { body: approve, until: Date.now() + 60_000 });
	expect(inTime.workflowData).toBeDefined();
});

test('of two answers in the same instant the first counts, and the other person is told', async () => {
	const run = 'one run';
	const both = await Promise.all([1, 2].map(async () => await visit('POST', { body: approve, run })));
	expect(both[0]?.workflowData).toBeDefined();
	expectPage(both[1] as Outcome, 409);
	expectPage(await visit('GET', { run }), 409);
	// The node asks again in a loop, and somebody answers at once.
	expect((await visit('POST', { body: approve, run: 'the next run' })).workflowData).toBeDefined();
});

test('an answer that was wrong does not keep the right one out', async () => {
	const run = 'another run';
	expectPage(await visit('POST', { body: {}, run }), 422);
	expect((await visit('POST', { body: approve, run })).workflowData).toBeDefined();
});

describe('if something fails, nothing is thrown, because n8n would take an error for an answer', () => {
	const fail = (): never => {
		throw new Error('Out of memory');
	};

	test.each(['evaluateExpression', 'getQueryData', 'getRequestObject', 'getNode'])('%s', async (name) => {
		for (const method of ['GET', 'POST']) {
			const failed = await visit(method, { body: approve, broken: { [name]: fail } });
			expectPage(failed, 500);
			expect(failed.log).toEqual([expect.stringContaining('Out of memory')]);
		}
	});

	test('nor if the browser has closed the connection, or logging fails', async () => {
		for (const broken of [{ getResponseObject: fail }, { getNode: fail, logger: { error: fail } }]) {
			expect((await visit('POST', { body: approve, broken })).workflowData).toBeUndefined();
		}
	});
});

test.each<[string, IDataObject]>([
	['no question', {}],
	['a part of the word', { question: WORD.slice(0, -1) }],
	['a space in the word', { question: `${WORD.slice(0, 5)} ${WORD.slice(5)}` }],
	['two questions', { question: [WORD, WORD] }],
])('a link with %s is refused', async (_kind, query) => {
	for (const method of ['GET', 'POST']) {
		expectPage(await visit(method, { query, body: approve }), 410);
	}
});

test.each<[string, IDataObject]>([
	['a full stop', { question: `${WORD}.` }],
	['a closing bracket', { question: `${WORD})>` }],
	['the parameters of a tracker', { ...LINK, fbclid: 'x', utm_source: 'mail' }],
	['&amp; in place of &', { signature: 'token/node', 'amp;question': WORD }],
])('a link that a mail program has changed still works: %s', async (_kind, query) => {
	expectPage(await visit('GET', { query }), 200);
	expect((await visit('POST', { query, body: approve })).workflowData).toBeDefined();
});

test.each([`${WORD.slice(0, -1)}0`, 'f'.repeat(32)])(
	'a question that this run has not asked is over: %j',
	async (word) => {
		for (const method of ['GET', 'POST']) {
			expectPage(await visit(method, { query: { question: word }, body: approve }), 410);
		}
	},
);

test.each(['Ask "Ada"', "Ask 'em", 'a }} b {{ c', 'x.constructor', '\\', 'Ünï 🙂', 'line\nbreak', '`${1}`'])(
	'the node may be called %j',
	async (name) => {
		expect((await visit('GET', { name })).page).toContain('May it go on?');
	},
);

test('a page is not cached, and can not be embedded in another page', async () => {
	for (const { headers } of [
		await visit('GET'),
		await visit('POST', { body: approve }),
		await visit('POST'),
	]) {
		expect(headers).toMatchObject({
			'cache-control': 'no-store',
			'referrer-policy': 'same-origin',
			'x-content-type-options': 'nosniff',
		});
		expect(headers['content-security-policy']).toMatch(
			/^default-src 'none'; .*frame-ancestors 'none'; sandbox allow-forms allow-same-origin$/,
		);
	}
});
