import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { request } from 'undici';

import { linkIn, openLink, sendAnswer } from '../../dev/harness/answer-page.mts';
import { outputOf } from '../../dev/harness/n8n/api.mts';
import { byId, inARow, names, type WorkflowOptions } from '../../dev/harness/workflows.mts';
import { readWorld } from '../../dev/harness/world.mts';
import { eventually } from '../waiting.mts';
import { having } from './needs.mts';
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
			'content-security-policy': expect.stringMatching(/default-src 'none'.*sandbox allow-forms$/) as unknown,
			'cache-control': 'no-store',
			'referrer-policy': 'no-referrer',
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

it('of two answers in the same instant one counts, and the other person is told; JSON is no answer', async () => {
	const { id, link } = await ask();
	const headers = { 'content-type': 'application/json' };
	const json = await request(link, { method: 'POST', headers, body: '{"data":{"answer":"approve"}}' });
	expect(json.statusCode).toBe(415);
	await json.body.dump();
	await stillWaits(id);

	const both = await Promise.all([1, 2].map(async () => await sendAnswer(link, { answer: 'approve' })));
	const [first, second] = both.sort((one, other) => one.status - other.status);
	expect(first?.html).toContain('your answer has been recorded');
	expect(second?.html).toContain('This was answered already');
	expect(await answered(id)).toMatchObject({ status: 'success', after: 1 });
});

it('a form: a wrong entry comes back with what was entered', async () => {
	const options = { values: [{ option: 'Mail' }, { option: 'Courier' }] };
	const values = [
		{ fieldLabel: 'Reason', requiredField: true },
		{ fieldLabel: 'Pieces', fieldType: 'number' },
		{ fieldLabel: 'Ship By', fieldType: 'dropdown', fieldOptions: options, requiredField: true },
		{ fieldLabel: 'Reply To', fieldType: 'email' },
		{ fieldLabel: 'Also By', fieldType: 'checkbox', fieldOptions: options },
		{ fieldLabel: 'Which', fieldType: 'radio', fieldOptions: options },
	];
	const { id, link } = await ask({ responseType: 'customForm', formFields: { values } });
	const first = await openLink(link);
	for (const { fieldLabel } of values) expect(first.html).toContain(fieldLabel);

	const entries = {
		'field-0': 'Because "of" <this>',
		'field-1': '2.5',
		'field-2': 'Courier',
		'field-3': 'ada@example.com',
		'field-4': ['Mail', 'Courier'],
	};
	const wrong = await sendAnswer(link, { ...entries, 'field-1': 'many', 'field-3': 'ada' });
	expect(wrong.status).toBe(422);
	expect(wrong.html).toContain('value="Because &#34;of&#34; &#60;this&#62;"');
	expect(wrong.html).toMatch(/<option value="Courier"[^>]* selected[^>]*>Courier<\/option>/);
	expect(wrong.html.match(/aria-invalid="true"/g)).toHaveLength(2);
	await stillWaits(id);

	expect((await sendAnswer(link, entries)).status).toBe(200);
	expect((await answered(id)).json[0]?.['data']).toEqual({
		Reason: 'Because "of" <this>',
		Pieces: 2.5,
		'Ship By': 'Courier',
		'Reply To': 'ada@example.com',
		'Also By': ['Mail', 'Courier'],
		Which: null,
		respondedAt: anyTime,
	});
});

describe('what no answer counts for', () => {
	const checked = having('check of links');
	it(`a link that was changed on purpose${checked.lacking}`, async () => {
		const { id, link } = await ask();
		const [end = ''] = link.slice(-1);
		const changed: Array<[string, number]> = [
			[link.slice(0, -1) + (end === '0' ? '1' : '0'), 410],
			[link.slice(0, -1), 410],
			[link.replace(/question=.*/, ''), 410],
		];
		// An older n8n puts nothing into the link. The node then looks for the word of the question alone.
		if (!checked.lacks) {
			changed.push(
				[link.replace('signature=', 'signature=x'), 401],
				[link.replace(/signature=[^&]*/, ''), 401],
			);
		}
		for (const [one, expected] of changed) {
			for (const { status } of [await openLink(one), await sendAnswer(one, { answer: 'approve' })]) {
				expect([one, status]).toEqual([one, expected]);
			}
		}
		await stillWaits(id);
	});

	it('the link of an earlier round of a loop', async () => {
		const questions = asking();
		// The node is connected to itself, so it asks again after each answer.
		const connections = { ...questions.connections, ...inARow(names.messaging, names.messaging) };
		const { id: workflowId } = await n8n.createWorkflow({ ...questions, connections });
		const { id } = await n8n.runUntilWaiting(workflowId, names.start);
		const linksNow = async () => (await sandbox.state()).messages.map(({ text }) => linkIn(text));
		const [first = ''] = await linksNow();
		await sendAnswer(first, { answer: 'approve' });
		await eventually(async () => (await linksNow()).length > 1, 'a second question', 50);
		await n8n.waitUntilWaiting(id);

		for (const { status, html } of [await openLink(first), await sendAnswer(first, { answer: 'approve' })]) {
			expect(status).toBe(410);
			expect(html).toContain('its question is over');
		}
		await stillWaits(id);
		expect((await openLink((await linksNow())[1] ?? '')).status).toBe(200);
		await n8n.stopExecution(id);
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

it('a time limit that passes gives the input, without data and without an approval of earlier', async () => {
	const until = new Date(Date.now() + 4_000).toISOString();
	const limit = { limitType: 'atSpecifiedTime', maxDateAndTime: until };
	// An approval of earlier would pass for one to this question.
	const items = [{ order: 1042, approved: true, data: { approved: true, respondedAt: until } }];
	const { id } = await ask({ options: { limitWaitTime: { values: limit } } }, { items });

	// n8n checks once a minute for executions whose wait is over.
	const execution = await n8n.waitForExecution(id, 80_000);

	expect(execution.status).toBe('success');
	expect(outputOf(execution, names.messaging).map(({ json }) => json)).toEqual([{ order: 1042 }]);
});
