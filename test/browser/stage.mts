import { mkdirSync } from 'node:fs';

import type { Browser } from 'playwright-core';

import { launchChromium, openPage } from '../../dev/harness/chromium.mts';
import { N8nClient } from '../../dev/harness/n8n/api.mts';
import { ensureN8n } from '../../dev/harness/n8n/install.mts';
import { buildStage as build } from '../../dev/harness/stage.mts';
import { onTeardown, tearDown } from '../../dev/harness/teardown-list.mts';
import type { SandboxAddress } from '../../dev/sandbox/types.mts';
import { Editor } from './editor.mts';

/** An n8n with the packed node installed and an owner logged in, and a sandbox. */
export interface BrowserStage {
	readonly n8n: { readonly url: string; readonly session: string };
	readonly sandbox: Pick<SandboxAddress, 'url' | 'control' | 'page' | 'tokens'>;
}

/** Builds a stage. The teardown list takes it down. */
export async function buildStage(): Promise<BrowserStage> {
	try {
		const options = { n8n: { logFile: '.e2e/browser-n8n.log' } };
		const { n8n, sandbox } = await build(await ensureN8n(), onTeardown, options);
		return { n8n: { url: n8n.server.url, session: n8n.client.session }, sandbox };
	} catch (error) {
		await tearDown();
		throw error;
	}
}

const variable = 'BROWSER_STAGE';

/** Passes the stage on from jest's global setup to the test files. */
export function announceStage(stage: BrowserStage): void {
	process.env[variable] = JSON.stringify(stage);
}

/** The stage that the global setup built. */
export function enterStage(): BrowserStage {
	const text = process.env[variable];
	if (text === undefined) throw new Error('The browser tests run with "npm run test:browser" only');
	return JSON.parse(text) as BrowserStage;
}

/** Opens n8n's editor, without credentials, for the tests of a file. What is on the screen when a test ends is kept in `.e2e/browser`. */
export function useEditor({ n8n }: BrowserStage, opened: (editor: Editor) => void): void {
	let browser: Browser;
	let editor: Editor;
	beforeAll(async () => {
		await new N8nClient(n8n.url, n8n.session).deleteCredentials();
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
}
