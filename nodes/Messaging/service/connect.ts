import { createHash } from 'node:crypto';

import {
	type IAllExecuteFunctions,
	type ICredentialDataDecryptedObject,
	type IHttpRequestOptions,
	sleep,
} from 'n8n-workflow';

import { keyOf } from '../../../credentials/api-key';
import { CREDENTIAL_TYPE } from '../../../credentials/credential-type';
import { type ApiCall, readsOnly } from './api-call';
import { startDeadline, timeoutBehind } from './deadline';
import { type Failure, isFailure, unsent } from './endings';
import {
	failureOfForeignReply,
	failureOfReply,
	failureOfTransport,
	failureOfUnreadable,
	timeUp,
} from './failure';
import { isOffered, isWebPage, MEDIA_TYPE, parseBody, type Reply } from './reply';
import { said } from '../shared/text';
import { bodyMask, DEEPEST, type Mask, maskLabelled, maskOf, maskShapes } from './secrets';
import { Turns } from '../shared/turns';
import { readTransportError, type Stage } from './transport';

/** The functions of n8n that a request needs; execution and editor contexts both have them. */
export type RequestContext = IAllExecuteFunctions;

/** How one request is made. */
export interface RequestSettings {
	/** How long to wait until the whole answer is there, in milliseconds. */
	timeoutMs: number;
	/** Whether nothing is masked in the answer to a call that succeeds. */
	showToken?: boolean;
	/** What the user knows a field of the body by; its path on the wire unless given. */
	nameOf?: (path: string) => string;
	/** What the user can do about a service that always takes too long, where there is something. */
	ifSlow?: string;
}

/** The service at the address and with the key of the credential. */
export interface Service {
	/** The same for the same address and key; a hash, so that the key is not kept. */
	readonly id: string;
	/**
	 * Sends one call, once; the answer has its secrets masked. Never throws: what goes wrong is a Failure.
	 */
	request(call: ApiCall, settings: RequestSettings): Promise<Reply | Failure>;
}

/** An answer as n8n gives it. */
export interface FullResponse {
	statusCode: number;
	headers: Record<string, unknown>;
	body: unknown;
}

/**
 * Makes one request with the key in its header, and gives it up when the signal fires; throws what the network or n8n
 * throws.
 */
export type Send = (options: IHttpRequestOptions, signal: AbortSignal) => Promise<FullResponse>;

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
	// Handed along, the credential is not read from the database again for every request.
	const decrypted = {
		credentialsDecrypted: { id: '', name: CREDENTIAL_TYPE, type: CREDENTIAL_TYPE, data: credentials },
	};
	return serviceOf(
		credentials,
		async (options, signal) => {
			const inTime = stoppedBy(context, signal);
			return (await inTime.helpers.httpRequestWithAuthentication.call(
				inTime,
				CREDENTIAL_TYPE,
				{ ...options, abortSignal: signal },
				decrypted,
			)) as FullResponse;
		},
		cancelSignalOf(context),
	);
}

/**
 * The service that a credential leads to; a Failure when the credential is unusable.
 *
 * @param cancelled fires when the execution is cancelled
 */
export function serviceOf(
	credentials: ICredentialDataDecryptedObject,
	send: Send,
	cancelled?: AbortSignal,
): Service | Failure {
	const apiKey = keyOf(credentials);
	const baseUrl = normalizeBaseUrl(textOf(credentials.baseUrl));
	if (baseUrl === undefined) {
		return unsent(
			'The Base URL in the credential is not an http or https address',
			'Enter an address such as https://messaging.example.com in the credential.',
		);
	}
	if (apiKey === '') {
		return unsent('The API Key in the credential is empty', 'Enter the key in the credential.');
	}
	if (!/^[!-~]+$/.test(apiKey)) {
		return unsent(
			'The API Key in the credential has a character in it that no key has',
			'Copy the whole key and enter it in the credential. One that is shown shortened, with "…", is not the key.',
		);
	}
	const maskKey = maskOf(apiKey);

	return {
		id: createHash('sha256').update(`${baseUrl}\n${apiKey}`).digest('base64'),
		async request(call, settings) {
			let options: IHttpRequestOptions;
			try {
				options = requestOptions(baseUrl, call, settings.timeoutMs);
			} catch {
				return unsent('The request could not be written as JSON', 'Check the fields that hold JSON.');
			}
			const deadline = startDeadline(settings.timeoutMs, cancelled);
			const sending = send(options, deadline.signal);
			let response: FullResponse;
			try {
				response = await Promise.race([sending, deadline.passed]);
			} catch (error) {
				return deadline.isOver
					? timeUp(await stageOf(sending), call, settings.ifSlow)
					: failureOfTransport(readTransportError(error), call, settings.ifSlow);
			} finally {
				// To read a long list may take longer.
				deadline.end();
			}
			const succeeded = isSuccess(response.statusCode);
			if (succeeded && settings.showToken === true) return await toReply(response, asItIs, asItIs);
			const maskOthers = succeeded ? maskLabelled : maskShapes;
			return await toReply(response, (text) => maskOthers(maskKey(text)));
		},
	};
}

/** How far a request had got that has just been given up. Its error is there at once, or is not waited for. */
async function stageOf(sending: Promise<FullResponse>): Promise<Stage> {
	const error = sending.then(
		() => undefined,
		(reason: unknown) => reason,
	);
	return readTransportError(await Promise.race([error, sleep(0)])).stage;
}

/** Fires when the execution is cancelled; there is none in the editor. */
function cancelSignalOf(context: RequestContext): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
}

/** The context with another signal to stop at: n8n takes the execution's, whatever a request's options say. */
function stoppedBy(context: RequestContext, signal: AbortSignal): RequestContext {
	if (!('getExecutionCancelSignal' in context)) return context;
	return Object.create(context, {
		getExecutionCancelSignal: { value: () => signal },
	}) as RequestContext;
}

/**
 * Sends a call and turns a status outside 2xx, and a 2xx that no messaging service gives, into the Failure that it
 * means. Never throws.
 */
export async function ask(
	service: Service,
	call: ApiCall,
	settings: RequestSettings,
): Promise<Reply | Failure> {
	try {
		const result = await service.request(call, settings);
		if (isFailure(result)) return result;
		if (!isSuccess(result.status)) return failureOfReply(result, call, settings.nameOf);
		// Without a body there is nothing that a media type could be about.
		const isForeign =
			result.status !== 204 && (!isOffered(result.headers['content-type']) || isWebPage(result.body));
		if (isForeign) return failureOfForeignReply(result, call);
		// What was to be done is done; what was to be read is not.
		return result.isUnreadable === true && readsOnly(call) ? failureOfUnreadable(result) : result;
	} catch {
		// Whoever asks has let others wait for the end of this.
		return failureOfTransport({ code: '', stage: 'underWay' }, call);
	}
}

function headerText(value: unknown): string {
	return Array.isArray(value) ? value.join(', ') : String(value);
}

function isSuccess(status: number): boolean {
	return status >= 200 && status < 300;
}

/**
 * An http(s) address without spaces around it, query, fragment, or a closing slash or `/api/v1`; `undefined` if it is
 * none.
 */
export function normalizeBaseUrl(baseUrl: string): string | undefined {
	const address = baseUrl.trim();
	const scheme = /^https?:\/\//i.exec(address)?.[0];
	if (scheme === undefined || /[\s?#]/.test(address)) return undefined;
	const rest = withoutSlashes(withoutSlashes(address.slice(scheme.length)).replace(/\/api\/v1$/i, ''));
	return rest !== '' && URL.canParse(scheme + rest) ? scheme + rest : undefined;
}

function withoutSlashes(address: string): string {
	let end = address.length;
	while (address[end - 1] === '/') end -= 1;
	return address.slice(0, end);
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
		timeout: timeoutBehind(timeoutMs),
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

const asItIs: Mask = (text) => text;

/**
 * Reads an answer, with secrets masked. A long list is read record by record, and the event loop turns in between.
 *
 * @param text masks any text
 * @param token masks a text in a field that is named after API keys or tokens
 */
async function toReply(response: FullResponse, text: Mask, token?: Mask): Promise<Reply> {
	const turns = new Turns();
	const headers: Record<string, string> = {};
	for (const [name, value] of Object.entries(response.headers)) {
		headers[name.toLowerCase()] = text(headerText(value));
	}
	const status = response.statusCode;
	try {
		const content = response.body ?? '';
		const arrived = typeof content === 'string' ? content : JSON.stringify(content);
		const body = await parseBody(arrived, headers['content-type'], turns);
		const masked = bodyMask(text, token);
		if (!Array.isArray(body)) return { status, headers, body: masked(body) };
		for (const [index, record] of body.entries()) {
			body[index] = masked(record, DEEPEST - 1);
			if (turns.over) await turns.next();
		}
		return { status, headers, body };
	} catch {
		// Whatever a body is, it changes nothing about what the status says.
		return { status, headers, body: undefined, isUnreadable: true };
	}
}

function messageOf(error: unknown): string {
	return said(error instanceof Error ? error.message : String(error));
}

function textOf(value: unknown): string {
	return typeof value === 'string' ? value : '';
}
