import type { INodeParameters } from 'n8n-workflow';
import type { Locator, Page } from 'playwright-core';

import { askQuestion } from '../../dev/harness/answer-page.mts';
import { credentialContent } from '../../dev/harness/credential.mts';
import { N8nClient, outputOf, type StoredCredential } from '../../dev/harness/n8n/api.mts';
import { names } from '../../dev/harness/workflows.mts';
import { SandboxClient } from '../../dev/sandbox/client.mts';
import { enterStage, useEditor } from './stage.mts';

/** Right-to-left texts and multi-part characters, on screen. */

const stage = enterStage();
const sandbox = new SandboxClient(stage.sandbox.control);
const n8n = new N8nClient(stage.n8n.url, stage.n8n.session);
let page: Page;
useEditor(stage, (editor) => ({ page } = editor));
let credential: StoredCredential;

const question = 'שלום, האם לאשר הזמנה 1042 (דחוף)?\nOrder 1042 from ACME Ltd. (urgent).';

beforeAll(async () => {
	await sandbox.reset();
	credential = await n8n.createCredential(credentialContent(stage.sandbox.url, stage.sandbox.tokens.org));
});

/** Asks the question, and opens its page. Returns the ID of the execution that waits. */
async function openQuestion(parameters: INodeParameters): Promise<string> {
	const { id, links } = await askQuestion(n8n, sandbox, credential, { message: question, ...parameters });
	await page.goto(links[0] ?? '');
	return id;
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

describe('on the page of a question', () => {
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
		const execution = await openQuestion({
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
		const [item] = outputOf(await n8n.waitForExecution(execution), names.messaging);
		expect(item?.json['data']).toEqual({ ...answer, respondedAt: expect.any(String) as string });
	});
});
