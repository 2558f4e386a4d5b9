import { mkdirSync } from 'node:fs';

import type { Browser } from 'playwright-core';

import { launchChromium, openPage } from '../../dev/harness/chromium.ts';
import { SandboxClient } from '../../dev/sandbox/client.ts';
import { Editor } from './editor.ts';
import { enterStage } from './stage.ts';

/** The output schema of a node that has never run, as the next node shows it. */

const stage = enterStage();
const sandbox = new SandboxClient(stage.sandbox.control);
let browser: Browser;
let editor: Editor;

beforeAll(async () => {
	browser = await launchChromium();
	const page = await openPage(browser, stage.n8n, { theme: 'light', width: 1440, height: 900 });
	editor = new Editor(page, stage.n8n.url);
});

afterEach(async () => {
	const name = expect.getState().currentTestName?.replace(/\W+/g, '-').slice(0, 100) ?? 'test';
	mkdirSync('.e2e/browser', { recursive: true });
	await editor.page.screenshot({ path: `.e2e/browser/${name}.png` });
});

afterAll(async () => {
	await browser.close();
});

/** Adds the node with one of its actions behind the last node of the canvas, and opens it. */
async function add(action: string): Promise<void> {
	await editor.searchNodePanel('unified mess');
	await editor.chooseNode('Unified Messaging');
	await editor.chooseAction(action);
}

describe('a node behind one that has never run', () => {
	test('offers the fields of its output, in the order in which they will come', async () => {
		await sandbox.clearRequests();
		await editor.newWorkflow();
		await editor.addManualTrigger();
		await add('Get many channels');
		await editor.closeNode();
		await add('Send a message');

		expect(await editor.offeredFields('Get many channels')).toEqual([
			'channelId',
			'name',
			'channelType',
			'provider',
			'isConnected',
			'status',
			'canSendAndReceiveMessage',
			'accountId',
			'accountName',
			'stateUpdatedAt',
		]);
	});

	test('takes one of them by dragging, as the expression that will find it', async () => {
		await editor.dragField('stateUpdatedAt', 'text');
		expect(await editor.parameter('text').innerText()).toContain('{{ $json.stateUpdatedAt }}');
		expect(await sandbox.requests()).toEqual([]);
	});

	test('and so does the one behind that', async () => {
		await editor.closeNode();
		await add('Edit a message');
		expect(await editor.offeredFields('Send a message')).toEqual(['messageId', 'packageId', 'channelId']);
		await editor.dragField('messageId', 'messageId');
		expect(await editor.parameter('messageId').innerText()).toContain('{{ $json.messageId }}');
	});
});
