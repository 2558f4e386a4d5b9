import { type INode, type JsonObject, NodeApiError } from 'n8n-workflow';

/**
 * How far a request had got. `connecting`: there was no connection yet. `securing`: TLS was still being negotiated.
 * `underWay`: it may have been sent. In the first two, nothing of it was sent for certain.
 */
export type Stage = 'connecting' | 'securing' | 'underWay';

/** Why a request got no complete answer, as far as the network error shows. */
export interface TransportFailure {
	/** Its code, such as ECONNREFUSED, or the status of an answer that broke off; '' if none is known. */
	code: string;
	stage: Stage;
	/** What TLS says about it, such as "handshake failure". */
	tls?: string;
	/** The status of a proxy that opened no tunnel to the service. */
	tunnel?: number;
	/** The Base URL of the service. */
	baseUrl?: string;
}

/** A response as n8n returns it. */
export interface FullResponse {
	statusCode: number;
	headers: Record<string, unknown>;
	/** A stream of Node.js if n8n was asked for one. */
	body: unknown;
	/** Node's request, where n8n shows it. */
	request?: ErrorLink['request'] | undefined;
}

/**
 * Codes for an untrusted certificate, which Node detects before it sends the request: OpenSSL's X509_V_ERR_* and Node's
 * own. A service that asks for a client certificate refuses it after the request, with codes that begin with ERR_SSL.
 */
export const UNTRUSTED_CERTIFICATE =
	/^(?:(?:UNABLE_TO|CERT|CRL|ERROR_IN|DEPTH_ZERO|SELF_SIGNED|PATH_LENGTH|HOSTNAME)_[A-Z_]+|INVALID_(?:CA|PURPOSE)|ERR_TLS_CERT_ALTNAME_INVALID)$/;

/**
 * The members of errors that are used here; n8n, axios and Node each add some. `errors`: one for each address of the
 * host. `messages`: in n8n's error, those of the errors that it wraps. `request`: Node's, on the error of axios.
 */
type ErrorLink = Partial<
	Record<'name' | 'message' | 'code' | 'httpCode' | 'syscall' | 'cause' | 'errors' | 'messages', unknown>
> & {
	request?: { socket?: Socket | null } | null;
	response?: Pick<FullResponse, 'headers' | 'request'> & { status: number; data: unknown };
};

/** `_bytesDispatched`: what was handed to the network, without what still waits for a connection. */
export type Socket = Partial<Record<'encrypted' | 'secureConnecting' | '_bytesDispatched', unknown>>;

/** How Node's message begins if the host was not found or not reached. */
const CONNECTING = /^(?:getaddrinfo|connect) E[A-Z_]+\b/;

/** Node's message if the connection is closed during the TLS handshake. */
const CLOSED_BEFORE_TLS = 'Client network socket disconnected before secure TLS connection was established';

/** How many causes are followed. Three are usual. */
const MOST_LINKS = 6;

/**
 * The statuses with which proxies refuse to open a tunnel (CONNECT). n8n returns their answer as if it were the
 * service's. If it throws it instead, its error shows the connection. It must not throw a 401, which it would repeat.
 */
const PROXY_REFUSALS = [302, 307, 403, 405, 407, 500, 501, 502, 503, 504, 511];

/** Older n8n drops the errors behind its own, and with them the answer. */
const keepsAnswers = new NodeApiError({} as INode, new Error() as unknown as JsonObject).cause !== undefined;

/** Which answers to a request over https n8n returns. `responseIn` finds those that it throws instead. */
export const STATUSES_TO_RETURN = keepsAnswers ? { ignore: true as const, except: PROXY_REFUSALS } : true;

/** The answer that n8n threw. Without one, throws the error again. */
export function responseIn(error: unknown): FullResponse {
	for (const { response } of causesOf(error)) {
		// An answer that broke off has no body here.
		if (typeof response?.data === 'object' && response.data !== null) {
			const { status: statusCode, headers, data: body, request } = response;
			return { statusCode, headers, body, request };
		}
	}
	throw error;
}

/** Reads the error of a failed request: n8n's, with those of axios and Node as its causes. */
export function readTransportError(error: unknown): TransportFailure {
	const chain = causesOf(error);
	const words = chain.flatMap(({ message, messages }) => [message, messages]).join(' ');
	const tls = TLS_REASON.exec(words)?.[1];
	return { ...stageAndCode(chain), ...(tls !== undefined && { tls }) };
}

/** What OpenSSL says in the message of an error, without the word that it begins with ("sslv3 alert"). */
const TLS_REASON = /:SSL routines:[^:]*:(?:[^: ]+ alert )?([^:]+)/;

function stageAndCode(chain: readonly ErrorLink[]): TransportFailure {
	if (chain.some(isForbiddenAddress)) return { code: 'BLOCKED', stage: 'connecting' };
	const code =
		chain
			.flatMap(({ httpCode, code: plainCode }) => [httpCode, plainCode])
			.find((found): found is string => typeof found === 'string' && found !== '') ?? '';
	if (chain.some(failedToConnect) || chain.some(handedNothingOver)) return { code, stage: 'connecting' };
	if (UNTRUSTED_CERTIFICATE.test(code) || chain.some(failedToSecure)) return { code, stage: 'securing' };
	return { code, stage: chain.length === 1 ? stageInWords(chain[0]) : 'underWay' };
}

/** How far a request had got, according to the message of Node's error: an older n8n drops the error itself. */
function stageInWords(alone: ErrorLink | undefined): Stage {
	const words = Array.isArray(alone?.messages) ? String(alone.messages[0]) : '';
	return CONNECTING.test(words) ? 'connecting' : 'underWay';
}

function causesOf(error: unknown): ErrorLink[] {
	const chain: ErrorLink[] = [];
	let link = error;
	while (typeof link === 'object' && link !== null && chain.length < MOST_LINKS) {
		chain.push(link);
		link = (link as ErrorLink).cause;
	}
	return chain;
}

/** Whether n8n refused the address: an internal one, or one that the credential is not allowed for. */
function isForbiddenAddress({ name, message }: ErrorLink): boolean {
	return (
		(typeof name === 'string' && name.startsWith('SsrfBlocked')) ||
		(typeof message === 'string' && message.startsWith('Domain not allowed:'))
	);
}

/** Whether the host was not found, or none of its addresses accepted a connection. */
function failedToConnect({ syscall, errors }: ErrorLink): boolean {
	const calls = Array.isArray(errors) ? errors.map((each: ErrorLink | null) => each?.syscall) : [syscall];
	return calls.length > 0 && calls.every((call) => call === 'getaddrinfo' || call === 'connect');
}

/** Whether the request ended before any byte was sent: it timed out while connecting, or a proxy hung up. */
function handedNothingOver({ request }: ErrorLink): boolean {
	return request?.socket === null || request?.socket?._bytesDispatched === 0;
}

/** Whether the TLS handshake had not finished. The request is sent only after it. */
function failedToSecure({ message, messages, request }: ErrorLink): boolean {
	if ([message, messages].flat().includes(CLOSED_BEFORE_TLS)) return true;
	const socket = request?.socket;
	return socket?.encrypted === true && socket.secureConnecting === true;
}
