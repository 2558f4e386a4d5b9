import type { INodeParameters } from 'n8n-workflow';
import type { Locator, Page } from 'playwright-core';
import { request } from 'undici';

import { linkIn } from '../../dev/harness/answer-page.ts';
import { credentialContent } from '../../dev/harness/credential.ts';
import { N8nClient, outputOf, type StoredCredential } from '../../dev/harness/n8n/api.ts';
import { byId, messagingWorkflow, names } from '../../dev/harness/workflows.ts';
import { SandboxClient } from '../../dev/sandbox/client.ts';
import type { Editor } from './editor.ts';
import { enterStage, useEditor } from './stage.ts';

/** Right-to-left texts and multi-part characters, on screen. */

const stage = enterStage();
const sandbox = new SandboxClient(stage.sandbox.control);
const n8n = new N8nClient(stage.n8n.url, stage.n8n.session);
let editor: Editor;
let page: Page;
useEditor(stage, (opened) => {
	editor = opened;
	page = opened.page;
});
let credential: StoredCredential;

const name = 'תמיכה (ראשית)';
const accounts = ['חשבון א', 'חשבון ב'];
const question = 'שלום, האם לאשר הזמנה 1042 (דחוף)?\nOrder 1042 from ACME Ltd. (urgent).';

/** Calls the service, and gives its answer. */
async function call(path: string, body?: object): Promise<unknown> {
	const headers = { 'X-API-KEY': stage.sandbox.tokens.org, 'Content-Type': 'application/json; v=1.0' };
	const answer = await request(`${stage.sandbox.url}/api/v1/${path}`, {
		method: body === undefined ? 'GET' : 'POST',
		headers,
		body: body === undefined ? null : JSON.stringify(body),
	});
	return await answer.body.json();
}

beforeAll(async () => {
	// Other tests may have left thousands of channels; those of this file must be among the first.
	await sandbox.reset();
	const { providers, organizations } = await sandbox.state();
	const providerId = providers.find(({ channelTypeKey }) => channelTypeKey === 'EMAIL')?.providerId;
	const organizationId = organizations.find(({ name: called }) => called === 'Acme')?.organizationId;
	for (const account of accounts) {
		const created = await call('Admin/Account', { name: account, organizationId });
		const { accountId } = created as { accountId: string };
		await call('message/Configure/CreateChannel', { name, channelType: 'EMAIL', providerId, accountId });
	}
	credential = await n8n.createCredential(credentialContent(stage.sandbox.url, stage.sandbox.tokens.org));
});

afterEach(async () => {
	await sandbox.clearFaults();
});

afterAll(async () => {
	// Other tests begin without a credential.
	await n8n.deleteCredential(credential);
	await sandbox.reset();
});

/** A workflow with the node, whose channel is known. */
async function workflowWith(parameters: INodeParameters): Promise<string> {
	const { channels } = await sandbox.state();
	const channelId = channels.find((channel) => channel.name === 'Support E-mail')?.channelId ?? '';
	const all = { resource: 'message', channelId: byId(channelId), toEmail: 'ada@example.com', ...parameters };
	return (await n8n.createWorkflow(messagingWorkflow({ name: 'Languages', credential, parameters: all }))).id;
}

/** The part of the browser's DOM used here. */
declare const document: {
	createTreeWalker(root: unknown, what: number): { nextNode(): { data: string } | null };
	createRange(): {
		setStart(node: { data: string }, at: number): void;
		setEnd(node: { data: string }, at: number): void;
		getBoundingClientRect(): { left: number };
	};
};

/** The left edges of parts of a text on the screen. */
async function leftEdges(holder: Locator, ...parts: string[]): Promise<number[]> {
	return await holder.evaluate((element, texts) => {
		const onlyText = 4;
		return texts.map((text) => {
			const walker = document.createTreeWalker(element, onlyText);
			for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
				const at = node.data.indexOf(text);
				if (at < 0) continue;
				const range = document.createRange();
				range.setStart(node, at);
				range.setEnd(node, at + text.length);
				return range.getBoundingClientRect().left;
			}
			throw new Error(`There is no ${text}`);
		});
	}, parts);
}

test('a channel whose name is written from right to left is found and picked', async () => {
	await editor.openWorkflow(await workflowWith({ operation: 'send', text: 'x', channelId: byId('') }));
	await editor.openNode(names.messaging);
	await editor.parameter('channelId').first().waitFor();
	await page.getByTestId('resource-locator-channelId').getByTestId('rlc-mode-selector').click();
	await page.getByRole('option').filter({ hasText: 'From List' }).click();
	const ours = (await editor.openList('channelId')).filter({ hasText: name });
	// The editor shows what it had before until the list is there.
	await ours.nth(1).waitFor();
	expect(await ours.count()).toBe(2);
	await editor.typeInList('תמיכה', name);
	await editor.pick('channelId', accounts[1] ?? '', 'תמיכה');
	expect(await editor.picked('channelId')).toContain(name);
});

describe('on the page of a question', () => {
	async function openQuestion(parameters: INodeParameters): Promise<{ execution: string }> {
		const id = await workflowWith({ operation: 'sendAndWait', message: question, ...parameters });
		const { id: execution } = await n8n.runUntilWaiting(id, names.start);
		const link = linkIn((await sandbox.state()).messages.at(-1)?.text);
		await page.goto(link);
		return { execution };
	}

	test('each line goes its own way, and everything has a name', async () => {
		await openQuestion({
			approvalOptions: {
				values: { approvalType: 'double', approveLabel: 'אישור ✅', disapproveLabel: 'דחייה 👩🏽‍🚀' },
			},
		});
		const message = page.locator('.message');
		const box = await message.boundingBox();
		const [hebrew = 0, mark = 0, english = 0] = await leftEdges(message, 'שלום', '?', 'Order 1042');
		// From right to left, the first word is at the right and the question mark at the left.
		expect(hebrew).toBeGreaterThan((box?.x ?? 0) + (box?.width ?? 0) / 2);
		expect(mark).toBeLessThan(hebrew);
		expect(Math.abs(english - (box?.x ?? 0))).toBeLessThan(2);
		expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
		expect(await page.getByRole('button').allInnerTexts()).toEqual(['אישור ✅', 'דחייה 👩🏽‍🚀']);
		expect(await page.title()).toBe('A question for you');
	});

	test('what is written in any script is the answer, and is asked for in words that are read out', async () => {
		const options = { values: [{ option: 'כן 👍🏿' }, { option: 'לא' }] };
		const { execution } = await openQuestion({
			responseType: 'customForm',
			formFields: {
				values: [
					{ fieldLabel: 'שם מלא', fieldType: 'text', requiredField: true },
					{ fieldLabel: 'Email', fieldType: 'email' },
					{ fieldLabel: 'הערות', fieldType: 'textarea' },
					{ fieldLabel: 'אישורים', fieldType: 'checkbox', fieldOptions: options, requiredField: true },
				],
			},
		});
		const answer = {
			'שם מלא': 'דנה e\u0301 👨‍👩‍👧‍👦',
			Email: 'דנה@דוגמה.קום',
			הערות: 'שורה א\nLine 2 🇩🇪',
			אישורים: ['כן 👍🏿'],
		};
		await page.getByRole('textbox', { name: 'שם מלא' }).fill(answer['שם מלא']);
		await page.getByRole('textbox', { name: 'Email' }).fill(answer.Email);
		await page.getByRole('textbox', { name: 'הערות' }).fill(answer['הערות']);
		// Nothing is ticked yet, which the page and its title say.
		await page.getByRole('button').click();
		await page.getByText('Please choose at least one.').waitFor();
		expect(await page.title()).toMatch(/^Not recorded yet: /);
		await page.getByRole('group', { name: 'אישורים (required)' }).waitFor();
		await page.getByRole('alert').getByRole('link', { name: 'אישורים' }).press('Enter');
		await page.keyboard.press('Space');
		await page.getByRole('button').press('Enter');
		await page.getByRole('heading', { name: 'Thank you, your answer has been recorded' }).waitFor();
		const { data } = await n8n.waitForExecution(execution).then((ended) => ({
			data: outputOf(ended, names.messaging)[0]?.json['data'],
		}));
		expect(data).toEqual({ ...answer, respondedAt: expect.any(String) as string });
	});
});
