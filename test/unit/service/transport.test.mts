import { readTransportError, type Stage } from '../../../nodes/Messaging/service/transport.ts';

/** An error as n8n throws it, wrapping axios' error, which wraps Node's. */
function wrapped(nodeError: object, axios: object = {}): Error {
	const cause = Object.assign(
		new Error('axios'),
		{ cause: Object.assign(new Error('node'), nodeError) },
		axios,
	);
	return Object.assign(new Error('n8n'), { cause });
}

const socket = (secureConnecting: boolean, encrypted = true) => ({
	request: { socket: { encrypted, secureConnecting } },
});

/** Axios' error for a request aborted after its socket had sent this many bytes. */
const gaveUp = (bytes: number | undefined) =>
	wrapped({ code: 'ERR_CANCELED' }, { request: { socket: { _bytesDispatched: bytes } } });

test.each<[what: string, error: unknown, code: string, stage: Stage]>([
	['looking up the host', wrapped({ code: 'ENOTFOUND', syscall: 'getaddrinfo' }), 'ENOTFOUND', 'connecting'],
	['connecting', wrapped({ code: 'ECONNREFUSED', syscall: 'connect' }), 'ECONNREFUSED', 'connecting'],
	['connecting, no answer', wrapped({ code: 'ETIMEDOUT', syscall: 'connect' }), 'ETIMEDOUT', 'connecting'],
	[
		'connecting to every address of the host',
		wrapped({ code: 'ECONNREFUSED', errors: [{ syscall: 'connect' }, { syscall: 'connect' }] }),
		'ECONNREFUSED',
		'connecting',
	],
	[
		'connecting to one address, reading from another',
		wrapped({ code: 'ECONNRESET', errors: [{ syscall: 'connect' }, { syscall: 'read' }] }),
		'ECONNRESET',
		'underWay',
	],
	['agreeing on TLS', wrapped({ code: 'EPROTO', syscall: 'write' }, socket(true)), 'EPROTO', 'securing'],
	['agreeing on TLS, hung up', wrapped({ code: 'ECONNRESET' }, socket(true)), 'ECONNRESET', 'securing'],
	['checking the certificate', wrapped({ code: 'CERT_HAS_EXPIRED' }), 'CERT_HAS_EXPIRED', 'securing'],
	['TLS, once it stood', wrapped({ code: 'EPROTO', syscall: 'write' }, socket(false)), 'EPROTO', 'underWay'],
	[
		'TLS, nobody knows when',
		wrapped({ code: 'ERR_SSL_BAD_RECORD_TYPE' }),
		'ERR_SSL_BAD_RECORD_TYPE',
		'underWay',
	],
	[
		'the service asking for a certificate of ours',
		wrapped({ code: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED' }, socket(false)),
		'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
		'underWay',
	],
	['given up before a connection', gaveUp(0), 'ERR_CANCELED', 'connecting'],
	['given up when something had been sent', gaveUp(90), 'ERR_CANCELED', 'underWay'],
	['given up, nobody knows when', gaveUp(undefined), 'ERR_CANCELED', 'underWay'],
	[
		'a proxy that hung up instead of connecting',
		wrapped({ code: 'ECONNRESET', syscall: 'read' }, { request: { socket: null } }),
		'ECONNRESET',
		'connecting',
	],
	['a socket without TLS', wrapped({ code: 'ECONNRESET' }, socket(true, false)), 'ECONNRESET', 'underWay'],
	['reading', wrapped({ code: 'EHOSTUNREACH', syscall: 'read' }), 'EHOSTUNREACH', 'underWay'],
	['a code without any proof', { httpCode: 'ECONNREFUSED' }, 'ECONNREFUSED', 'underWay'],
	['an answer that broke off', { httpCode: '200', cause: { code: 'ERR_BAD_RESPONSE' } }, '200', 'underWay'],
	['an empty code before another', { httpCode: '', code: 'EPIPE' }, 'EPIPE', 'underWay'],
	['an address that n8n forbids', { cause: { name: 'SsrfBlockedIpError' } }, 'BLOCKED', 'connecting'],
	['a host that a credential is not for', { message: 'Domain not allowed: ...' }, 'BLOCKED', 'connecting'],
	...[
		['connect ECONNREFUSED 127.0.0.1:9', 'ECONNREFUSED', 'connecting'],
		['getaddrinfo ENOTFOUND nowhere.invalid', 'ENOTFOUND', 'connecting'],
		[
			'Client network socket disconnected before secure TLS connection was established',
			'ECONNRESET',
			'securing',
		],
		['read ECONNRESET', 'ECONNRESET', 'underWay'],
		['socket hang up', 'ECONNRESET', 'underWay'],
		['write EPROTO 00:error:0A00010B:SSL routines:wrong version number', 'EPROTO', 'underWay'],
		['Error', 'ECONNREFUSED', 'underWay'],
		['could not connect ECONNREFUSED', 'ECONNREFUSED', 'underWay'],
		['connected', 'ECONNRESET', 'underWay'],
	].map(([words, code, stage]): [string, unknown, string, Stage] => [
		`an n8n that drops the cause, "${words}"`,
		{ name: 'NodeApiError', httpCode: code, messages: [words] },
		code as string,
		stage as Stage,
	]),
	[
		'words beside a cause that says otherwise',
		{ ...wrapped({ code: 'ECONNRESET', syscall: 'read' }), messages: ['connect ECONNREFUSED'] },
		'ECONNRESET',
		'underWay',
	],
	['nothing', undefined, '', 'underWay'],
])('%s', (_what, error, code, stage) => {
	expect(readTransportError(error)).toEqual({ code, stage });
});

test('causes that go round in a circle end', () => {
	const error: { cause?: unknown } = {};
	error.cause = error;
	expect(readTransportError(error)).toEqual({ code: '', stage: 'underWay' });
});
