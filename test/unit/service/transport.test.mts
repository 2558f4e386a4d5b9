import { readTransportError, type Stage } from '../../../nodes/Messaging/service/transport.ts';

/** An error as n8n throws it, wrapping axios' error with this socket, which wraps Node's. */
function wrapped(nodeError: object, socket?: object | null): Error {
	const node = nodeError instanceof Error ? nodeError : Object.assign(new Error('node'), nodeError);
	const axios = Object.assign(new Error('axios'), { cause: node, request: { socket } });
	return Object.assign(new Error('n8n'), { cause: axios });
}

const connect = { syscall: 'connect' };
const read = { syscall: 'read' };
const securing = { encrypted: true, secureConnecting: true };
const secure = { encrypted: true, secureConnecting: false };

test.each<[stage: Stage, what: string, code: string, nodeError?: object, socket?: object | null]>([
	['connecting', 'looking up the host', 'ENOTFOUND', { syscall: 'getaddrinfo' }],
	['connecting', 'connecting', 'ECONNREFUSED', connect],
	['connecting', 'connecting, no answer', 'ETIMEDOUT', connect],
	['connecting', 'connecting to every address of the host', 'ECONNREFUSED', { errors: [connect, connect] }],
	['underWay', 'connecting to one address, reading from another', 'ECONNRESET', { errors: [connect, read] }],
	['securing', 'agreeing on TLS', 'EPROTO', { syscall: 'write' }, securing],
	['securing', 'agreeing on TLS, hung up', 'ECONNRESET', {}, securing],
	['securing', 'checking the certificate', 'CERT_HAS_EXPIRED'],
	['underWay', 'TLS, once it stood', 'EPROTO', { syscall: 'write' }, secure],
	['underWay', 'TLS, nobody knows when', 'ERR_SSL_BAD_RECORD_TYPE'],
	['underWay', 'asked for a certificate of ours', 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', {}, secure],
	['connecting', 'given up before a connection', 'ERR_CANCELED', {}, { _bytesDispatched: 0 }],
	['underWay', 'given up when something had been sent', 'ERR_CANCELED', {}, { _bytesDispatched: 90 }],
	['underWay', 'given up, nobody knows when', 'ERR_CANCELED', {}, { _bytesDispatched: undefined }],
	['connecting', 'a proxy that hung up instead of connecting', 'ECONNRESET', read, null],
	['underWay', 'a socket without TLS', 'ECONNRESET', {}, { ...securing, encrypted: false }],
	['underWay', 'reading', 'EHOSTUNREACH', read],
])('%s: %s', (stage, _what, code, nodeError = {}, socket) => {
	expect(readTransportError(wrapped({ code, ...nodeError }, socket))).toEqual({ code, stage });
});

test.each<[what: string, error: unknown, code: string, stage: Stage]>([
	['a code without any proof', { httpCode: 'ECONNREFUSED' }, 'ECONNREFUSED', 'underWay'],
	['an answer that broke off', { httpCode: '200', cause: { code: 'ERR_BAD_RESPONSE' } }, '200', 'underWay'],
	['an empty code before another', { httpCode: '', code: 'EPIPE' }, 'EPIPE', 'underWay'],
	['an address that n8n forbids', { cause: { name: 'SsrfBlockedIpError' } }, 'BLOCKED', 'connecting'],
	['a host that a credential is not for', { message: 'Domain not allowed: ...' }, 'BLOCKED', 'connecting'],
	['nothing', undefined, '', 'underWay'],
])('%s', (_what, error, code, stage) => {
	expect(readTransportError(error)).toEqual({ code, stage });
});

describe('an n8n that drops the cause', () => {
	const CLOSED = 'Client network socket disconnected before secure TLS connection was established';

	test.each<[words: string, code: string, stage: Stage]>([
		['connect ECONNREFUSED 127.0.0.1:9', 'ECONNREFUSED', 'connecting'],
		['getaddrinfo ENOTFOUND nowhere.invalid', 'ENOTFOUND', 'connecting'],
		[CLOSED, 'ECONNRESET', 'securing'],
		['read ECONNRESET', 'ECONNRESET', 'underWay'],
		['socket hang up', 'ECONNRESET', 'underWay'],
		['write EPROTO 00:error:0A00010B:SSL routines:wrong version number', 'EPROTO', 'underWay'],
		['Error', 'ECONNREFUSED', 'underWay'],
		['could not connect ECONNREFUSED', 'ECONNREFUSED', 'underWay'],
		['connected', 'ECONNRESET', 'underWay'],
	])('"%s"', (words, code, stage) => {
		const error = { name: 'NodeApiError', httpCode: code, messages: [words] };
		expect(readTransportError(error)).toEqual({ code, stage });
	});

	test('counts less than a cause that says otherwise', () => {
		const error = { ...wrapped({ code: 'ECONNRESET', ...read }), messages: ['connect ECONNREFUSED'] };
		expect(readTransportError(error)).toEqual({ code: 'ECONNRESET', stage: 'underWay' });
	});
});

test.each([
	['ssl3_get_record:wrong version number:../deps/x.c:350:\n', 'wrong version number'],
	['ssl3_read_bytes:sslv3 alert handshake failure:../deps/x.c:1:SSL alert number 40\n', 'handshake failure'],
	[
		'ssl3_read_bytes:ssl/tls alert handshake failure:../deps/x.c:918:SSL alert number 40\n',
		'handshake failure',
	],
	['ssl3_read_bytes:tlsv13 alert certificate required:../deps/x.c:1:', 'certificate required'],
	['tls_process_server_hello:unsupported protocol:../deps/x.c:1:', 'unsupported protocol'],
])('TLS says: %s', (words, tls) => {
	const message = `write EPROTO 80CC:error:0A000410:SSL routines:${words}`;
	const node = Object.assign(new Error(message), { code: 'EPROTO', syscall: 'write' });
	expect(readTransportError(wrapped(node, securing))).toEqual({ code: 'EPROTO', stage: 'securing', tls });
	const alone = { name: 'NodeApiError', httpCode: 'EPROTO', messages: [message] };
	expect(readTransportError(alone)).toEqual({ code: 'EPROTO', stage: 'underWay', tls });
});

test('causes that go round in a circle end', () => {
	const error: { cause?: unknown } = {};
	error.cause = error;
	expect(readTransportError(error)).toEqual({ code: '', stage: 'underWay' });
});
