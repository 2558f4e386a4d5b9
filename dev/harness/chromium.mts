import { existsSync } from 'node:fs';

import { type Browser, chromium, type Page, selectors } from 'playwright-core';

/** Where Debian and similar systems install Chromium. */
const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Options that switch off background traffic, and allow running as root. */
const quiet = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
	'--no-first-run',
];

/** Starts the Chromium that is installed on this machine. */
export async function launchChromium(): Promise<Browser> {
	const executablePath = [process.env.CHROMIUM ?? '', ...places].find(existsSync);
	if (executablePath === undefined) {
		throw new Error(
			`No Chromium in ${places.join(', ')}: install it ("apt-get install chromium") or name its program in CHROMIUM.`,
		);
	}
	// The attribute with which n8n marks the parts of its editor.
	selectors.setTestIdAttribute('data-test-id');
	return await chromium.launch({ executablePath, args: quiet });
}

/** How a page looks. */
export interface Look {
	readonly theme: 'light' | 'dark';
	readonly width: number;
	readonly height: number;
}

/** A page of n8n, logged in. */
export async function openPage(
	browser: Browser,
	n8n: { readonly url: string; readonly session: string },
	{ theme, width, height }: Look,
): Promise<Page> {
	const context = await browser.newContext({
		viewport: { width, height },
		colorScheme: theme,
		// Animations make screenshots differ.
		reducedMotion: 'reduce',
	});
	const at = n8n.session.indexOf('=');
	await context.addCookies([
		{ name: n8n.session.slice(0, at), value: n8n.session.slice(at + 1), url: n8n.url },
	]);
	const page = await context.newPage();
	// Only a guard against hanging: machines differ.
	page.setDefaultTimeout(60_000);
	return page;
}
