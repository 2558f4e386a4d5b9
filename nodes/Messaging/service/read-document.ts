import type { IHttpRequestOptions, ILoadOptionsFunctions } from 'n8n-workflow';

import { keyOf } from '../../../credentials/api-key';
import { CREDENTIAL_TYPE } from '../../../credentials/credential-type';
import { normalizeBaseUrl } from './connect';
import { textAt } from '../json/path';
import { Turns } from '../time/turns';
import { timeoutBehind } from './deadline';
import { masked, maskOf } from './redact';

/** The largest document that is read, in bytes. */
const MOST_BYTES = 256 * 1024;
/** How long the whole reading may take, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** A document's text, or why there is none: a clause such as "it is larger than 256 KB". */
export type Document = { text: string } | { problem: string };

interface StreamedResponse {
	statusCode: number;
	body: AsyncIterable<Buffer> & { destroy(error?: Error): unknown };
}

/**
 * Reads a document at an address that the service gave out.
 *
 * The API key never leaves the service's own origin. Even there the document is first asked for without it, and with
 * it only once that was refused. Redirects are not followed, and reading ends at a size and at a time limit. Where the
 * key stands in the document it is masked: the editor saves what is made of it.
 *
 * @param address absolute, or relative to the Base URL of the credential
 */
export async function readDocument(context: ILoadOptionsFunctions, address: string): Promise<Document> {
	const credentials = await context.getCredentials(CREDENTIAL_TYPE);
	const base = `${normalizeBaseUrl(textAt(credentials, 'baseUrl')) ?? ''}/`;
	if (!URL.canParse(address, base)) return { problem: 'its address is not a valid one' };
	const url = new URL(address, base);
	if (!/^https?:$/.test(url.protocol)) return { problem: 'its address is not an http or https one' };
	try {
		const deadline = AbortSignal.timeout(TIMEOUT_MS);
		const options = requestOptions(url, deadline);
		let response = (await context.helpers.httpRequest(options)) as StreamedResponse;
		if ([401, 403].includes(response.statusCode) && url.origin === new URL(base).origin) {
			response.body.destroy();
			response = (await context.helpers.httpRequestWithAuthentication.call(
				context,
				CREDENTIAL_TYPE,
				requestOptions(url, deadline),
			)) as StreamedResponse;
		}
		const document = await contentOf(response, deadline);
		return 'text' in document
			? { text: await masked(document.text, maskOf(keyOf(credentials)), new Turns()) }
			: document;
	} catch {
		return { problem: 'it could not be reached in time' };
	}
}

function requestOptions(url: URL, abortSignal: AbortSignal): IHttpRequestOptions {
	return {
		method: 'GET',
		url: url.href,
		headers: { Accept: 'application/schema+json, application/json' },
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		timeout: timeoutBehind(TIMEOUT_MS),
		abortSignal,
	};
}

async function contentOf({ statusCode, body }: StreamedResponse, deadline: AbortSignal): Promise<Document> {
	const giveUp = (): void => void body.destroy(new Error('The time for this document is up'));
	deadline.addEventListener('abort', giveUp);
	try {
		if (statusCode >= 300 && statusCode < 400) return { problem: 'its address leads on to another one' };
		if (statusCode !== 200) return { problem: `its address answers with status ${statusCode}` };
		const chunks: Buffer[] = [];
		let bytes = 0;
		for await (const chunk of body) {
			bytes += chunk.length;
			if (bytes > MOST_BYTES) return { problem: `it is larger than ${MOST_BYTES / 1024} KB` };
			chunks.push(chunk);
		}
		return { text: Buffer.concat(chunks).toString('utf8') };
	} finally {
		deadline.removeEventListener('abort', giveUp);
		body.destroy();
	}
}
