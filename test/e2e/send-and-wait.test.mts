import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { linkIn, openLink, sendAnswer } from '../../dev/harness/answer-page.mts';
import { outputOf } from '../../dev/harness/n8n/api.mts';
import { byId, names, type WorkflowOptions } from '../../dev/harness/workflows.mts';
import { readWorld } from '../../dev/harness/world.mts';
import { enterStage } from './stage.mts';

const { stage, n8n, sandbox, workflow } = enterStage();

let channelId: string;

beforeEach(async () => {
	await sandbox.reset();
	channelId = (await readWorld(sandbox, stage)).channel('Support E-mail').channelId;
});

/** A workflow that asks for an approval. */
const asking = (parameters: INodeParameters = {}, more: Partial<WorkflowOptions> = {}) =>
	workflow(
		{
			resource: 'message',
			operation: 'sendAndWait',
			channelId: byId(channelId),
			toEmail: 'ada@example.com',
			message: 'May it go on?',
			...parameters,
		},
		more,
	);

/** Asks; returns the waiting execution and the link that was sent. */
async function ask(
	parameters?: INodeParameters,
	more?: Partial<WorkflowOptions>,
): Promise<{ id: string; link: string }> {
	const { id: workflowId } = await n8n.createWorkflow(asking(parameters, more));
	const { id, status } = await n8n.runUntilWaiting(workflowId, names.start);
	expect(status).toBe('waiting');
	return { id, link: linkIn((await sandbox.state()).messages[0]?.text) };
}

/** The node's output once the execution has ended. */
async function answered(id: string): Promise<{ status: string; json: IDataObject[]; after: number }> {
	const execution = await n8n.waitForExecution(id);
	const after = execution.data.resultData.runData[names.success]?.length ?? 0;
	return {
		status: execution.status,
		json: outputOf(execution, names.messaging).map(({ json }) => json),
		after,
	};
}

const stillWaits = async (id: string) => expect((await n8n.execution(id)).status).toBe('waiting');

const anyTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;
const anyId = expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown;

const double = { approvalOptions: { values: { approvalType: 'double', disapproveLabel: 'No way' } } };

describe('an approval', () => {
	it.each([
		['approve', true, 'Approve'],
		['decline', false, 'No way'],
	])('is given by a click on the page: %s', async (button, approved, label) => {
		const { id, link } = await ask({ ...double, options: { responseFormCustomCss: 'h1 { color: red }' } });

		const page = await openLink(link);
		expect(page.status).toBe(200);
		for (const shown of ['May it go on?', '>Approve<', '>No way<']) expect(page.html).toContain(shown);
		expect(page.headers).toMatchObject({
			'content-type': expect.stringMatching(/^text\/html/) as unknown,
			'content-security-policy': expect.stringMatching(
				/default-src 'none'.*sandbox allow-forms allow-same-origin$/,
			) as unknown,
			'cache-control': 'no-store',
			'referrer-policy': 'same-origin',
		});

		const thanks = await sendAnswer(link, { answer: button });
		expect(thanks.status).toBe(200);
		expect(thanks.html).toContain('your answer has been recorded');
		expect(thanks.html).toContain(label);
		// n8n keeps its own policy on this page.
		expect(thanks.headers['content-security-policy']).toMatch(/^sandbox /);
		for (const { html } of [page, thanks]) {
			expect(html).toContain("default-src 'none'");
			expect(html).toContain('h1 { color: red }');
		}

		expect(await answered(id)).toEqual({
			status: 'success',
			json: [{ data: { approved, respondedAt: anyTime }, packageId: anyId, channelId, item: 0 }],
			after: 1,
		});

		// What comes later is no question any more, and changes nothing.
		const before = await answered(id);
		const other = button === 'approve' ? 'decline' : 'approve';
		for (const late of [await openLink(link), await sendAnswer(link, { answer: other })]) {
			expect(late.status).toBe(200);
			expect(late.html).toMatch(/<html/);
			expect(late.html).not.toContain('<form');
		}
		expect(await answered(id)).toEqual(before);
	});
});

describe('what no answer counts for', () => {
	it('a link that was changed on purpose', async () => {
		const { id, link } = await ask();
		const [end = ''] = link.slice(-1);
		for (const [one, expected] of [
			[link.slice(0, -1) + (end === '0' ? '1' : '0'), 410],
			[link.slice(0, -1), 410],
			[link.replace(/question=.*/, ''), 410],
			[link.replace('signature=', 'signature=x'), 401],
			[link.replace(/signature=[^&]*/, ''), 401],
		] as const) {
			for (const { status } of [await openLink(one), await sendAnswer(one, { answer: 'approve' })]) {
				expect([one, status]).toEqual([one, expected]);
			}
		}
		await stillWaits(id);
	});
});

it('an execution that is stopped while it waits asks nobody again when it is retried', async () => {
	const { id, link } = await ask({}, { items: [{ order: 1042 }] });
	await n8n.stopExecution(id);
	expect((await sendAnswer(link, { answer: 'approve' })).status).not.toBe(200);

	const retried = await n8n.retryExecution(id, 'current');

	// n8n treats it as one whose time limit has passed.
	expect(retried.status).toBe('success');
	expect(outputOf(retried, names.messaging).map(({ json }) => json)).toEqual([{ order: 1042 }]);
	expect((await sandbox.state()).messages).toHaveLength(1);
});
