/**
 * How far a request had got: `connecting` there was no connection yet, or not even an address; `securing` the two ends
 * were still agreeing on TLS; `underWay` it may have left. In the first two it is certain that nothing of it did.
 */
export type Stage = 'connecting' | 'securing' | 'underWay';

/** Why a request got no whole answer, as far as the error of the network tells. */
export interface TransportFailure {
	/** Its code, such as ECONNREFUSED or, for an answer that broke off, the status; '' when none is known. */
	code: string;
	stage: Stage;
}

/** What Node calls while it looks a host up and connects to it. What fails in one of these has sent nothing. */
const BEFORE_THE_REQUEST: ReadonlySet<string> = new Set(['getaddrinfo', 'connect']);

/** Codes of addresses and headers that no request can be made with. */
const NO_REQUEST: ReadonlySet<string> = new Set(['ERR_INVALID_URL', 'ERR_INVALID_CHAR']);

/**
 * Why a certificate is not trusted. This end finds that out itself, before the request goes out. The list is complete
 * on purpose: a service may also ask for a certificate after it has taken the request, with a code that looks alike.
 * Source: "X509 certificate error codes" of Node's TLS documentation.
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

/** The members of errors that are looked at; n8n, axios and Node each add some. */
interface ErrorLink {
	name?: unknown;
	message?: unknown;
	code?: unknown;
	httpCode?: unknown;
	syscall?: unknown;
	cause?: unknown;
	/** Of an AggregateError: a failure for each address of the host. */
	errors?: unknown;
	/** Of n8n's error: what the errors that it wraps say. */
	messages?: unknown;
	/** Node's request, on the error of axios. */
	request?: { socket?: Socket | null } | null;
}

interface Socket {
	encrypted?: unknown;
	secureConnecting?: unknown;
	/** How many bytes have been handed to the network; what waits for a connection does not count. */
	_bytesDispatched?: unknown;
}

/** With what Node's error begins when looking the host up, or connecting to it, failed: what was called, and the code. */
const CONNECTING = /^(?:getaddrinfo|connect) E[A-Z_]+\b/;

/** What Node says when the connection is closed while TLS is being agreed on. */
const CLOSED_BEFORE_TLS = 'Client network socket disconnected before secure TLS connection was established';

/** How many causes are followed: n8n's error, axios' and Node's, and room. */
const MOST_LINKS = 6;

/**
 * Reads the error that a request ended with.
 *
 * @param error n8n's error, whose causes are those of axios and of Node
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
 * How far a request had got, by the words of Node's error: an older n8n drops the error itself. Where they prove
 * nothing, the request may have left.
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

/** n8n refuses some addresses, before it makes a request: inner ones, and those that a credential is not for. */
function isForbiddenAddress({ name, message }: ErrorLink): boolean {
	return (
		(typeof name === 'string' && name.startsWith('SsrfBlocked')) ||
		(typeof message === 'string' && message.startsWith('Domain not allowed:'))
	);
}

/** Whether looking the host up, or connecting to each of its addresses, failed. */
function failedToConnect({ syscall, errors }: ErrorLink): boolean {
	if (typeof syscall === 'string') return BEFORE_THE_REQUEST.has(syscall);
	return (
		Array.isArray(errors) &&
		errors.length > 0 &&
		errors.every((each: ErrorLink | null) => each?.syscall === 'connect')
	);
}

/**
 * Whether it failed or was given up before there was a connection that took anything: the time for it was up, or a proxy
 * hung up instead of connecting. Without a socket, Node has had nothing to write the request to.
 */
function handedNothingOver({ request }: ErrorLink): boolean {
	return request?.socket === null || request?.socket?._bytesDispatched === 0;
}

/** Whether TLS was still being agreed on: what is to be sent waits for the end of that. */
function failedToSecure({ request }: ErrorLink): boolean {
	const socket = request?.socket;
	return socket?.encrypted === true && socket.secureConnecting === true;
}
