import { hash } from 'node:crypto';

import {
	type IAllExecuteFunctions,
	type ICredentialDataDecryptedObject,
	type IHttpRequestOptions,
	sleep,
} from 'n8n-workflow';

import { CREDENTIAL_TYPE, headerProblem, keyOf, secretsOf } from '../../../credentials/api-key';
import { answerIn } from './answer';
import type { ApiCall } from './api-call';
import { credentialOf } from './read-credential';
import { type Failure, failureBy, isFailure, unsent } from './endings';
import { failureOfSize, failureOfTransport, mostMegabytes } from './failure';
import { isJson } from './proof';
import { inTime, NoTunnel, receive, type Received, TimeUp, TooLarge } from './receive';
import { isRefusal, isSuccess, MEDIA_TYPE, parseBody, type Reply } from './reply';
import { textAt, wireJson } from '../shared/json';
import { Recent } from '../shared/recent';
import { bodyMask, DEEPEST, type Mask, maskInErrors, maskInResults, maskOf } from './secrets';
import { mapInTurns } from '../shared/turns';
import {
	type FullResponse,
	readTransportError,
	STATUSES_TO_RETURN,
	type TransportFailure,
} from './transport';

/** Settings of one request. */
export interface RequestSettings {
	/** How long to wait for the complete answer, in milliseconds. */
	timeoutMs: number;
	/** Whether the answer to a successful call is left unmasked. */
	showToken?: boolean;
	/** What the user can do about a service that is always slow, if anything. */
	ifSlow?: string;
}

/** The service for a credential, with its address and key. */
export interface Service {
	/** The same for the same address and key. A hash, so that the key itself is not kept. */
	readonly id: string;
	/** Sends one call, once. Secrets are masked in the answer. Never throws: errors are returned as a Failure. */
	request(call: ApiCall, settings: RequestSettings): Promise<Reply | Failure>;
}

/** The service with what else is known of its credential. */
export interface Connection extends Service {
	/** A body with its secrets masked, as in answers; throws a RangeError if it is nested too deeply. */
	mask<T>(body: T): T;
}

/** Makes one request with the key in its header, until the signal fires. Throws the errors of n8n unchanged. */
export type Send = (options: IHttpRequestOptions, signal: AbortSignal) => Promise<FullResponse>;

/**
 * Reads the credential once, for an execution or the editor. Returns its service, or a Failure if it is unusable.
 *
 * @param items how many items a run has; none outside of an execution
 */
export async function connect(context: IAllExecuteFunctions, items?: number): Promise<Connection | Failure> {
	const credentials = await credentialOf(context, items);
	if (isFailure(credentials)) return credentials;
	// Passed with each request, so that n8n does not read it from the database every time.
	const decrypted = {
		credentialsDecrypted: { id: '', name: CREDENTIAL_TYPE, type: CREDENTIAL_TYPE, data: credentials },
	};
	const send: Send = async (options, signal) =>
		(await context.helpers.httpRequestWithAuthentication.call(
			withSignal(context, signal),
			CREDENTIAL_TYPE,
			{ ...options, abortSignal: signal },
			decrypted,
		)) as FullResponse;
	return serviceOf(credentials, send, cancelSignalOf(context));
}

/** A context whose requests this signal stops: n8n prefers the signal of its context to the one in the options. */
export function withSignal(context: IAllExecuteFunctions, signal: AbortSignal): IAllExecuteFunctions {
	return Object.create(context, {
		getExecutionCancelSignal: { value: () => signal },
	}) as IAllExecuteFunctions;
}

/** The signal that fires when the execution is cancelled. The editor has none. */
export function cancelSignalOf(context: IAllExecuteFunctions): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
}

/** The service for a credential, or a Failure if the credential is unusable. `cancelled` stops its requests. */
export function serviceOf(
	credentials: ICredentialDataDecryptedObject,
	send: Send,
	cancelled?: AbortSignal,
): Connection | Failure {
	const apiKey = keyOf(credentials);
	const entered = textAt(credentials, 'baseUrl');
	const baseUrl = normalizeBaseUrl(entered);
	const bare = entered.replace(/[?#].*$/s, '').replace(/\/\/[^/]*@/, '//');
	if (baseUrl === undefined && normalizeBaseUrl(bare) !== undefined) {
		return unsent(
			"The Base URL can't have a login before the @, nor a query behind ? or #",
			'Enter the address without it in the credential. If a gateway in front of the service asks for it, turn on Add Custom Header there, and enter it as the header that the gateway asks for, such as Authorization or Ocp-Apim-Subscription-Key.',
		);
	}
	if (baseUrl === undefined) {
		return unsent(
			'The Base URL is not an http or https address',
			'Enter an address such as https://messaging.example.com in the credential.',
		);
	}
	if (apiKey === '') {
		return unsent('The API Key is empty', 'Enter the key in the credential.');
	}
	if (!/^[!-~]+$/.test(apiKey)) {
		return unsent(
			'The API Key contains a character that API keys do not have',
			'Copy the whole key from the service into the credential. A shortened key with "…" does not work.',
		);
	}
	const problem = headerProblem(credentials);
	if (problem !== undefined) return unsent(...problem);
	const maskKey = maskOf(...secretsOf(credentials));

	return {
		// Without the custom header: the plan and what it allows belong to the key, also behind another gateway.
		id: hash('sha256', `${baseUrl}\n${apiKey}`, 'base64'),
		mask: bodyMask((text) => maskInResults(maskKey(text))),
		async request(call, settings) {
			let options: IHttpRequestOptions;
			try {
				options = requestOptions(baseUrl, call, settings.timeoutMs);
			} catch {
				return failureBy('invalid', {
					message: 'The request could not be written as JSON',
					description: 'Check the fields that hold JSON.',
				});
			}
			const mostBytes = mostMegabytes(call) * 2 ** 20;
			let response: Received;
			try {
				// The limit covers only the response's arrival: reading a long list may take longer.
				response = await inTime(
					settings.timeoutMs,
					async (signal) => await receive(send(options, signal), SECURED.test(baseUrl), mostBytes, signal),
					cancelled,
				);
			} catch (error) {
				if (error instanceof TooLarge) return failureOfSize(call);
				return failureOfTransport({ ...(await transportFailure(error)), baseUrl }, settings.ifSlow);
			}
			return await toReply(response, maskKey, settings.showToken);
		},
	};
}

const SECURED = /^https:/i;

/** Why a request has no complete answer, and how far it had got. */
async function transportFailure(error: unknown): Promise<TransportFailure> {
	if (error instanceof NoTunnel) return { code: '', stage: 'connecting', tunnel: error.status };
	if (!(error instanceof TimeUp)) return readTransportError(error);
	// The error of an aborted request is there at once, or is not waited for.
	const ended = await Promise.race([error.work, sleep(0)]).catch((reason: unknown) => reason);
	return { code: 'ECONNABORTED', stage: readTransportError(ended).stage };
}

/** The services that have answered with JSON in this process, by ID. */
const proven = new Recent(1000, () => true);

/** Whether this service has answered with JSON in this process: its address is right. */
export function isProven({ id }: Service): boolean {
	return proven.peek(id) !== undefined;
}

/** Sends a call, and returns its answer or why there is none: see `answer.ts`. Never throws. */
export async function ask(
	service: Service,
	call: ApiCall,
	settings: RequestSettings,
): Promise<Reply | Failure> {
	try {
		const reply = await service.request(call, settings);
		if (isFailure(reply)) return reply;
		if (isJson(reply)) proven.use(service.id);
		return answerIn(reply, call, isProven(service));
	} catch {
		// Other items may be waiting for this call to end, so it must not throw.
		return failureOfTransport({ code: '', stage: 'underWay' });
	}
}

/**
 * The http(s) address in a Base URL, without surrounding spaces and without a trailing slash, `/api/v1` or `/api/v1/Me`.
 * `undefined` if it is not an address, or has a login, a query or a fragment: they are secrets that answers may repeat.
 */
export function normalizeBaseUrl(baseUrl: string): string | undefined {
	const [, scheme = '', rest = ''] = /^(https?:\/\/)([^\s?#]{1,2000})$/i.exec(baseUrl.trim()) ?? [];
	const address = scheme + rest.replace(/(?<!\/)(?:\/+api\/v1(?:\/+Me)?)?\/*$/i, '');
	if (!URL.canParse(address)) return undefined;
	const { username, password } = new URL(address);
	return username === '' && password === '' ? address : undefined;
}

function requestOptions(baseUrl: string, call: ApiCall, timeoutMs: number): IHttpRequestOptions {
	const query = new URLSearchParams();
	for (const [name, value] of call.query ?? []) query.append(name, value);
	// A new object for every request, because n8n writes the key into its headers.
	return {
		method: call.method,
		url: `${baseUrl}${call.path}${query.size === 0 ? '' : `?${query.toString()}`}`,
		headers: { Accept: MEDIA_TYPE, ...(call.body !== undefined && { 'Content-Type': MEDIA_TYPE }) },
		// As text, because n8n leaves out an empty object.
		...(call.body !== undefined && { body: wireJson(call.body) }),
		// Later than the deadline: an older n8n that times out by itself leaves the connection open.
		timeout: timeoutMs + 1000,
		// The only one whose size can be limited.
		encoding: 'stream',
		returnFullResponse: true,
		// This node handles every status itself. n8n would repeat a request after a 401: httpRequestWithAuthentication in
		// https://github.com/n8n-io/n8n/blob/master/packages/core/src/execution-engine/node-execution-context/utils/request-helper-functions.ts
		ignoreHttpStatusErrors: SECURED.test(baseUrl) ? STATUSES_TO_RETURN : true,
		// n8n would send the key to the redirect's target.
		disableFollowRedirect: true,
	};
}

/** How many characters of a refusal are looked at. Longer JSON is not whole then, and counts as a text. */
const MOST_OF_A_REFUSAL = 64 * 1024;

/**
 * Reads a response and masks its secrets; see `bodyMask`. A long list is masked record by record.
 *
 * @param showToken whether only a refusal is masked
 */
async function toReply(
	{ status, headers: sent, text: written }: Received,
	maskKey: Mask,
	showToken = false,
): Promise<Reply> {
	const headers = { ...sent };
	// A success is read as a whole, since it is the result. Of anything else, only the words are shown.
	const wanted = isSuccess({ status }) ? written : written.slice(0, MOST_OF_A_REFUSAL);
	const { length: size } = wanted;
	const parsed = parseBody(wanted, headers['content-type']);
	const isError = isRefusal({ status, headers, body: parsed });
	const isShown = showToken && !isError;
	const maskOthers = isError ? maskInErrors : maskInResults;
	const text: Mask = (unmasked) => (isShown ? unmasked : maskOthers(maskKey(unmasked)));
	for (const [name, value] of Object.entries(sent)) headers[name] = text(value);
	const masked = bodyMask(text, !isShown);
	try {
		const body = Array.isArray(parsed) ? await mapInTurns(parsed, masked) : masked(parsed);
		return { status, headers, body, size };
	} catch {
		// That does not change what the status says.
		return { status, headers, body: `(nested more than ${DEEPEST} levels deep)`, size };
	}
}
