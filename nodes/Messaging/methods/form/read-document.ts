import type { IHttpRequestOptions, ILoadOptionsFunctions } from 'n8n-workflow';

import { CREDENTIAL_TYPE, secretsOf } from '../../../../credentials/api-key';
import { normalizeBaseUrl } from '../../service/connect';
import { inTime } from '../../service/deadline';
import { receive, type Received, TooLarge } from '../../service/receive';
import { bodyMask, maskOf } from '../../service/secrets';
import type { FullResponse } from '../../service/transport';
import { textAt } from '../../shared/json';

/** The largest document that is read, in bytes. */
const MOST_BYTES = 256 * 1024;
/** How long reading may take in all, in milliseconds. */
const DOCUMENT_TIMEOUT_MS = 10_000;

/** Why there is no form, and what to do instead. */
export class NoForm extends Error {
	constructor(why: string) {
		super(`${why} To enter the parameters without a form, set Parameters Mode to JSON.`);
	}
}

/** @param problem why the schema can't be used: a clause such as "it is larger than 256 KB" */
export function unusableSchema(problem: string): NoForm {
	return new NoForm(`The schema of the channel type can't be used: ${problem}.`);
}

/**
 * Reads a JSON document from an address that the service named.
 *
 * The request has the API key only if the address is on the service's own origin. Redirects are not followed, and size
 * and time are limited. If the document contains the key, it is masked, because the editor saves what is made from it.
 *
 * @param address absolute, or relative to the Base URL of the credential
 * @throws NoForm with the reason why there is no document
 */
export async function readDocument(context: ILoadOptionsFunctions, address: string): Promise<unknown> {
	const credentials = await context.getCredentials(CREDENTIAL_TYPE);
	const base = `${normalizeBaseUrl(textAt(credentials, 'baseUrl')) ?? ''}/`;
	const url = URL.canParse(address, base) ? new URL(address, base) : undefined;
	if (url === undefined || !/^https?:$/.test(url.protocol)) {
		throw unusableSchema('its address is not an http or https address');
	}
	let document: Received;
	try {
		document = await inTime(DOCUMENT_TIMEOUT_MS, async (abortSignal) => {
			const request: IHttpRequestOptions = {
				method: 'GET',
				url: url.href,
				headers: { Accept: 'application/schema+json, application/json' },
				encoding: 'stream',
				returnFullResponse: true,
				ignoreHttpStatusErrors: true,
				disableFollowRedirect: true,
				// Later than the deadline, which closes the connection in every n8n version.
				timeout: DOCUMENT_TIMEOUT_MS + 1000,
				abortSignal,
			};
			const { helpers } = context;
			const sending: Promise<FullResponse> =
				url.origin === new URL(base).origin
					? helpers.httpRequestWithAuthentication.call(context, CREDENTIAL_TYPE, request)
					: helpers.httpRequest(request);
			return await receive(sending, false, MOST_BYTES);
		});
	} catch (error) {
		const isLarge = error instanceof TooLarge;
		throw unusableSchema(isLarge ? 'it is larger than 256 KB' : 'it could not be loaded within 10 seconds');
	}
	const { status, text } = document;
	if (status !== 200) throw unusableSchema(`its address answers with status ${status}`);
	try {
		return bodyMask(maskOf(...secretsOf(credentials)), false)(JSON.parse(text));
	} catch {
		throw unusableSchema('it is not JSON, or is nested too deeply');
	}
}
