import type { Locator, Page } from 'playwright-core';

import { askQuestion } from '../../dev/harness/answer-page.mts';
import { credentialContent } from '../../dev/harness/credential.mts';
import { useEditor } from './stage.mts';

/** Right-to-left texts and multi-part characters, on screen. */

let page: Page;
const { stage, n8n, sandbox } = useEditor((editor) => ({ page } = editor));
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

test('on the page of a question, each line goes its own way, and everything has a name', async () => {
	await sandbox.reset();
	const { url, tokens } = stage.sandbox;
	const credential = await n8n.createCredential(credentialContent(url, tokens.org));
	const { links } = await askQuestion(n8n, sandbox, credential, {
		message: 'שלום, האם לאשר הזמנה 1042 (דחוף)?\nOrder 1042 from ACME Ltd. (urgent).',
		approvalOptions: {
			values: { approvalType: 'double', approveLabel: 'אישור ✅', disapproveLabel: 'דחייה 👩🏽‍🚀' },
		},
	});
	await page.goto(links[0] ?? '');
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
