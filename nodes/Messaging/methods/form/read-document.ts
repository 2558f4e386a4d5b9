import type { IHttpRequestOptions, ILoadOptionsFunctions } from 'n8n-workflow';

import { CREDENTIAL_TYPE, keyOf } from '../../../../credentials/api-key';
import { normalizeBaseUrl } from '../../service/connect';
import { inTime } from '../../service/deadline';
import { parseJson, placesIn, textAt } from '../../shared/json';

/** The largest document that is read, in bytes. */
const MOST_BYTES = 256 * 1024;
/** How long reading may take in all, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** A JSON document as parsed, or why there is none: a clause such as "it is larger than 256 KB". */
export type Read = { document: unknown } | { problem: string };

interface StreamedResponse {
	statusCode: number;
	body: AsyncIterable<Buffer> & { destroy(): unknown };
}

/**
 * Reads a JSON document from an address that the service named.
 *
 * The first request is made without the API key. If it is refused and the address is on the service's own origin, a
 * second one has the key. Redirects are not followed, and size and time are limited. A document that contains the key
 * is not used, because the editor saves what is made from it.
 *
 * @param address absolute, or relative to the Base URL of the credential
 */
export async function readDocument(context: ILoadOptionsFunctions, address: string): Promise<Read> {
	const credentials = await context.getCredentials(CREDENTIAL_TYPE);
	const base = `${normalizeBaseUrl(textAt(credentials, 'baseUrl')) ?? ''}/`;
	if (!URL.canParse(address, base)) return { problem: 'its address is not valid' };
	const url = new URL(address, base);
	if (!/^https?:$/.test(url.protocol)) return { problem: 'its address is not an http or https address' };
	try {
		const content = await inTime(TIMEOUT_MS, async (signal) => {
			const options = documentRequest(url, signal);
			let response = (await context.helpers.httpRequest(options)) as StreamedResponse;
			if ([401, 403].includes(response.statusCode) && url.origin === new URL(base).origin) {
				response.body.destroy();
				response = (await context.helpers.httpRequestWithAuthentication.call(
					context,
					CREDENTIAL_TYPE,
					documentRequest(url, signal),
				)) as StreamedResponse;
			}
			return await download(response, signal);
		});
		return 'problem' in content ? content : documentIn(content.text, keyOf(credentials));
	} catch {
		return { problem: 'it could not be loaded within 10 seconds' };
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
		// Later than the deadline, which closes the connection in every n8n version.
		timeout: TIMEOUT_MS + 1000,
		abortSignal,
	};
}

async function download(
	{ statusCode, body }: StreamedResponse,
	signal: AbortSignal,
): Promise<{ text: string } | { problem: string }> {
	const close = (): void => void body.destroy();
	signal.addEventListener('abort', close);
	try {
		if (statusCode >= 300 && statusCode < 400) return { problem: 'its address redirects to another one' };
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
		signal.removeEventListener('abort', close);
		close();
	}
}

function documentIn(text: string, key: string): Read {
	const parsed = parseJson(text);
	if (parsed === undefined) return { problem: 'it is not JSON' };
	for (const { name, value } of placesIn(parsed.value)) {
		const repeats = name.includes(key) || (typeof value === 'string' && value.includes(key));
		if (key !== '' && repeats) return { problem: 'it contains the API key' };
	}
	return { document: parsed.value };
}
