import type { IHttpRequestOptions, ILoadOptionsFunctions } from 'n8n-workflow';

import { keyOf } from '../../../../credentials/api-key';
import { CREDENTIAL_TYPE } from '../../../../credentials/credential-type';
import { placesIn } from '../../input/places';
import { normalizeBaseUrl } from '../../service/connect';
import { parseJson, textAt } from '../../shared/json';

/** The largest document that is read, in bytes. */
const MOST_BYTES = 256 * 1024;
/** How long the whole reading may take, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** A JSON document as parsed, or why there is none: a clause such as "it is larger than 256 KB". */
export type Read = { document: unknown } | { problem: string };

interface StreamedResponse {
	statusCode: number;
	body: AsyncIterable<Buffer> & { destroy(error?: Error): unknown };
}

/**
 * Reads a JSON document at an address that the service gave out.
 *
 * The API key never leaves the service's own origin. Even there the document is first asked for without it, and with
 * it only once that was refused. Redirects are not followed, and reading ends at a size and at a time limit. A document
 * that repeats the key is not used: the editor saves what is made of it.
 *
 * @param address absolute, or relative to the Base URL of the credential
 */
export async function readDocument(context: ILoadOptionsFunctions, address: string): Promise<Read> {
	const credentials = await context.getCredentials(CREDENTIAL_TYPE);
	const base = `${normalizeBaseUrl(textAt(credentials, 'baseUrl')) ?? ''}/`;
	if (!URL.canParse(address, base)) return { problem: 'its address is not a valid one' };
	const url = new URL(address, base);
	if (!/^https?:$/.test(url.protocol)) return { problem: 'its address is not an http or https one' };
	try {
		const deadline = AbortSignal.timeout(TIMEOUT_MS);
		const options = documentRequest(url, deadline);
		let response = (await context.helpers.httpRequest(options)) as StreamedResponse;
		if ([401, 403].includes(response.statusCode) && url.origin === new URL(base).origin) {
			response.body.destroy();
			response = (await context.helpers.httpRequestWithAuthentication.call(
				context,
				CREDENTIAL_TYPE,
				documentRequest(url, deadline),
			)) as StreamedResponse;
		}
		const content = await download(response, deadline);
		return 'problem' in content ? content : documentIn(content.text, keyOf(credentials));
	} catch {
		return { problem: 'it could not be reached in time' };
	}
}

function documentRequest(url: URL, abortSignal: AbortSignal): IHttpRequestOptions {
	return {
		method: 'GET',
		url: url.href,
		headers: { Accept: 'application/schema+json, application/json' },
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		// Only then n8n's own: an older n8n leaves the connection of what it gives up open.
		timeout: TIMEOUT_MS + 1_000,
		abortSignal,
	};
}

async function download(
	{ statusCode, body }: StreamedResponse,
	deadline: AbortSignal,
): Promise<{ text: string } | { problem: string }> {
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

function documentIn(text: string, key: string): Read {
	const parsed = parseJson(text);
	if (parsed === undefined) return { problem: 'it is not JSON' };
	for (const { name, value } of placesIn(parsed.value)) {
		const repeats = name.includes(key) || (typeof value === 'string' && value.includes(key));
		if (key !== '' && repeats) return { problem: 'it has the API key in it' };
	}
	return { document: parsed.value };
}
