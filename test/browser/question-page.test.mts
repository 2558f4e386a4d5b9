import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { IWebhookFunctions } from 'n8n-workflow';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

import { launchChromium } from '../../dev/harness/chromium.mts';
import { answerQuestion } from '../../nodes/Messaging/question/answer.ts';
import { field, formOf, question } from '../unit/question/question.mts';

/** The page of a question in a browser, as the node serves it. */

const WORD = '0123456789abcdef0123456789abcdef';
const form = question({
	answer: formOf(field({ label: 'Name' }), field({ label: 'Why', type: 'textarea' })),
});

let browser: Browser;
let server: Server;
let address: string;
/** Changes a page before it is served. */
let edit = (page: string): string => page;
/** The requests that came in, newest last. */
const requests: IncomingMessage[] = [];

/** Serves the page with the node's own headers, as n8n does. */
async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
	requests.push(request);
	request.resume();
	const shown = {
		setHeader: (name: string, value: string) => response.setHeader(name, value),
		status(code: number) {
			response.statusCode = code;
			return shown;
		},
		send: (page: string) => response.end(edit(page)),
	};
	const context = {
		getQueryData: () => ({ question: WORD }),
		getNode: () => ({ name: 'Ask' }),
		getRequestObject: () => ({ method: 'GET' }),
		getResponseObject: () => shown,
		evaluateExpression: () => JSON.stringify({ question: form, item: 0, run: `run ${requests.length}` }),
	};
	await answerQuestion(context as unknown as IWebhookFunctions);
}

beforeAll(async () => {
	server = createServer((request, response) => void serve(request, response));
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	browser = await launchChromium();
});

afterAll(async () => {
	await browser.close();
	server.close();
});

beforeEach(() => {
	edit = (page) => page;
});

async function open(look: BrowserContextOptions = {}): Promise<Page> {
	const page = await browser.newPage(look);
	await page.goto(`${address}/webhook-waiting/1/ask?question=${WORD}`);
	return page;
}

test('the answer comes from the origin of n8n, with its cookies, so a login in front of n8n lets it through', async () => {
	const page = await open();
	await page
		.context()
		.addCookies([{ name: 'session', value: 'ada', url: address, sameSite: 'Lax', httpOnly: true }]);
	await page.getByLabel('Name').fill('Ada');
	const answered = page.waitForResponse((response) => response.request().method() === 'POST');
	await page.getByRole('button').click();
	await answered;
	const { headers } = requests.findLast(({ method }) => method === 'POST') as IncomingMessage;
	expect(headers).toMatchObject({
		origin: address,
		cookie: 'session=ada',
		'sec-fetch-site': 'same-origin',
		referer: expect.stringContaining(WORD) as unknown,
	});
	await page.close();
});

test('a script on the page would not run, also if it came from the page itself', async () => {
	edit = (page) => page.replace('</main>', '<script>document.title = "ran"</script></main>');
	const page = await open();
	expect(await page.locator('script').count()).toBe(1);
	expect(await page.title()).toBe('A question for you');
	await page.close();
});

/** The colors of what has to be seen. */
async function colorsOf(page: Page): Promise<Record<'button' | 'field' | 'text' | 'card', string>> {
	const of = async (selector: string, property: string): Promise<string> =>
		await page.evaluate(`getComputedStyle(document.querySelector('${selector}'))['${property}']`);
	return {
		button: await of('button', 'background-color'),
		field: await of('.control', 'border-top-color'),
		text: await of('.control', 'color'),
		card: await of('.card', 'background-color'),
	};
}

describe.each(['light', 'dark'] as const)('in %s mode', (colorScheme) => {
	test('everything can be seen', async () => {
		const page = await open({ colorScheme });
		const { button, field: border, text, card } = await colorsOf(page);
		expect([button, border, text]).not.toContain(card);
		expect(card).toBe(colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(33, 35, 41)');
		await page.close();
	});

	test('a browser without light-dark() shows the page in light colors', async () => {
		const modern = await open({ colorScheme: 'light' });
		const light = await colorsOf(modern);
		await modern.close();
		// A function that no browser knows.
		edit = (page) => page.replaceAll('light-dark(', 'no-such-function(');
		const old = await open({ colorScheme });
		expect(await colorsOf(old)).toStrictEqual(light);
		await old.close();
	});
});
