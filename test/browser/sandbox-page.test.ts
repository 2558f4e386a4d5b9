import type { Browser, Page } from 'playwright-core';

import { launchChromium } from '../../dev/harness/chromium.ts';
import { World } from '../sandbox/world.ts';

/** The sandbox's page, as a user operates it. */

let world: World;
let browser: Browser;
let page: Page;

beforeAll(async () => {
	world = await World.start();
	browser = await launchChromium();
	const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
	page = await context.newPage();
	page.setDefaultTimeout(60_000);
	await page.goto(world.sandbox.page);
});

afterAll(async () => {
	await browser.close();
	await world.stop();
});

const copied = (): Promise<string> => page.evaluate('navigator.clipboard.readText()');
const numbers = (): Promise<string> => page.locator('.numbers').innerText();

test('an id is copied by a click, and by the keyboard', async () => {
	const first = await world.send('Support E-mail', 'Hello');
	const id = page.getByRole('button', { name: first.content.messageId });
	await id.click();
	await page.getByText(`The message ID ${first.content.messageId} copied`).waitFor({ state: 'attached' });
	expect(await copied()).toBe(first.content.messageId);
	expect((await numbers()).replace(/\s+/g, ' ')).toContain('1 message ');

	const entry = world.entryId('Support CRM Hook', 'Pending');
	await page.getByRole('button', { name: entry }).press('Enter');
	await page.getByText(`The outbox entry ID ${entry} copied`).waitFor({ state: 'attached' });
	expect(await copied()).toBe(entry);
});

test('who stands on an id with the keyboard stays there while messages arrive', async () => {
	const first = await world.send('Support E-mail', 'Stay');
	const id = page.getByRole('button', { name: first.content.messageId });
	await id.focus();
	const next = await world.send('Support E-mail', 'Another');
	await page.getByRole('button', { name: next.content.messageId }).waitFor();
	expect(await page.evaluate('document.activeElement.dataset.copy')).toBe(first.content.messageId);
	expect((await numbers()).replace(/\s+/g, ' ')).toContain('3 messages');
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
