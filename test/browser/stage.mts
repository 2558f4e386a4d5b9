import { mkdirSync } from 'node:fs';

import type { Browser } from 'playwright-core';

import { launchChromium, openPage } from '../../dev/harness/chromium.mts';
import { announcedStage } from '../../dev/harness/stage.mts';
import { Editor } from './editor.mts';

/**
 * Opens n8n's editor, without credentials, for the tests of a file. What is on the screen when a test ends is kept in
 * `.e2e/browser`.
 */
export function useEditor(opened: (editor: Editor) => void): ReturnType<typeof announcedStage> {
	const entered = announcedStage();
	const { n8n } = entered;
	let browser: Browser;
	let editor: Editor;
	beforeAll(async () => {
		await n8n.deleteCredentials();
		browser = await launchChromium();
		const page = await openPage(browser, n8n, { theme: 'light', width: 1440, height: 900 });
		editor = new Editor(page, n8n.url);
		opened(editor);
	});
	afterEach(async () => {
		const name = expect.getState().currentTestName?.replace(/\W+/g, '-').slice(0, 100) ?? 'test';
		mkdirSync('.e2e/browser', { recursive: true });
		await editor.page.screenshot({ path: `.e2e/browser/${name}.png` });
	});
	afterAll(async () => {
		await browser.close();
	});
	return entered;
}
