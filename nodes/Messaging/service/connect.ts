import { createHash } from 'node:crypto';

import type { IAllExecuteFunctions, ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { CREDENTIAL_TYPE } from '../../../credentials/credential-type';
import type { ApiCall } from './api-call';
import { type Failure, failureOfReply, failureOfTransport, unsent } from './failure';
import { redact } from './redact';
import { parseBody, type Reply } from './reply';

/** The functions of n8n that a request needs; execution and editor contexts both have them. */
export type RequestContext = IAllExecuteFunctions;

/** How one request is made. */
export interface RequestSettings {
	/** How long to wait for the answer, in milliseconds. */
	timeoutMs: number;
	/** Whether the token of an API key may stand in the answer. */
	showToken?: boolean;
}

/** The service at the address and with the key of the credential. */
export interface Service {
	/** The same for the same address and key; a hash, so that the key is not kept. */
	readonly id: string;
	/** Sends one call, once. Never throws: what goes wrong is a Failure. */
	request(call: ApiCall, settings: RequestSettings): Promise<Reply | Failure>;
}

/** Whether something failed. */
export function isFailure(result: object): result is Failure {
	return 'outcome' in result;
}

/** The media type of the interface, version included. */
const MEDIA_TYPE = 'application/json; v=1.0';

interface FullResponse {
	statusCode: number;
	headers: Record<string, unknown>;
	body: unknown;
}

/**
 * Looks the credential up, once, and gives the service that it leads to; a Failure when the credential is missing
 * or unusable.
 */
export async function connect(context: RequestContext): Promise<Service | Failure> {
	let credentials: ICredentialDataDecryptedObject;
	try {
		credentials = await context.getCredentials(CREDENTIAL_TYPE);
	} catch (error) {
		return unsent(
			'The credential could not be read',
			`Select a Unified Messaging API credential in the node and save it once more. (${messageOf(error)})`,
		);
	}
	const apiKey = textOf(credentials.apiKey).trim();
	const baseUrl = normalizeBaseUrl(textOf(credentials.baseUrl));
	if (baseUrl === undefined) {
		return unsent(
			'The Base URL in the credential is not an http or https address',
			'Open the credential and enter an address such as https://messaging.example.com.',
		);
	}
	if (apiKey === '') {
		return unsent('The API Key in the credential is empty', 'Open the credential and enter the key.');
	}
	// Handed along, the credential is not read from the database again for every request.
	const decrypted = {
		credentialsDecrypted: { id: '', name: CREDENTIAL_TYPE, type: CREDENTIAL_TYPE, data: credentials },
	};

	return {
		id: createHash('sha256').update(`${baseUrl}\n${apiKey}`).digest('base64'),
		async request(call, settings) {
			try {
				const response = (await context.helpers.httpRequestWithAuthentication.call(
					context,
					CREDENTIAL_TYPE,
					requestOptions(baseUrl, call, settings.timeoutMs),
					decrypted,
				)) as FullResponse;
				return toReply(response, settings.showToken === true ? '' : apiKey);
			} catch (error) {
				const { code, detail } = transportError(error);
				return failureOfTransport(code, redact(detail, apiKey), call);
			}
		},
	};
}

/** Sends a call and turns a status outside 2xx into the Failure that it means. */
export async function ask(
	service: Service,
	call: ApiCall,
	settings: RequestSettings,
): Promise<Reply | Failure> {
	const result = await service.request(call, settings);
	if (isFailure(result) || (result.status >= 200 && result.status < 300)) return result;
	return failureOfReply(result, call);
}

/** An http(s) address without spaces around it, query, fragment or slashes at its end; `undefined` if it is none. */
export function normalizeBaseUrl(baseUrl: string): string | undefined {
	const match = /^\s*(https?:\/\/[^\s?#]+?)\/*\s*$/i.exec(baseUrl);
	return match?.[1] !== undefined && URL.canParse(match[1]) ? match[1] : undefined;
}

function requestOptions(baseUrl: string, call: ApiCall, timeoutMs: number): IHttpRequestOptions {
	const query = new URLSearchParams(
		(call.query ?? []).map(([name, value]): [string, string] => [name, value]),
	).toString();
	// Made afresh for every request: n8n writes the key into the headers.
	const options: IHttpRequestOptions = {
		method: call.method,
		url: `${baseUrl}${call.path}${query === '' ? '' : `?${query}`}`,
		headers: { Accept: MEDIA_TYPE },
		timeout: timeoutMs,
		encoding: 'text',
		returnFullResponse: true,
		// Every status is read here, once: n8n sends a request again when a 401 is thrown.
		ignoreHttpStatusErrors: true,
		// The key goes along on a redirect, to any origin.
		disableFollowRedirect: true,
	};
	if (call.body !== undefined) {
		options.headers = { ...options.headers, 'Content-Type': MEDIA_TYPE };
		// As text, because n8n drops an empty object.
		options.body = JSON.stringify(call.body);
	}
	return options;
}

function toReply(response: FullResponse, secret: string): Reply {
	const headers = Object.fromEntries(
		Object.entries(response.headers).map(([name, value]) => [
			name.toLowerCase(),
			redact(Array.isArray(value) ? value.join(', ') : String(value), secret),
		]),
	);
	const content = response.body ?? '';
	const text = typeof content === 'string' ? content : JSON.stringify(content);
	return {
		status: response.statusCode,
		headers,
		body: parseBody(redact(text, secret), headers['content-type']),
	};
}

/** Code and words of a request that got no whole answer; n8n wraps the network's own error. */
function transportError(error: unknown): { code: string; detail: string } {
	const chain = [error, (error as { cause?: unknown } | null)?.cause];
	const codes = chain.flatMap((link) => {
		const { httpCode, code } = (link ?? {}) as { httpCode?: unknown; code?: unknown };
		return [httpCode, code];
	});
	const found = codes.find((code): code is string => typeof code === 'string' && code !== '');
	const blocked = chain.some((link) => /^SsrfBlocked/.test((link as Error | undefined)?.name ?? ''));
	return { code: blocked ? 'BLOCKED' : (found ?? ''), detail: messageOf(error) };
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

function textOf(value: unknown): string {
	return typeof value === 'string' ? value : '';
}
