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

test('a row does not move away from under the pointer', async () => {
	const first = await world.send('Support E-mail', 'Point at me');
	const id = page.getByRole('button', { name: first.content.messageId });
	await id.hover();
	const place = await id.boundingBox();
	const next = await world.send('Support E-mail', 'On top');
	// The numbers on top change at once, so the page has received the update.
	await page.getByText('5 messages').waitFor();
	expect(await id.boundingBox()).toEqual(place);
	await page.mouse.move(0, 0);
	await page.getByRole('button', { name: next.content.messageId }).waitFor();
});

test('where the clipboard is out of reach the id is copied all the same', async () => {
	await page.evaluate(
		`Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })`,
	);
	const sent = await world.send('Support E-mail', 'Plain');
	await page.getByRole('button', { name: sent.content.messageId }).click();
	await page.getByText(`The message ID ${sent.content.messageId} copied`).waitFor({ state: 'attached' });
	await page.evaluate(`delete navigator.clipboard`);
	expect(await copied()).toBe(sent.content.messageId);
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
