import { getEventListeners } from 'node:events';

import type { IAllExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';
import type { ApiCall } from '../../../nodes/Messaging/service/api-call.ts';
import { ask, connect, type Service, normalizeBaseUrl } from '../../../nodes/Messaging/service/connect.ts';
import { type Failure, isFailure } from '../../../nodes/Messaging/service/endings.ts';
import { systemClock } from '../../../nodes/Messaging/shared/clock.ts';
import { soon } from '../../soon.ts';

const KEY = 'acc_0123456789abcdef';
const MEDIA_TYPE = 'application/json; v=1.0';
const get: ApiCall = { method: 'GET', path: '/api/v1/Me' };
const remove: ApiCall = {
	method: 'DELETE',
	path: '/api/v1/message/DeleteMessage',
	body: { text: 'ünï', n: 1 },
};
const settings = { timeoutMs: 1234 };

interface Request {
	credential: string;
	options: IHttpRequestOptions;
	more: unknown;
	/** The `this` of the call. */
	context: unknown;
}

/** What n8n's HTTP function does with one request. */
type Answer = () => { statusCode: number; headers: Record<string, unknown>; body: unknown };

/** An n8n context that records every request; by default the service answers each with an empty 200. */
class Context {
	readonly requests: Request[] = [];
	lookups = 0;
	answer: Answer = () => ({ statusCode: 200, headers: {}, body: '' });

	readonly #credentials: () => object;

	constructor(credentials: () => object = () => ({ baseUrl: 'https://service.example', apiKey: KEY })) {
		this.#credentials = credentials;
	}

	asContext(): IAllExecuteFunctions {
		const { requests } = this;
		const answer = () => this.answer();
		const context = {
			getCredentials: async (name: string) => {
				this.lookups++;
				expect(name).toBe('messagingApi');
				return this.#credentials();
			},
			helpers: {
				async httpRequestWithAuthentication(
					this: unknown,
					credential: string,
					options: IHttpRequestOptions,
					more: unknown,
				) {
					requests.push({
						credential,
						options: { ...options, headers: { ...options.headers } },
						more,
						context: this,
					});
					// n8n writes the key into the options that it receives.
					options.headers = { ...options.headers, 'X-API-KEY': KEY };
					return answer();
				},
			},
		};
		return context as unknown as IAllExecuteFunctions;
	}

	async service(): Promise<Service> {
		const service = await connect(this.asContext());
		if (isFailure(service)) throw new Error(service.message);
		return service;
	}
}

/** Sends one call, and returns the request options passed to n8n. */
async function requested(call: ApiCall, context = new Context()): Promise<IHttpRequestOptions> {
	await (await context.service()).request(call, settings);
	const [request] = context.requests;
	if (request === undefined || context.requests.length > 1) throw new Error('Not one request');
	return request.options;
}

function codeError(fields: object, message = `connect failed with key ${KEY}`): Error {
	return Object.assign(new Error(message), fields);
}

describe('a request', () => {
	test('without a body has neither body nor content type', async () => {
		expect(await requested(get)).toStrictEqual({
			method: 'GET',
			url: 'https://service.example/api/v1/Me',
			headers: { Accept: MEDIA_TYPE },
			// Later than the deadline, which closes the connection in every n8n version.
			timeout: 2234,
			abortSignal: expect.anything() as unknown,
			encoding: 'text',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
		});
	});

	test('with a body says what it is, DELETE included', async () => {
		expect(await requested(remove)).toMatchObject({
			method: 'DELETE',
			headers: { Accept: MEDIA_TYPE, 'Content-Type': MEDIA_TYPE },
			body: '{"text":"ünï","n":1}',
		});
	});

	test('sends an empty object as one', async () => {
		expect((await requested({ ...remove, body: {} })).body).toBe('{}');
	});

	test('encodes the query, names that repeat included', async () => {
		const query = [
			['a b', '1&2=3'],
			['tag', 'ü'],
			['tag', ''],
		] as const;
		expect((await requested({ ...get, query })).url).toBe(
			'https://service.example/api/v1/Me?a+b=1%262%3D3&tag=%C3%BC&tag=',
		);
	});

	test('goes below the path of the base URL', async () => {
		const context = new Context(() => ({ baseUrl: ' http://127.0.0.1:80/prefix// ', apiKey: KEY }));
		expect((await requested(get, context)).url).toBe('http://127.0.0.1:80/prefix/api/v1/Me');
	});

	test('passes the credential along: it is looked up once for all requests', async () => {
		const credentials = { baseUrl: 'https://service.example', apiKey: KEY };
		const context = new Context(() => credentials);
		const service = await context.service();
		await Promise.all([service.request(get, settings), service.request(remove, settings)]);

		expect(context.lookups).toBe(1);
		expect(context.requests).toHaveLength(2);
		for (const { credential, more, context: self } of context.requests) {
			expect(credential).toBe('messagingApi');
			expect(more).toStrictEqual({
				credentialsDecrypted: { id: '', name: 'messagingApi', type: 'messagingApi', data: credentials },
			});
			expect(self).toHaveProperty('helpers');
		}
	});

	test('has options of its own: what n8n wrote into the last ones is not there', async () => {
		const context = new Context();
		const service = await context.service();
		await service.request(get, settings);
		await service.request(get, settings);
		expect(context.requests.map(({ options }) => options.headers)).toStrictEqual([
			{ Accept: MEDIA_TYPE },
			{ Accept: MEDIA_TYPE },
		]);
	});
});

describe('an answer', () => {
	async function answered(answer: ReturnType<Answer>, showToken?: boolean) {
		const context = new Context();
		context.answer = () => answer;
		const service = await context.service();
		return await service.request(get, showToken === undefined ? settings : { ...settings, showToken });
	}

	test.each([
		['JSON', '{"a":1}', MEDIA_TYPE, { a: 1 }],
		['what n8n has parsed already', { a: 1 }, MEDIA_TYPE, { a: 1 }],
		['no body at all', undefined, MEDIA_TYPE, undefined],
		['null', null, MEDIA_TYPE, undefined],
	])('may be %s', async (_kind, body, type, expected) => {
		const headers = { 'Content-Type': type };
		expect(await answered({ statusCode: 200, headers, body })).toMatchObject({ status: 200, body: expected });
	});

	test('has its headers in lower case, lists as one', async () => {
		const headers = { 'Retry-After': 5, 'X-Many': ['a', 'b'] };
		expect(await answered({ statusCode: 429, headers, body: '' })).toStrictEqual({
			status: 429,
			headers: { 'retry-after': '5', 'x-many': 'a,b' },
			body: undefined,
		});
	});

	test('never holds the key of the credential, unless it may be shown', async () => {
		const answer = { statusCode: 200, headers: { echo: KEY }, body: JSON.stringify({ said: `key ${KEY}` }) };
		expect(JSON.stringify(await answered(answer))).not.toContain(KEY);
		expect(await answered(answer, false)).toMatchObject({ body: { said: 'key acc_…cdef' } });
		expect(await answered(answer, true)).toMatchObject({ body: { said: `key ${KEY}` } });
		// A failure is never a reason to show the key.
		expect(JSON.stringify(await answered({ ...answer, statusCode: 400 }, true))).not.toContain(KEY);
	});

	test.each<[kind: string, body: string]>([
		['as ASP.NET writes JSON', '{"acc_01\\u002B23/45":["acc_01\\u002B23/45"]}'],
		['as PHP writes JSON', '{"acc_01+23\\/45":["acc_01+23\\/45"]}'],
		['in a text that says it is JSON', 'acc_01\\u002B23/45'],
		['in a URL', '"?k=acc_01%2B23%2F45"'],
	])('never holds the key %s, in names neither', async (_kind, body) => {
		const context = new Context(() => ({ baseUrl: 'https://service.example', apiKey: 'acc_01+23/45' }));
		const headers = { 'content-type': MEDIA_TYPE, location: '?k=acc_01%2B23%2F45' };
		context.answer = () => ({ statusCode: 200, headers, body });
		const reply = JSON.stringify(await (await context.service()).request(get, settings));
		expect(reply).not.toMatch(/acc_01|23.{1,6}45/);
		expect(reply).toContain('acc_…');
	});

	test('that nobody can read, because it is nested too deeply, counts as none', async () => {
		const body = `${'['.repeat(100_000)}"${KEY}"${']'.repeat(100_000)}`;
		const reply = await answered({ statusCode: 200, headers: { 'content-type': MEDIA_TYPE }, body });
		expect(reply).toMatchObject({ status: 200, body: undefined });
	});
});

describe('what goes wrong', () => {
	async function failing(error: unknown, call = remove): Promise<Failure> {
		const context = new Context();
		context.answer = () => {
			throw error;
		};
		const result = await (await context.service()).request(call, settings);
		if (!isFailure(result)) throw new Error('It did not fail');
		expect(context.requests).toHaveLength(1);
		return result;
	}

	test.each([
		['what failed, in the cause', { httpCode: 'ECONNREFUSED', cause: { syscall: 'connect' } }, 'unsent'],
		['a code alone, which proves nothing', { httpCode: 'ECONNREFUSED' }, 'unknown'],
		['a number for a code', { code: 5 }, 'unknown'],
		['a forbidden address', { cause: { name: 'SsrfBlockedHostnameError' } }, 'unsent'],
	])('is told by %s', async (_kind, fields, outcome) => {
		const failure = await failing(codeError(fields));
		expect(failure).toMatchObject({ outcome, statusCode: null, problem: null });
	});

	test.each(['ECONNREFUSED', 'ECONNRESET', 'CERT_HAS_EXPIRED', 'EWHATEVER', ''])(
		'never shows the key (%s)',
		async (code) => {
			const failure = await failing(codeError({ code, config: { headers: { 'X-API-KEY': KEY } } }));
			expect(JSON.stringify(failure)).not.toContain(KEY);
		},
	);

	test("is not told in n8n's words, which may contradict the node's", async () => {
		const { description } = await failing(
			codeError({ httpCode: 'ECONNRESET' }, 'You can retry the request immediately'),
		);
		expect(description).not.toContain('retry the request');
		expect(description).toContain('(ECONNRESET)');
	});

	test.each(['a text', undefined, null, 5])('is a Failure even when %j is thrown', async (thrown) => {
		expect(await failing(thrown)).toMatchObject({ outcome: 'unknown' });
	});
});

describe('without a usable credential nothing is sent', () => {
	test.each<[kind: string, credentials: object, message: RegExp]>([
		['no base URL', { apiKey: KEY }, /Base URL .* is not an http/],
		['a base URL without http', { baseUrl: 'service.example', apiKey: KEY }, /Base URL .* is not an http/],
		['a base URL that is no text', { baseUrl: 5, apiKey: KEY }, /Base URL .* is not an http/],
		['no key', { baseUrl: 'https://service.example' }, /API Key .* is empty/],
		[
			'a key that is none',
			{ baseUrl: 'https://service.example', apiKey: 'acc_…cdef' },
			/API Key .* contains a character/,
		],
		[
			'a key of what nobody sees',
			{ baseUrl: 'https://service.example', apiKey: '\u200B\n' },
			/API Key .* is empty/,
		],
		['a blank key', { baseUrl: 'https://service.example', apiKey: '  ' }, /API Key .* is empty/],
	])('%s', async (_kind, credentials, message) => {
		const failure = await connect(new Context(() => credentials).asContext());
		expect(failure).toMatchObject({ outcome: 'unsent', message: expect.stringMatching(message) as string });
		expect(JSON.stringify(failure)).not.toContain(KEY);
	});

	test('no credential chosen', async () => {
		const context = new Context(() => {
			throw new Error('Node does not have any credentials set');
		});
		expect(await connect(context.asContext())).toMatchObject({
			outcome: 'unsent',
			message: 'The credential could not be read',
			description: expect.stringContaining('Node does not have any credentials set') as string,
		});
	});
});

describe('the name of the service', () => {
	const idOf = async (credentials: object) => (await new Context(() => credentials).service()).id;
	const usual = { baseUrl: 'https://service.example', apiKey: KEY };

	test.each([
		['spaces and slashes', { baseUrl: ' https://service.example/ ', apiKey: ` ${KEY} ` }, true],
		['what nobody sees in the key', { ...usual, apiKey: `\uFEFFacc_01234\u200B\n56789abcdef\u00A0` }, true],
		['another address', { ...usual, baseUrl: 'https://other.example' }, false],
		['another key', { ...usual, apiKey: `${KEY}0` }, false],
	])('with %s is the same: %#', async (_kind, credentials, same) => {
		expect((await idOf(credentials)) === (await idOf(usual))).toBe(same);
	});

	test('does not give the key away', async () => {
		expect(await idOf(usual)).toMatch(/^[\w+/]{43}=$/);
	});
});

describe('asking', () => {
	test.each([
		[200, false],
		[201, false],
		[204, false],
		[299, false],
		[300, true],
		[302, true],
		[400, true],
		[500, true],
	])('status %i is a failure: %s', async (statusCode, failed) => {
		const context = new Context();
		context.answer = () => ({ statusCode, headers: {}, body: '' });
		const result = await ask(await context.service(), get, settings);
		expect(isFailure(result)).toBe(failed);
		expect(result).toMatchObject(failed ? { statusCode } : { status: statusCode });
	});

	test.each([false, true])('a failure shows no token of any key (Include Token: %j)', async (showToken) => {
		const other = 'org_fedcba9876543210';
		const context = new Context();
		context.answer = () => ({
			statusCode: 400,
			headers: { 'content-type': MEDIA_TYPE },
			body: JSON.stringify({
				title: `No ${other}`,
				errors: { apiKey: [`${other} is unknown`] },
				ApiKey: ['one-more-token'],
				[other]: { token: 'one-more-token' },
			}),
		});
		const result = await ask(await context.service(), remove, { ...settings, showToken });
		expect(JSON.stringify(result)).not.toMatch(/fedcba9876543210|one-more-token/);
		expect(result).toMatchObject({ message: 'No org_…3210', problem: { ApiKey: ['…oken'] } });
		expect(result).toMatchObject({
			description: expect.stringContaining('apiKey: org_…3210 is unknown.') as string,
		});
	});

	test('a redirect shows no token', async () => {
		const context = new Context();
		const location = 'https://elsewhere.example/org_fedcba9876543210';
		context.answer = () => ({ statusCode: 302, headers: { location }, body: '' });
		const result = await ask(await context.service(), get, settings);
		expect(result).toMatchObject({
			description: expect.stringContaining('(https://elsewhere.example/org_…3210)') as string,
		});
	});

	test.each([
		['application/json; v=1.0', false],
		['APPLICATION/JSON', false],
		['text/json; v=1.0', false],
		['application/problem+json', false],
		['text/plain; v=1.0', false],
		['', false],
		[undefined, false],
		['text/html; charset=utf-8', true],
		['text/html+json', false],
		['application/xml', true],
		['application/octet-stream', true],
		['text/html; note="application/json"', true],
	])('a 200 that is declared as %j is a failure: %s', async (type, failed) => {
		const context = new Context();
		context.answer = () => ({ statusCode: 200, headers: { 'Content-Type': type ?? [] }, body: 'x' });
		const service = await context.service();
		expect(isFailure(await ask(service, get, settings))).toBe(failed);
		expect(isFailure(await ask(service, remove, settings))).toBe(failed);
	});

	test.each([
		['<!DOCTYPE html><title>Log in</title>', undefined, true],
		['\ufeff\r\n<html lang="en">', 'text/plain', true],
		['<?xml version="1.0"?>\n<!-- a proxy --><!-- of mine -->\n<html>', 'application/json', true],
		['<body bgcolor=white>', '', true],
		['<htmlish/>', 'text/plain', false],
		['done: <html>', 'text/plain', false],
		['{"text":"<html>"}', 'text/html+json', false],
	])('a 200 with %j, declared as %j, is a web page: %s', async (body, type, isPage) => {
		const context = new Context();
		context.answer = () => ({ statusCode: 200, headers: { 'Content-Type': type ?? [] }, body });
		const service = await context.service();
		const outcomes = await Promise.all([get, remove].map((call) => ask(service, call, settings)));
		expect(outcomes.map((outcome) => isFailure(outcome) && outcome.outcome)).toEqual(
			isPage ? ['rejected', 'unknown'] : [false, false],
		);
	});

	test('an answer that can not be read fails a call that reads, and no call that changes something', async () => {
		const context = new Context();
		const body = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
		context.answer = () => ({ statusCode: 200, headers: { 'Content-Type': MEDIA_TYPE }, body });
		const service = await context.service();
		expect(await ask(service, get, settings)).toMatchObject({ outcome: 'rejected', statusCode: 200 });
		expect(await ask(service, remove, settings)).toMatchObject({ status: 200, body: undefined });
	});

	test('a 204 has nothing that could be declared', async () => {
		const context = new Context();
		context.answer = () => ({ statusCode: 204, headers: { 'Content-Type': 'text/html' }, body: '' });
		expect(isFailure(await ask(await context.service(), remove, settings))).toBe(false);
	});
});

test('a body that can not be written as JSON never leaves', async () => {
	const body: { itself?: object } = {};
	body.itself = body;
	const context = new Context();
	expect(await ask(await context.service(), { ...remove, body }, settings)).toMatchObject({
		outcome: 'unsent',
	});
	expect(context.requests).toEqual([]);
});

test('a service that fails in a way that nobody thought of is answered all the same', async () => {
	const service: Service = { id: '', request: () => Promise.reject(new Error('odd')) };
	expect(await ask(service, remove, settings)).toMatchObject({ outcome: 'unknown' });
});

describe('the time of a request', () => {
	/** An n8n whose requests end only when their signal is aborted, if at all. */
	async function slowService(given: { stops: boolean; cancelled?: AbortSignal; error?: object }) {
		const signals: AbortSignal[] = [];
		const context = {
			getCredentials: async () => ({ baseUrl: 'https://service.example', apiKey: KEY }),
			...(given.cancelled === undefined ? {} : { getExecutionCancelSignal: () => given.cancelled }),
			helpers: {
				async httpRequestWithAuthentication(
					this: { getExecutionCancelSignal?: () => AbortSignal },
					_credential: string,
					options: IHttpRequestOptions,
				) {
					// As n8n does: the execution's signal, if any, overrides the options.
					const signal = (this.getExecutionCancelSignal?.() ?? options.abortSignal) as AbortSignal;
					signals.push(signal);
					return await new Promise((_, reject) => {
						const stop = () => reject(codeError({ code: 'ERR_CANCELED', ...given.error }));
						if (given.stops) signal.addEventListener('abort', stop);
					});
				},
			},
		};
		const service = await connect(context as unknown as IAllExecuteFunctions);
		if (isFailure(service)) throw new Error(service.message);
		return { service, signals };
	}

	test.each([true, false])(
		'is over when it says so, whether the request stops then (%s) or not',
		async (stops) => {
			const { service, signals } = await slowService({ stops });
			expect(await service.request(remove, { timeoutMs: 30 })).toMatchObject({
				outcome: 'unknown',
				message: 'The service did not answer in time',
			});
			expect(signals[0]?.aborted).toBe(true);
		},
	);

	test('is over when the answer has arrived: reading a long one may take longer', async () => {
		const pause = systemClock.sleep.bind(systemClock);
		jest.spyOn(systemClock, 'sleep').mockImplementationOnce(async () => await pause(300));
		const context = new Context();
		const body = JSON.stringify(Array.from({ length: 100_000 }, (_, n) => `text ${n}`));
		context.answer = () => ({ statusCode: 200, headers: { 'content-type': MEDIA_TYPE }, body });
		const reply = await (await context.service()).request(remove, { timeoutMs: 30 });
		expect(reply).toMatchObject({ status: 200, body: expect.arrayContaining(['text 99999']) as unknown });
		jest.restoreAllMocks();
	});

	test.each([
		['before there was a connection', { _bytesDispatched: 0 }, 'no connection was made in time'],
		['while TLS was agreed on', { encrypted: true, secureConnecting: true }, 'No secure connection'],
	])('is over %s: nothing has left', async (_when, socket, message) => {
		const { service } = await slowService({ stops: true, error: { request: { socket } } });
		const ended = service.request(remove, { timeoutMs: 30 });
		expect(await ended).toMatchObject({ outcome: 'unsent', cause: 'neverLeft' });
		expect((await ended) as Failure).toHaveProperty('message', expect.stringContaining(message));
	});

	test('ends before there was a connection when the execution is cancelled: nothing has left', async () => {
		const halt = new AbortController();
		const error = { request: { socket: { _bytesDispatched: 0 } } };
		const { service } = await slowService({ stops: true, cancelled: halt.signal, error });
		const request = service.request(remove, { timeoutMs: 60_000 });
		halt.abort();
		expect(await soon(request, 'The request')).toMatchObject({
			outcome: 'unsent',
			cause: 'withheld',
			message: 'The execution was stopped before a connection was made',
		});
	});

	test('is over for n8n too, which takes the signal of the execution', async () => {
		const { service, signals } = await slowService({
			stops: true,
			cancelled: new AbortController().signal,
		});
		expect(await service.request(remove, { timeoutMs: 30 })).toMatchObject({
			message: 'The service did not answer in time',
		});
		expect(signals[0]?.aborted).toBe(true);
	});

	test('leaves no listener on the execution behind', async () => {
		const { signal } = new AbortController();
		const { service } = await slowService({ stops: true, cancelled: signal });
		await service.request(remove, { timeoutMs: 30 });
		expect(getEventListeners(signal, 'abort')).toEqual([]);
	});

	test('ends early when the execution is cancelled, as what it is', async () => {
		const halt = new AbortController();
		const { service } = await slowService({ stops: true, cancelled: halt.signal });
		const request = service.request(remove, { timeoutMs: 60_000 });
		halt.abort();
		expect(await soon(request, 'The request')).toMatchObject({
			outcome: 'unknown',
			message: 'The execution was stopped while the request was on its way',
		});
	});
});

describe('the Base URL', () => {
	test.each([
		['https://messaging.example.com', 'https://messaging.example.com'],
		['  https://messaging.example.com/ \n', 'https://messaging.example.com'],
		['https://messaging.example.com///', 'https://messaging.example.com'],
		['https://example.com/messaging/v2/', 'https://example.com/messaging/v2'],
		['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
		['http://[::1]:8080/', 'http://[::1]:8080'],
		['HTTPS://Example.com', 'HTTPS://Example.com'],
		['https://messaging.example.com/api/v1', 'https://messaging.example.com'],
		['https://messaging.example.com/api/v1/', 'https://messaging.example.com'],
		['https://example.com/messaging//API/V1//', 'https://example.com/messaging'],
		['https://example.com/myapi/v1', 'https://example.com/myapi/v1'],
		['https://example.com/api/v1/messaging', 'https://example.com/api/v1/messaging'],
		['https://api/v1', 'https://api/v1'],
	])('%j becomes %j', (given, expected) => {
		expect(normalizeBaseUrl(given)).toBe(expected);
	});

	test.each([
		'',
		'  ',
		'messaging.example.com',
		'//messaging.example.com',
		'ftp://messaging.example.com',
		'https://',
		'https:///',
		'https:messaging',
		'http://exa mple.com',
		'https://example.com:port',
		'https://example.com?key=1',
		'https://example.com/#top',
		'javascript:alert(1)',
	])('%j is no address', (given) => {
		expect(normalizeBaseUrl(given)).toBeUndefined();
	});
});
