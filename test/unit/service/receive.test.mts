import { Readable } from 'node:stream';

import { NoTunnel, receive, TooLarge } from '../../../nodes/Messaging/service/receive.ts';
import { type FullResponse, readTransportError } from '../../../nodes/Messaging/service/transport.ts';

const response = (body: unknown, more: Partial<FullResponse> = {}): Promise<FullResponse> =>
	Promise.resolve({ statusCode: 200, headers: {}, body, ...more });
const streamOf = (...chunks: Buffer[]): Readable => Readable.from(chunks, { objectMode: false });
const typed = (type: string) => ({ headers: { 'Content-Type': type } });
const LIMIT = 1000;
/** Nothing stops it. */
const going = new AbortController().signal;

describe('the text of a body', () => {
	const utf8 = Buffer.from('Grüße');

	test.each<[type: string, bytes: Buffer, text: string]>([
		['application/json; v=1.0; charset=utf-8', utf8, 'Grüße'],
		['text/plain; charset=iso-8859-1', utf8, 'Grüße'],
		['text/plain', Buffer.from('\ufeffhi'), 'hi'],
		['text/plain', Buffer.from([0x47, 0xfc]), 'G\ufffd'],
		['application/json', Buffer.alloc(0), ''],
	])('declared as %s', async (type, bytes, text) => {
		const received = await receive(response(streamOf(bytes), typed(type)), false, LIMIT, going);
		expect(received).toEqual({ status: 200, headers: { 'content-type': type }, text });
	});

	test('is whole, also where a character comes in two parts', async () => {
		const parts = [utf8.subarray(0, 3), utf8.subarray(3)];
		expect((await receive(response(streamOf(...parts)), false, LIMIT, going)).text).toBe('Grüße');
	});

	test.each([
		['text', 'hi', 'hi'],
		['an object that n8n has parsed', { a: 1 }, '{"a":1}'],
		['nothing', undefined, ''],
		['null', null, ''],
	])('may be there already: %s', async (_kind, body, text) => {
		expect((await receive(response(body), true, LIMIT, going)).text).toBe(text);
	});
});

describe('the size of a body', () => {
	test('may reach the limit', async () => {
		const body = streamOf(Buffer.alloc(LIMIT - 1, 'x'), Buffer.from('x'));
		expect((await receive(response(body), false, LIMIT, going)).text).toHaveLength(LIMIT);
	});

	test('beyond it, the connection is closed', async () => {
		let read = 0;
		const endless = new Readable({
			read() {
				read += 1;
				this.push(Buffer.alloc(100));
			},
			highWaterMark: 100,
		});
		await expect(receive(response(endless), false, LIMIT, going)).rejects.toBeInstanceOf(TooLarge);
		expect(endless.destroyed).toBe(true);
		expect(read).toBeLessThan(30);
	});
});

test.each<[what: string, error: Error | undefined, code: string]>([
	['is reset', Object.assign(new Error('aborted'), { code: 'ECONNRESET' }), 'ECONNRESET'],
	[
		'is cancelled',
		Object.assign(new Error('x'), { code: 'ERR_CANCELED', request: { socket: null } }),
		'ERR_CANCELED',
	],
	[
		'seems not to be made',
		Object.assign(new Error('x'), { code: 'ETIMEDOUT', syscall: 'connect' }),
		'ETIMEDOUT',
	],
	['is closed without an error', undefined, ''],
])('a connection that %s while the body arrives: the request was sent', async (_what, error, code) => {
	const body = new Readable({ read() {} });
	body.push('{"a":');
	const received = receive(response(body), true, LIMIT, going).catch(readTransportError);
	setImmediate(() => body.destroy(error));
	expect(await received).toEqual({ code, stage: 'underWay' });
	// Nor is it waited for if that happened before anybody looked.
	const before = new Readable({ read() {} }).on('error', () => {}).destroy(error);
	await new Promise(setImmediate);
	expect(await receive(response(before), true, LIMIT, going).catch(readTransportError)).toEqual({
		code,
		stage: 'underWay',
	});
});

describe('an answer that n8n throws', () => {
	const thrown = (socket: object, data: unknown = streamOf(Buffer.from('{"a":1}'))) => {
		const answer = { status: 503, headers: { 'Retry-After': '7' }, data, request: { socket } };
		const axios = Object.assign(new Error('axios'), { response: answer });
		return Object.assign(new Error('n8n'), { cause: axios, httpCode: '503' });
	};
	const secure = { encrypted: true, secureConnecting: false, _bytesDispatched: 90 };

	test('is the answer', async () => {
		const received = await receive(Promise.reject(thrown(secure)), true, LIMIT, going);
		expect(received).toEqual({ status: 503, headers: { 'retry-after': '7' }, text: '{"a":1}' });
	});

	test('is none if it broke off', async () => {
		const error = thrown(secure, null);
		await expect(receive(Promise.reject(error), true, LIMIT, going)).rejects.toBe(error);
	});

	test.each<[what: string, isSecured: boolean, socket: object, isRefusal: boolean]>([
		['https, over a connection without TLS, to which nothing went', true, { _bytesDispatched: 0 }, true],
		['http, answered before anything was sent', false, { _bytesDispatched: 0 }, false],
		['https, over TLS', true, secure, false],
		['https, over TLS, answered before anything was sent', true, { ...secure, _bytesDispatched: 0 }, false],
		['https, passed on by a proxy', true, { _bytesDispatched: 300 }, false],
		['https, over a connection that n8n hides', true, {}, false],
	])('%s', async (_what, isSecured, socket, isRefusal) => {
		const error = thrown(socket);
		const received: unknown = await receive(Promise.reject(error), isSecured, LIMIT, going).catch(
			(found: unknown) => found,
		);
		expect(received instanceof NoTunnel && received.status).toBe(isRefusal && 503);
		expect((error.cause as unknown as { response: { data: Readable } }).response.data.destroyed).toBe(true);
		// An older n8n does not throw it, but its body shows the connection.
		const body = Object.assign(streamOf(Buffer.from('x')), { socket });
		const returned: unknown = await receive(response(body), isSecured, LIMIT, going).catch(
			(found: unknown) => found,
		);
		expect(returned instanceof NoTunnel).toBe(isRefusal);
	});
});
