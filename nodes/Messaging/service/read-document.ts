import type { IAllExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';

import { CREDENTIAL_TYPE, secretsOf } from '../../../credentials/api-key';
import { textAt } from '../shared/json';
import { cancelSignalOf, normalizeBaseUrl, withSignal } from './connect';
import { inTime, receive, type Received, TooLarge } from './receive';
import { bodyMask, maskOf } from './secrets';
import type { FullResponse } from './transport';

/** The largest document that is read, in bytes. */
const MOST_BYTES = 256 * 1024;
/** How long reading may take in all, in milliseconds. */
const DOCUMENT_TIMEOUT_MS = 10_000;

/** A document can't be used. The message says why: a clause such as "it is larger than 256 KB". */
export class Unusable extends Error {}

/** n8n's lint takes what is thrown in a catch block for an error that n8n shows; this one is read by the form. */
const unusable = (problem: string): Unusable => new Unusable(problem);

/**
 * Reads a JSON document from an address that the service named: the schema of a channel type.
 *
 * The request has the API key only if the address is on the service's own origin. Redirects are not followed, and size
 * and time are limited. If the document contains the key, it is masked, because the editor saves what is made from it.
 *
 * @param address absolute, or relative to the Base URL of the credential
 * @throws Unusable with the reason why there is no document
 */
export async function readDocument(context: IAllExecuteFunctions, address: string): Promise<unknown> {
	const credentials = await context.getCredentials(CREDENTIAL_TYPE, 0);
	const base = `${normalizeBaseUrl(textAt(credentials, 'baseUrl')) ?? ''}/`;
	const url = URL.canParse(address, base) ? new URL(address, base) : undefined;
	if (url === undefined || !/^https?:$/.test(url.protocol)) {
		throw unusable('its address is not an http or https address');
	}
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
	};
	let document: Received;
	try {
		document = await inTime(
			DOCUMENT_TIMEOUT_MS,
			async (abortSignal) => {
				const { helpers } = context;
				const options = { ...request, abortSignal };
				const isOwn = url.origin === new URL(base).origin;
				const sending: Promise<FullResponse> = isOwn
					? helpers.httpRequestWithAuthentication.call(
							withSignal(context, abortSignal),
							CREDENTIAL_TYPE,
							options,
						)
					: helpers.httpRequest(options);
				return await receive(sending, false, MOST_BYTES, abortSignal);
			},
			cancelSignalOf(context),
		);
	} catch (error) {
		const isLarge = error instanceof TooLarge;
		throw unusable(isLarge ? 'it is larger than 256 KB' : 'it could not be loaded within 10 seconds');
	}
	const { status, text } = document;
	if (status !== 200) throw unusable(`its address answers with status ${status}`);
	try {
		return bodyMask(maskOf(...secretsOf(credentials)), false)(JSON.parse(text));
	} catch {
		throw unusable('it is not JSON, or is nested too deeply');
	}
}
