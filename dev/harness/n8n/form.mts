import { setTimeout as sleep } from 'node:timers/promises';

import { fetch, FormData } from 'undici';

/** The last page of an n8n form, as the user sees it. */
export interface FormEnding {
	readonly executionId: string;
	readonly title: string;
	readonly text: string;
	/** What the browser downloads with the page. */
	readonly files: readonly DownloadedFile[];
}

/** A file that a form gives back. */
export interface DownloadedFile {
	readonly name: string;
	readonly type: string;
	readonly content: Buffer;
}

/**
 * Uploads a file with the published form of a workflow, as n8n's form does in a browser: it polls
 * the execution until that ends or shows a page, and confirms that page to n8n.
 */
export async function uploadWithForm(n8nUrl: string, path: string, file: File): Promise<FormEnding> {
	const formUrl = `${n8nUrl}/form/${path}`;
	const page = await textOf(await fetch(formUrl));
	const body = new FormData();
	body.append(firstMatch(page, /<input[^>]*type='file'[^>]*name='([^']+)'/), file);
	const answer = (await (await fetch(formUrl, { method: 'POST', body })).json()) as {
		formWaitingUrl: string;
	};

	const waitingUrl = new URL(answer.formWaitingUrl);
	const executionId = waitingUrl.pathname.split('/').at(-1) ?? '';
	const status = await endOf(waitingUrl);
	if (status === 'success') {
		// There was no page: the form itself shows the result.
		const title = firstMatch(page, /id='submitted-header'>([^<]*)</);
		return { executionId, title, text: firstMatch(page, /id='submitted-content'>([^<]*)</), files: [] };
	}
	if (status !== 'form-waiting')
		throw new Error(`Execution ${executionId} of the form ended with "${status}"`);
	const ending = await textOf(await fetch(waitingUrl));
	await textOf(await fetch(waitingUrl, { method: 'POST' }));
	return {
		executionId,
		title: firstMatch(ending, /<h1>([^<]*)</),
		text: firstMatch(ending, /<p style="white-space: pre-line;">([^<]*)</),
		files: filesIn(ending),
	};
}

/** The status at which the form stops polling. */
async function endOf(waitingUrl: URL): Promise<string> {
	const statusUrl = new URL(waitingUrl);
	statusUrl.pathname += '/n8n-execution-status';
	const deadline = Date.now() + 60_000;
	for (;;) {
		const status = await textOf(await fetch(statusUrl));
		if (!['new', 'running', 'waiting'].includes(status)) return status;
		if (Date.now() > deadline) throw new Error(`The form still has the status "${status}" after 60 s`);
		await sleep(100);
	}
}

/** The files in a page that the browser downloads by itself, in the form in which n8n writes them there. */
function filesIn(page: string): DownloadedFile[] {
	const written = decodeURIComponent(firstMatch(page, /JSON\.parse\(decodeURIComponent\("([^"]*)"/));
	const files = JSON.parse(written) as Array<{
		fileName: string;
		type: string;
		data: string | { data: number[] };
	}>;
	return files.map(({ fileName, type, data }) => ({
		name: fileName,
		type,
		content: typeof data === 'string' ? Buffer.from(data, 'latin1') : Buffer.from(data.data),
	}));
}

async function textOf(answer: Awaited<ReturnType<typeof fetch>>): Promise<string> {
	const text = await answer.text();
	if (!answer.ok) throw new Error(`n8n answered ${answer.status} to ${answer.url}: ${text.slice(0, 500)}`);
	return text;
}

function firstMatch(page: string, pattern: RegExp): string {
	const found = pattern.exec(page)?.[1];
	if (found === undefined) throw new Error(`n8n's form has changed: ${pattern} is not in\n${page}`);
	return found.trim();
}

/** Fills in the fields of a workflow's published form, in their order, and submits it. */
export async function fillInForm(n8nUrl: string, path: string, values: readonly string[]): Promise<void> {
	const formUrl = `${n8nUrl}/form/${path}`;
	const page = await textOf(await fetch(formUrl));
	const body = new FormData();
	for (const [index, value] of values.entries()) {
		body.append(firstMatch(page, new RegExp(`name=['"](field-${index})['"]`)), value);
	}
	await textOf(await fetch(formUrl, { method: 'POST', body }));
}
