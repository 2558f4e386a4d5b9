/**
 * How far a request had got. `connecting`: there was no connection yet. `securing`: TLS was still being negotiated.
 * `underWay`: it may have been sent. In the first two, nothing of it was sent for certain.
 */
export type Stage = 'connecting' | 'securing' | 'underWay';

/** Why a request got no complete answer, as far as the network error shows. */
export interface TransportFailure {
	/** Its code, such as ECONNREFUSED, or the status of an answer that broke off; '' when none is known. */
	code: string;
	stage: Stage;
}

/** The system calls with which Node finds a host and connects to it. If one of them fails, nothing was sent. */
const BEFORE_THE_REQUEST: ReadonlySet<string> = new Set(['getaddrinfo', 'connect']);

/** Codes for addresses and headers that do not allow a request. */
const NO_REQUEST: ReadonlySet<string> = new Set(['ERR_INVALID_URL', 'ERR_INVALID_CHAR']);

/**
 * Codes for an untrusted certificate, which Node detects before it sends the request. The full list is needed: the
 * codes with which a service asks for a client certificate, after it has received the request, look similar. Source:
 * "X509 certificate error codes" in Node's TLS documentation.
 */
const UNTRUSTED_CERTIFICATE: ReadonlySet<string> = new Set([
	'UNABLE_TO_GET_ISSUER_CERT',
	'UNABLE_TO_GET_CRL',
	'UNABLE_TO_DECRYPT_CERT_SIGNATURE',
	'UNABLE_TO_DECRYPT_CRL_SIGNATURE',
	'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY',
	'CERT_SIGNATURE_FAILURE',
	'CRL_SIGNATURE_FAILURE',
	'CERT_NOT_YET_VALID',
	'CERT_HAS_EXPIRED',
	'CRL_NOT_YET_VALID',
	'CRL_HAS_EXPIRED',
	'ERROR_IN_CERT_NOT_BEFORE_FIELD',
	'ERROR_IN_CERT_NOT_AFTER_FIELD',
	'ERROR_IN_CRL_LAST_UPDATE_FIELD',
	'ERROR_IN_CRL_NEXT_UPDATE_FIELD',
	'DEPTH_ZERO_SELF_SIGNED_CERT',
	'SELF_SIGNED_CERT_IN_CHAIN',
	'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
	'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
	'CERT_CHAIN_TOO_LONG',
	'CERT_REVOKED',
	'INVALID_CA',
	'PATH_LENGTH_EXCEEDED',
	'INVALID_PURPOSE',
	'CERT_UNTRUSTED',
	'CERT_REJECTED',
	'HOSTNAME_MISMATCH',
	'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** The members of errors that are used here; n8n, axios and Node each add some. */
interface ErrorLink {
	name?: unknown;
	message?: unknown;
	code?: unknown;
	httpCode?: unknown;
	syscall?: unknown;
	cause?: unknown;
	/** In an AggregateError: one failure per address of the host. */
	errors?: unknown;
	/** In n8n's error: the messages of the errors that it wraps. */
	messages?: unknown;
	/** Node's request, on the error of axios. */
	request?: { socket?: Socket | null } | null;
}

interface Socket {
	encrypted?: unknown;
	secureConnecting?: unknown;
	/** Bytes handed to the network, without those still waiting for a connection. */
	_bytesDispatched?: unknown;
}

/** How Node's error begins when the host was not found or not reached: the system call and the code. */
const CONNECTING = /^(?:getaddrinfo|connect) E[A-Z_]+\b/;

/** What Node says when the connection is closed during the TLS handshake. */
const CLOSED_BEFORE_TLS = 'Client network socket disconnected before secure TLS connection was established';

/** How many causes are followed. Three are usual: the errors of n8n, axios and Node. */
const MOST_LINKS = 6;

/**
 * Reads the error of a failed request.
 *
 * @param error n8n's error, with those of axios and Node as its causes
 */
export function readTransportError(error: unknown): TransportFailure {
	const chain = causesOf(error);
	if (chain.some(isForbiddenAddress)) return { code: 'BLOCKED', stage: 'connecting' };
	const code =
		chain
			.flatMap(({ httpCode, code: own }) => [httpCode, own])
			.find((found): found is string => typeof found === 'string' && found !== '') ?? '';
	if (NO_REQUEST.has(code) || chain.some(failedToConnect) || chain.some(handedNothingOver))
		return { code, stage: 'connecting' };
	if (UNTRUSTED_CERTIFICATE.has(code) || chain.some(failedToSecure)) return { code, stage: 'securing' };
	return { code, stage: chain.length === 1 ? stageInWords(chain[0]) : 'underWay' };
}

/**
 * How far a request had got, according to the message of Node's error, because an older n8n drops the error itself. If
 * the message proves nothing, the request may have been sent.
 */
function stageInWords(alone: ErrorLink | undefined): Stage {
	const words: unknown = Array.isArray(alone?.messages) ? alone.messages[0] : undefined;
	if (typeof words !== 'string') return 'underWay';
	if (words === CLOSED_BEFORE_TLS) return 'securing';
	return CONNECTING.test(words) ? 'connecting' : 'underWay';
}

function causesOf(error: unknown): ErrorLink[] {
	const chain: ErrorLink[] = [];
	for (let link = error; typeof link === 'object' && link !== null; link = (link as ErrorLink).cause) {
		chain.push(link);
		if (chain.length === MOST_LINKS) break;
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
	if (typeof syscall === 'string') return BEFORE_THE_REQUEST.has(syscall);
	return (
		Array.isArray(errors) &&
		errors.length > 0 &&
		errors.every((each: ErrorLink | null) => each?.syscall === 'connect')
	);
}

/**
 * Whether the request ended before any of its bytes were sent: it timed out while connecting, or a proxy hung up
 * instead of connecting. Without a socket, Node had nothing to write the request to.
 */
function handedNothingOver({ request }: ErrorLink): boolean {
	return request?.socket === null || request?.socket?._bytesDispatched === 0;
}

/** Whether the TLS handshake had not finished. The request is sent only after it. */
function failedToSecure({ request }: ErrorLink): boolean {
	const socket = request?.socket;
	return socket?.encrypted === true && socket.secureConnecting === true;
}
