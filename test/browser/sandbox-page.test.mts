import type { Browser, Page } from 'playwright-core';

import { launchChromium } from '../../dev/harness/chromium.mts';
import { World } from '../sandbox/world.mts';

/** The sandbox's page, as a user operates it. */

const world = new World();
let browser: Browser;
let page: Page;

beforeAll(async () => {
	await world.open();
	browser = await launchChromium();
	page = await browser.newPage();
	page.setDefaultTimeout(60_000);
	await page.goto(world.sandbox.page);
});

afterAll(async () => {
	await browser.close();
	await world.stop();
});

test('a customer writes on the page; both sides of the conversation are shown, oldest last', async () => {
	const feedbackChannelId = world.channelId('Support Ticket Hook');
	await world.client.changeChannel(world.channelId('Support WhatsApp'), { feedbackChannelId });
	const form = page.getByRole('form', { name: 'Write as a customer' });
	// Channels whose messages are delivered come first.
	await form.locator('option').first().filter({ hasText: 'Support WhatsApp' }).waitFor({ state: 'attached' });
	await form.getByLabel('To channel').selectOption('Support WhatsApp');
	await form.getByLabel('From').fill('+49 30 1234567');
	await form.getByLabel('Text').fill('Where is my order?');
	await form.getByLabel('Text').press('Enter');
	await form.getByText('The outbox below delivers it.').waitFor();

	const { messages } = await world.client.state();
	expect(messages.at(-1)).toMatchObject({ sender: '+49 30 1234567', text: 'Where is my order?' });
	await world.send('Support WhatsApp', 'On its way');
	const rows = page.locator('#messages tr');
	await rows.first().filter({ hasText: 'On its way' }).waitFor();
	expect(await rows.nth(0).innerText()).toMatch(/to\s+ada@example\.com/);
	expect(await rows.nth(1).innerText()).toMatch(/from\s+\+49 30 1234567/);

	await form.getByLabel('To channel').selectOption('Support E-mail');
	await form.getByLabel('Text').fill('Hello?');
	await form.getByRole('button').click();
	await form.getByText('Not delivered: the feedback channel').waitFor();
});

test('faults are switched on by a click, and end by themselves', async () => {
	await page.getByRole('button', { name: 'Lose the next answer' }).click();
	await page.getByText('One fault is on').waitFor();
	await expect(world.send('Support E-mail', 'Lost')).rejects.toThrow();
	await page.locator('#faults').waitFor({ state: 'hidden' });
	expect((await world.client.state()).messages.at(-1)?.text).toBe('Lost');
	await world.send('Support E-mail', 'Not lost');
	await page.getByRole('button', { name: 'Down for 10 seconds' }).click();
	await page.getByText('status 503').waitFor();
	expect(await world.call('GET', '/api/v1/Me')).toMatchObject({ status: 503 });
	await page.locator('#faults').waitFor({ state: 'hidden' });
	expect(await world.call('GET', '/api/v1/Me')).toMatchObject({ status: 200 });
});

test('a channel is dropped and connected again by a click', async () => {
	const isConnected = async (): Promise<boolean | null | undefined> =>
		(await world.client.state()).channels.find(({ name }) => name === 'Support E-mail')?.isConnected;
	await page.getByRole('button', { name: 'Disconnect Support E-mail' }).click();
	await page.getByRole('button', { name: 'Connect Support E-mail', exact: true }).waitFor();
	expect(await isConnected()).toBe(false);
	// The button keeps the keyboard focus, even if its row has moved.
	await page.keyboard.press('Enter');
	await page.getByRole('button', { name: 'Disconnect Support E-mail' }).waitFor();
	expect(await isConnected()).toBe(true);
});
