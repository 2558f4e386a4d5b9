import type { Page } from 'playwright-core';

import { openLink } from '../../dev/harness/answer-page.mts';
import type { LoggedRequest } from '../../dev/sandbox/types.mts';
import type { Editor } from './editor.mts';
import { useEditor } from './stage.mts';

let editor: Editor;
const { stage, sandbox } = useEditor((opened) => (editor = opened));

/** The requests of one kind that the sandbox has received since it was last cleared. */
async function requestsTo(path: string): Promise<LoggedRequest[]> {
	return (await sandbox.requests()).filter((request) => request.path.endsWith(path));
}

afterEach(async () => {
	await sandbox.clearFaults();
});

/** The steps of one user: each test continues where the previous one ended. */
describe('a workflow that sends a message, from an empty canvas, without any id typed or pasted', () => {
	test('the node is found by "approval", and stands under Human review', async () => {
		await editor.newWorkflow();
		await editor.part('canvas-handle-plus').last().click();
		const search = editor.part('node-creator-search-bar');
		const own = editor.part('node-creator').getByText('Unified Messaging', { exact: true });
		await search.fill('approval');
		await own.waitFor();
		await search.fill('');
		await own.waitFor({ state: 'hidden' });
		await editor.part('node-creator').getByText('Human review', { exact: true }).click();
		await own.waitFor();
	});

	test('the node is found in the node panel by searching', async () => {
		await editor.newWorkflow();
		await editor.addNode('Send a message');
		expect(await editor.part('ndv').innerText()).toContain('Connect to Unified Messaging');
	});

	test('a credential with a wrong key is refused, and the dialog says so', async () => {
		await editor.createCredential({ baseUrl: stage.sandbox.url, apiKey: 'acc_no-such-key' });
		const refusal = editor.part('editCredential-modal').getByText(/Couldn’t connect with these settings/);
		await refusal.waitFor();
	});

	test('with the right key it is saved and tested', async () => {
		await sandbox.clearRequests();
		await editor.parameter('apiKey').locator('input').fill(stage.sandbox.tokens.org);
		await editor.part('credential-save-button').click();
		await editor.part('editCredential-modal').waitFor({ state: 'hidden' });
		expect(await requestsTo('/Me')).toMatchObject([{ status: 200 }]);

		await editor.openCredential();
		await editor.page.getByText('Connection tested successfully').waitFor();
		await editor.closeCredential();
	});

	test('the channel is picked from the list by typing', async () => {
		const entries = await editor.openList('channelId');
		const offered = await entries.allInnerTexts();
		expect(offered.join()).toContain('Support WhatsApp');
		// Paused or suspended: they can't send.
		expect(offered.join()).not.toMatch(/Support Hotline SMS|Shop Old WhatsApp/);

		await editor.typeInList('whats', 'Support WhatsApp');
		await editor.pick('channelId', 'Support WhatsApp', 'whats');
		expect(await editor.picked('channelId')).toMatch(
			/^Support WhatsApp · WhatsApp · WhatsApp (cloud|device)/,
		);
	});

	test('the message goes out, and the output panel shows it', async () => {
		await editor.type('toEmail', 'ada@example.com');
		await editor.type('text', 'Your order is on its way');
		await sandbox.clearRequests();
		await editor.execute('packageId');
		await editor.showOutputAs('json');
		await editor.waitForOutput('Your order is on its way');

		const { channels } = await sandbox.state();
		const channelId = channels.find(({ name }) => name === 'Support WhatsApp')?.channelId;
		expect(await requestsTo('/SendMessage')).toMatchObject([
			{ status: 200, body: { channelId, content: { text: 'Your order is on its way' } } },
		]);
	});

	test('what the service repeats of a customer is no link and no picture in the error', async () => {
		const title = '<a href="https://evil.example">Sign in again</a><img src="https://evil.example/x.png">';
		const asked: string[] = [];
		const note = (request: { url(): string }) => asked.push(request.url());
		editor.page.on('request', note);
		await sandbox.setFaults([{ kind: 'status', path: '/SendMessage', status: 422, body: { title } }]);
		await editor.execute('Sign in again');
		const panel = editor.part('output-panel');
		expect(await panel.innerText()).toContain('<\u200ba href="https://evil.example">Sign in again');
		for (const part of ['From Unified Messaging', 'Other info']) await panel.getByText(part).click();
		await panel.getByText('"title"').first().waitFor();
		expect(await editor.page.locator('[href*="evil.example"], [src*="evil.example"]').count()).toBe(0);
		editor.page.off('request', note);
		expect(asked.filter((url) => url.includes('evil.example'))).toEqual([]);
		await editor.closeNode();
	});
});

describe('a question, from an empty canvas to its answer, without any id typed or pasted', () => {
	let page: Page;

	test('it is built in the editor', async () => {
		await editor.newWorkflow();
		await editor.addNode('Send a message and wait for response');
		await editor.pick('channelId', 'Support WhatsApp', 'whats');
		await editor.type('toEmail', 'boss@example.com');
		await editor.type('message', 'May order 1042 go on?');
	});

	test('the link stands on the page of the service, and opens the question', async () => {
		await sandbox.reset();
		await editor.part('node-execute-button').click();
		const service = await editor.page.context().newPage();
		await service.goto(stage.sandbox.page);
		const link = service.getByRole('link', { name: /webhook-waiting/ });
		await link.waitFor();
		const address = (await link.getAttribute('href')) ?? '';
		for (let times = 0; times < 10; times++) {
			await openLink(address, 'GET', { 'user-agent': 'Slackbot-LinkExpanding 1.0' });
			await openLink(address, 'HEAD');
		}
		const opened = editor.page.context().waitForEvent('page');
		await link.click();
		page = await opened;
		await page.getByText('May order 1042 go on?').waitFor();
		await service.close();
	});

	test('the page can be used by the keyboard, and asks nobody else for anything', async () => {
		const asked: string[] = [];
		page.on('request', (request) => asked.push(new URL(request.url()).origin));
		await page.reload();
		await page.keyboard.press('Tab');
		expect(await page.locator(':focus').innerText()).toBe('Approve');
		expect([...new Set(asked)]).toEqual([stage.n8nUrl]);
	});

	test('the answer goes in with a click, a second one too many does no harm, and the workflow goes on', async () => {
		await page.getByRole('button', { name: 'Approve' }).dblclick();
		await page.getByText('your answer has been recorded').waitFor();
		await page.close();
		await editor.page.bringToFront();
		await editor.waitForOutput('approved');
		await editor.showOutputAs('json');
		await editor.waitForOutput('"approved": true');
		await editor.closeNode();
	});
});

describe('a form for the parameters of a channel', () => {
	test('a new channel: type, provider and account are picked, the fields come from its schema', async () => {
		await editor.newWorkflow();
		await editor.addNode('Create a channel');
		await editor.type('name', 'Returns Inbox');
		await editor.pick('channelType', 'EMAIL', 'mail');
		await editor.pick('providerId', 'Cloud mail');
		await editor.pick('accountId', 'Acme Support', 'supp');
		await editor.formField('host').waitFor();
		expect(await editor.part('mapping-fields-container').innerText()).toContain('SMTP host');
		await editor.untilFormHolds('port', '587');
	});

	test('what is entered creates the channel', async () => {
		await sandbox.clearRequests();
		await editor.typeInForm('host', 'mail.acme.example');
		await editor.typeInForm('fromAddress', 'returns@acme.example');
		await editor.execute('Returns Inbox');
		expect(await requestsTo('/CreateChannel')).toMatchObject([
			{
				status: 200,
				conforms: true,
				body: {
					channelType: 'EMAIL',
					parameters: {
						host: 'mail.acme.example',
						port: 587,
						security: 'starttls',
						fromAddress: 'returns@acme.example',
					},
				},
			},
		]);
	});

	test('an update has an empty form, and changes what is entered in it, and nothing else', async () => {
		await editor.choose('operation', 'Update Parameters');
		await editor.pick('channelId', 'Support Ticket Hook', 'ticket');
		await editor.untilFormHolds('url', '');
		const form = editor.part('mapping-fields-container');
		expect(await form.innerText()).toContain('Parameters to Change');
		expect(await form.innerText()).not.toContain('Headers');
		await editor.typeInForm('timeoutSeconds', '20');
		expect(await editor.page.getByText('is required').count()).toBe(0);

		const { channels } = await sandbox.state();
		const present = channels.find(({ name }) => name === 'Support Ticket Hook')?.parameters;
		await sandbox.clearRequests();
		await editor.execute('Support Ticket Hook');
		expect(await requestsTo('/parameters')).toMatchObject([
			{ status: 200, body: { parameters: { ...present, timeoutSeconds: 20 } } },
		]);
		expect(present).toMatchObject({ url: 'https://tickets.acme.example/messages', timeoutSeconds: 30 });
	});

	test('a field of JSON that is added begins empty, and then changes nothing', async () => {
		await editor.part('add-fields-select').getByRole('button').click();
		await editor.page.getByRole('menuitem', { name: 'Headers' }).click();
		await editor.formField('headers').waitFor();
		await editor.typeInForm('timeoutSeconds', '25');
		await sandbox.clearRequests();
		await editor.execute(/timeoutSeconds\W+25\b/);
		expect(await requestsTo('/parameters')).toMatchObject([{ status: 200 }]);
		expect((await requestsTo('/parameters'))[0]).not.toHaveProperty('body.parameters.headers');
	});
});
