/**
 * Makes the screenshots of README and docs from the current build: `npx node test/browser/screenshots.mts`.
 * Each scene is a step from an empty canvas to a sent message, or to a channel.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import type { INodeParameters } from 'n8n-workflow';
import type { Browser, Page } from 'playwright-core';

import { askQuestion } from '../../dev/harness/answer-page.mts';
import { launchChromium, openPage } from '../../dev/harness/chromium.mts';
import { credentialContent } from '../../dev/harness/credential.mts';
import { readExample } from '../../dev/harness/examples.mts';
import type { N8nClient } from '../../dev/harness/n8n/api.mts';
import { ensureN8n } from '../../dev/harness/n8n/install.mts';
import { buildStage, type Stage } from '../../dev/harness/stage.mts';
import { messagingWorkflow, names, node, sendThrough } from '../../dev/harness/workflows.mts';
import { onTeardown, tearDown } from '../../dev/harness/teardown-list.mts';
import { SandboxClient } from '../../dev/sandbox/client.mts';
import buildPackage from '../build.mts';
import { Editor } from './editor.mts';

const folder = join('docs', 'images');
const size = { width: 1440, height: 1080 };
/** High enough for all parameters of a node. */
const tall = { ...size, height: 1240 };

async function takeAll(browser: Browser, stage: Stage): Promise<void> {
	const sandbox = new SandboxClient(stage.sandbox.control);
	const page = await openPage(browser, stage.n8n.client, { theme: 'light', ...size });
	const editor = new Editor(page, stage.n8n.client.url);
	const take = async (scene: string, extent: 'screen' | 'parameters' = 'screen'): Promise<void> => {
		await settle(editor);
		const path = join(folder, `${scene}.png`);
		const clip = extent === 'parameters' ? await parametersPanel(editor) : undefined;
		await page.screenshot({ path, ...(clip === undefined ? {} : { clip }) });
		process.stdout.write(`${path}\n`);
	};

	await editor.newWorkflow();
	await editor.findNode();
	await page.mouse.move(size.width / 3, size.height / 4);
	await take('node-panel');

	await editor.chooseAction('Send a message');
	await editor.createCredential({ baseUrl: stage.sandbox.url, apiKey: stage.sandbox.tokens.org });
	await editor.part('editCredential-modal').waitFor({ state: 'hidden' });
	await editor.openCredential();
	await page.getByText('Connection tested successfully').waitFor();
	await take('credential');
	await editor.closeCredential();

	await page.setViewportSize(tall);
	await editor.openList('channelId');
	await editor.typeInList('mail', 'Support E-mail');
	await take('pick-channel', 'parameters');
	await editor.pick('channelId', 'Support E-mail', 'mail');

	await editor.type('toEmail', 'ada@example.com');
	await editor.type('text', 'Your order is on its way');
	await leaveField(page);
	await take('message-form', 'parameters');
	await page.setViewportSize(size);

	await sandbox.setFaults([
		{
			kind: 'status',
			path: '/SendMessage',
			status: 400,
			body: { title: 'Invalid address', status: 400, detail: 'There is no mailbox ada@example.com.' },
		},
	]);
	await editor.execute('Invalid address');
	await take('refused');

	await editor.part('tab-settings').click();
	await editor.choose('onError', 'Continue (using error output)');
	await editor.part('tab-params').click();
	await editor.execute('Error Branch');
	await editor.part('output-panel').getByText('Error Branch').first().click();
	await editor.waitForOutput('rejected');
	await take('error-branch');
	await sandbox.clearFaults();
	await editor.closeNode();

	await editor.newWorkflow();
	await editor.addNode('Update the parameters of a channel');
	await editor.pick('channelId', 'Support E-mail', 'e-mail');
	await editor.formField('host').waitFor();
	await editor.typeInForm('host', 'mail-2.acme.example');
	await leaveField(page);
	await page.setViewportSize(tall);
	await take('parameters-form', 'parameters');
	await page.setViewportSize(size);

	const { client: n8n } = stage.n8n;
	const { id } = await n8n.createWorkflow(readExample('channel-alarm'));
	await editor.openWorkflow(id);
	await editor.openNode('Channel Drops or Comes Back');
	await editor.execute('channelConnected');
	await editor.showOutputAs('json');
	// A tip appears with the first output, and disappears on the next click.
	await editor.part('output-panel').getByText('1 item').click();
	await take('trigger');
	await editor.closeNode();

	await takePreview(editor, stage);
	await take('preview');
	await editor.closeNode();

	await page.setViewportSize(size);
	await takeToolSearch(editor, n8n);
	await page.context().close();
}

/** A focused field covers its neighbour with a tip, and one under the mouse shows its menu. */
async function leaveField(page: Page): Promise<void> {
	await page.locator(':focus').blur();
	await page.mouse.move(0, size.height / 2);
}

/** The rows of a list that Send would refuse, in the table of Preview. */
async function takePreview(editor: Editor, { n8n: { client }, sandbox }: Stage): Promise<void> {
	const guests = Array.from({ length: 50 }, (_, n) => ({
		...{ email: `guest-${n}@example.com`, text: 'Your table is booked for 7 pm.', table: `${n}` },
	}));
	for (const [n, mistake] of Object.entries({
		4: { email: 'guest-4@' },
		17: { text: '' },
		33: { table: '' },
	})) {
		Object.assign(guests[Number(n)] ?? {}, mistake);
	}
	const { channels } = await new SandboxClient(sandbox.control).state();
	const channelId = channels.find(({ name }) => name === 'Support E-mail')?.channelId ?? '';
	const credential = await client.createCredential(credentialContent(sandbox.url, sandbox.tokens.org));
	const parameters = sendThrough(channelId, {
		operation: 'preview',
		toEmail: '={{ $json.email }}',
		options: { onceKey: '=spring-dinner {{ $json.table }}' },
	});
	const workflow = messagingWorkflow({ name: 'Preview', credential, parameters, items: guests });
	const { id } = await client.createWorkflow(workflow);
	const { page } = editor;
	await page.setViewportSize({ width: 1440, height: 800 });
	await editor.openWorkflow(id);
	await editor.openNode(names.messaging);
	await editor.execute('wouldSend');
	await editor.showOutputAs('table');
	// A wider output.
	const handle = await editor.part('panel-drag-button').boundingBox();
	if (handle === null) throw new Error('The panels of the node have no handle');
	await page.mouse.move(handle.x + handle.width / 2, handle.y + handle.height / 2);
	await page.mouse.down();
	await page.mouse.move(0, handle.y, { steps: 10 });
	await page.mouse.up();
	await editor.searchOutput('false');
}

/** Where the search under an agent's Tool shows the node. */
async function takeToolSearch(editor: Editor, n8n: N8nClient): Promise<void> {
	const agent = node('AI Agent', '@n8n/n8n-nodes-langchain.agent', 1, {}, 3);
	const { id } = await n8n.createWorkflow({ name: 'Agent', nodes: [agent], connections: {} });
	const { page } = editor;
	await editor.openWorkflow(id);
	await page.locator('[data-handleid="inputs/ai_tool/0"] [data-test-id="canvas-handle-plus"]').click();
	await editor.part('node-creator-search-bar').fill('unified mess');
	await page.getByText('Unified Messaging Tool').waitFor();
	await settle(editor);
	const path = join(folder, 'agent-tool.png');
	await page.screenshot({ path, clip: { x: size.width - 400, y: 60, width: 400, height: 380 } });
	process.stdout.write(`${path}\n`);
}

/** The pages of questions to take, by device and kind of question. */
const questions = [
	{ scene: 'question-desktop-light', theme: 'light', width: 900, height: 420, ask: 'approval' },
	{ scene: 'question-desktop-dark', theme: 'dark', width: 900, height: 420, ask: 'approval' },
	{ scene: 'question-phone-light', theme: 'light', width: 390, height: 780, ask: 'form' },
	{ scene: 'question-phone-dark', theme: 'dark', width: 390, height: 780, ask: 'form' },
] as const;

/** Two questions, as their links show them. */
async function takeQuestions(browser: Browser, stage: Stage): Promise<void> {
	const sandbox = new SandboxClient(stage.sandbox.control);
	const { client: n8n } = stage.n8n;
	const credential = await n8n.createCredential(
		credentialContent(stage.sandbox.url, stage.sandbox.tokens.org),
	);
	const linkOf = async (parameters: INodeParameters): Promise<string> =>
		(await askQuestion(n8n, sandbox, credential, parameters)).links[0] ?? '';
	const options = { values: [{ option: 'Mail' }, { option: 'Courier' }] };
	const links = {
		approval: await linkOf({
			message: 'May order 1042 of Ada Lovelace go on?\nIt comes to 1,250 euros.',
			approvalOptions: { values: { approvalType: 'double' } },
			options: { responseFormTitle: 'Order 1042' },
		}),
		form: await linkOf({
			message: 'How shall we send order 1042?',
			responseType: 'customForm',
			formFields: {
				values: [
					{ fieldLabel: 'Ship By', fieldType: 'radio', fieldOptions: options, requiredField: true },
					{ fieldLabel: 'Not Before', fieldType: 'date' },
					{ fieldLabel: 'Parcels', fieldType: 'number', requiredField: true },
					{ fieldLabel: 'Notes', fieldType: 'textarea' },
				],
			},
			options: { responseFormTitle: 'Order 1042' },
		}),
	};
	for (const { scene, ask, theme, width, height } of questions) {
		const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme });
		const page = await context.newPage();
		await page.goto(links[ask]);
		const path = join(folder, `${scene}.png`);
		await page.screenshot({ path });
		process.stdout.write(`${path}\n`);
		await context.close();
	}
}

/** Waits until nothing moves any more, and closes the notices in the corner. */
async function settle(editor: Editor): Promise<void> {
	const notices = editor.page.locator('.el-notification');
	// A notice appears a moment after its event.
	await editor.page.waitForTimeout(1_500);
	while ((await notices.count()) > 0) {
		// One that is fading out by itself can't be clicked any more.
		await notices
			.first()
			.locator('.el-notification__closeBtn')
			.click({ timeout: 1_000, force: true })
			.catch(() => undefined);
		await editor.page.waitForTimeout(500);
	}
}

/** The middle of an open node: its parameters, down to the button that adds an option. */
async function parametersPanel(editor: Editor) {
	const panel = await editor.part('node-parameters').boundingBox();
	const button = await editor.part('node-execute-button').boundingBox();
	const adding = editor.page.locator('[data-test-id^="collection-parameter-add"]');
	const end = await adding.last().boundingBox();
	if (panel === null || button === null || end === null) throw new Error('No node is open');
	const top = button.y - 8;
	return { x: panel.x - 8, y: top, width: panel.width + 16, height: end.y + end.height + 16 - top };
}

mkdirSync(folder, { recursive: true });
try {
	await buildPackage();
	const stage = await buildStage(await ensureN8n());
	const browser = await launchChromium();
	onTeardown(async () => await browser.close());
	await takeAll(browser, stage);
	await takeQuestions(browser, stage);
} finally {
	await tearDown();
}
