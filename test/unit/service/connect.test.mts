import { getEventListeners } from 'node:events';

import type { IAllExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';
import type { ApiCall } from '../../../nodes/Messaging/service/api-call.ts';
import {
	ask,
	connect,
	type RequestSettings,
	type Service,
	normalizeBaseUrl,
} from '../../../nodes/Messaging/service/connect.ts';
import { type Failure, isFailure } from '../../../nodes/Messaging/service/endings.ts';
import type { Reply } from '../../../nodes/Messaging/service/reply.ts';
import type { FullResponse } from '../../../nodes/Messaging/service/transport.ts';
import { systemClock } from '../../../nodes/Messaging/shared/clock.ts';
import { endsSoon } from '../../waiting.mts';

const KEY = 'acc_0123456789abcdef';
const usual = { baseUrl: 'https://service.example', apiKey: KEY };
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
	context: { getExecutionCancelSignal?: () => AbortSignal };
}

/** What n8n's HTTP function does with one request. */
type Answer = (request: Request) => Partial<FullResponse> | Promise<never>;

/** An n8n that records every request; by default the service answers each with an empty 200. */
class Context {
	readonly requests: Request[] = [];
	lookups = 0;

	constructor(
		private readonly credentials: object = usual,
		private readonly answer: Answer = () => ({}),
		private readonly more: object = {},
	) {}

	asContext(): IAllExecuteFunctions {
		const { requests, answer } = this;
		const context = {
			...this.more,
			getCredentials: async (name: string) => {
				this.lookups++;
				expect(name).toBe('messagingApi');
				return this.credentials;
			},
			helpers: {
				async httpRequestWithAuthentication(
					this: Request['context'],
					credential: string,
					options: IHttpRequestOptions,
					more: unknown,
				) {
					const request = { credential, options: { ...options }, more, context: this };
					requests.push(request);
					// n8n writes the key into the options that it receives.
					options.headers = { ...options.headers, 'X-API-KEY': KEY };
					return { statusCode: 200, headers: {}, body: '', ...(await answer(request)) };
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
async function requested(call: ApiCall, credentials: object = usual): Promise<IHttpRequestOptions> {
	const context = new Context(credentials);
	await (await context.service()).request(call, settings);
	expect(context.requests).toHaveLength(1);
	return context.requests[0]?.options as IHttpRequestOptions;
}

/** Asks the service, which answers like this. */
async function asked(
	answer: ReturnType<Answer>,
	{ call = get, ...more }: Partial<RequestSettings> & { call?: ApiCall } = {},
): Promise<Reply | Failure> {
	return await ask(await new Context(usual, () => answer).service(), call, { ...settings, ...more });
}

describe('a request', () => {
	test('without a body has neither body nor content type', async () => {
		expect(await requested(get)).toStrictEqual({
			method: 'GET',
			url: 'https://service.example/api/v1/Me',
			headers: { Accept: MEDIA_TYPE },
			timeout: 2234,
			abortSignal: expect.anything() as unknown,
			encoding: 'stream',
			returnFullResponse: true,
			// Over https, a proxy may have written them. A 401 would be sent again.
			ignoreHttpStatusErrors: {
				ignore: true,
				except: expect.not.arrayContaining([200, 401]) as unknown,
			},
			disableFollowRedirect: true,
		});
	});

	test.each([
		[{ text: 'ünï', n: 1 }, '{"text":"ünï","n":1}'],
		[{}, '{}'],
	])('with the body %j says what it is, DELETE included', async (body, text) => {
		expect(await requested({ ...remove, body })).toMatchObject({
			method: 'DELETE',
			headers: { Accept: MEDIA_TYPE, 'Content-Type': MEDIA_TYPE },
			body: text,
		});
	});

	test('encodes the query, and goes below the path of the base URL', async () => {
		const query = [
			['a b', '1&2=3'],
			['tag', 'ü'],
			['tag', ''],
		] as const;
		const { url } = await requested(
			{ ...get, query },
			{ ...usual, baseUrl: ' http://127.0.0.1:80/prefix// ' },
		);
		expect(url).toBe('http://127.0.0.1:80/prefix/api/v1/Me?a+b=1%262%3D3&tag=%C3%BC&tag=');
	});

	test('uses a credential that is looked up once, and never the options of another request', async () => {
		const context = new Context();
		const service = await context.service();
		await service.request(get, settings);
		await service.request(get, settings);

		expect(context.lookups).toBe(1);
		expect(context.requests).toHaveLength(2);
		for (const { credential, more, options, context: self } of context.requests) {
			expect(credential).toBe('messagingApi');
			expect(more).toStrictEqual({
				credentialsDecrypted: { id: '', name: 'messagingApi', type: 'messagingApi', data: usual },
			});
			expect(self).toHaveProperty('helpers');
			expect(options.headers).toStrictEqual({ Accept: MEDIA_TYPE });
		}
	});

	test('over http gets every answer as it is', async () => {
		const { ignoreHttpStatusErrors } = await requested(get, { ...usual, baseUrl: 'http://127.0.0.1' });
		expect(ignoreHttpStatusErrors).toBe(true);
	});

	test('whose body can not be written as JSON never leaves', async () => {
		const body: { itself?: object } = {};
		body.itself = body;
		const context = new Context();
		const result = await ask(await context.service(), { ...remove, body }, settings);
		expect(result).toMatchObject({ outcome: 'unsent' });
		expect(context.requests).toEqual([]);
	});
});

describe('an answer', () => {
	test.each<[type: string | undefined, body: string, isForeign: boolean]>([
		['application/json; v=1.0', 'x', false],
		['APPLICATION/JSON', 'x', false],
		['text/plain; v=1.0', 'x', false],
		[undefined, 'x', false],
		['text/html+json', '{"text":"<html>"}', false],
		['text/html; note="application/json"', 'x', true],
		['text/plain', '\ufeff\r\n<html lang="en">', true],
		['application/json', '<?xml version="1.0"?>\n<!-- a proxy --><!-- of mine -->\n<html>', true],
		['', '<body bgcolor=white>', true],
		['text/plain', '<htmlish/>', false],
		['text/plain', 'done: <html>', false],
	])('declared as %j, with the body %j, comes from another program: %s', async (type, body, isForeign) => {
		const answer = { headers: { 'Content-Type': type ?? [] }, body };
		const outcomes = [await asked(answer), await asked(answer, { call: remove })];
		expect(outcomes.map((outcome) => isFailure(outcome) && outcome.outcome)).toEqual(
			isForeign ? ['rejected', 'unknown'] : [false, false],
		);
	});

	test('with the mark of a gateway does not show that the service is at this address', async () => {
		const baseUrl = 'https://challenged.example';
		const answer = async (body: string, headers: object, call: ApiCall) => {
			const context = new Context({ ...usual, baseUrl }, () => ({ headers, body }) as Partial<FullResponse>);
			return await ask(await context.service(), call, settings);
		};
		await answer('{}', { 'X-Amzn-Waf-Action': 'captcha' }, get);
		await answer('{"cloudflare_error":true}', {}, get);
		expect(await answer('', {}, remove)).toMatchObject({ outcome: 'unknown', isElsewhere: true });
		await answer('{}', {}, get);
		expect(isFailure(await answer('', {}, remove))).toBe(false);
		expect(await answer('', { 'X-Amzn-Waf-Action': 'challenge' }, remove)).toMatchObject({
			outcome: 'unknown',
		});
	});

	test('that is nested too deeply is a text that says so, which no list is read from', async () => {
		const body = `${'['.repeat(100_000)}"${KEY}"${']'.repeat(100_000)}`;
		const answer = { headers: { 'Content-Type': MEDIA_TYPE }, body };
		for (const call of [get, remove]) {
			expect(await asked(answer, { call })).toMatchObject({
				status: 200,
				body: '(nested more than 500 levels deep)',
			});
		}
	});
});

describe('what an answer shows', () => {
	const other = 'org_fedcba9876543210';

	test('the key of the credential only if it may be shown, and never in a failure', async () => {
		const answer = { headers: { echo: KEY }, body: JSON.stringify({ said: `key ${KEY}` }) };
		expect(await asked(answer)).toMatchObject({
			headers: { echo: 'acc_…cdef' },
			body: { said: 'key acc_…cdef' },
		});
		expect(await asked(answer, { showToken: true })).toMatchObject({ body: { said: `key ${KEY}` } });
		expect(JSON.stringify(await asked({ ...answer, statusCode: 400 }, { showToken: true }))).not.toContain(
			KEY,
		);
	});

	test.each([400, 200])('no token of any key in a refusal, with status %i', async (statusCode) => {
		const body = JSON.stringify({
			success: false,
			title: `No ${other}`,
			errors: { apiKey: [`${other} is unknown`] },
			ApiKey: ['one-more-token'],
			[other]: { token: 'one-more-token', key: KEY },
		});
		const headers = { 'content-type': MEDIA_TYPE };
		for (const showToken of [false, true]) {
			const result = await asked({ statusCode, headers, body }, { showToken });
			expect(JSON.stringify(result)).not.toMatch(/fedcba9876543210|one-more-token|0123456789abcdef/);
			expect(result).toMatchObject({
				message: 'No org_…3210',
				description: expect.stringContaining('apiKey: org_…3210 is unknown.') as string,
				problem: { ApiKey: ['…oken'] },
			});
		}
	});

	test('no value of the custom header, also without the word before it, and without its last characters', async () => {
		const credentials = {
			...usual,
			header: true,
			headerName: 'Authorization',
			headerValue: 'Bearer gate/way+secret',
		};
		const said = [
			'Bearer gate/way+secret',
			'token gate/way+secret',
			'gate%2Fway%2Bsecret',
			'gate\\/way+secret',
		];
		for (const statusCode of [200, 400]) {
			const body = JSON.stringify({ title: said.join(), list: said });
			const context = new Context(credentials, () => ({ statusCode, headers: { echo: said[0] }, body }));
			const shown = JSON.stringify(await ask(await context.service(), get, settings));
			expect(shown).toContain('…cret');
			expect(shown).not.toMatch(/gate|way/);
		}
	});

	test('no token in a redirect', async () => {
		const headers = { location: `https://elsewhere.example/${other}` };
		expect(await asked({ statusCode: 301, headers })).toMatchObject({
			description: expect.stringContaining('(https://elsewhere.example/org_…3210)') as string,
		});
	});
});

test.each([
	['http://localhost:3000', true],
	['https://LOCALHOST', true],
	['http://127.1.2.3', true],
	['http://[::1]:3000', true],
	['http://localhost.example', false],
])('nothing listens at %s: Docker is named only for an own address: %s', async (baseUrl, isLocal) => {
	for (const code of ['ECONNREFUSED', 'ENOTFOUND']) {
		const context = new Context({ ...usual, baseUrl }, () => {
			throw Object.assign(new Error('x'), { code, syscall: 'connect' });
		});
		const failure = await ask(await context.service(), get, settings);
		const names = /In Docker.*host\.docker\.internal/;
		expect(names.test((failure as Failure).description)).toBe(isLocal && code === 'ECONNREFUSED');
	}
});

describe('a request without an answer', () => {
	async function failing(error: unknown): Promise<Failure> {
		const fail: Answer = () => {
			throw error;
		};
		const context = new Context(usual, fail);
		const result = await (await context.service()).request(remove, settings);
		expect(context.requests).toHaveLength(1);
		return result as Failure;
	}

	test.each([
		[{ httpCode: 'ECONNREFUSED', cause: { syscall: 'connect' } }, 'unsent'],
		[{ httpCode: 'ECONNREFUSED' }, 'unknown'],
	])(
		'that failed with %j is %s; only the code is shown, neither the key nor words of n8n',
		async (fields, outcome) => {
			const error = new Error(`You can retry the request immediately with key ${KEY}`);
			const failure = await failing(
				Object.assign(error, fields, { config: { headers: { 'X-API-KEY': KEY } } }),
			);
			expect(failure).toMatchObject({ outcome, statusCode: null, problem: null });
			expect(JSON.stringify(failure)).not.toMatch(/retry the request|acc_/);
			expect(failure.code).toBe('ECONNREFUSED');
		},
	);

	test.each(['a text', undefined, null, 5])('is a Failure even when %j is thrown', async (thrown) => {
		expect(await failing(thrown)).toMatchObject({ outcome: 'unknown' });
	});

	test('is a Failure, whatever the service throws', async () => {
		const service: Service = { id: '', request: () => Promise.reject(new Error('odd')) };
		expect(await ask(service, remove, settings)).toMatchObject({ outcome: 'unknown' });
	});
});

describe('without a usable credential nothing is sent', () => {
	test.each<[kind: string, credentials: object, message: RegExp]>([
		['no base URL', { apiKey: KEY }, /Base URL is not an http/],
		['a query without an address', { ...usual, baseUrl: 'a.example?x=1' }, /Base URL is not an http/],
		['a custom header without a name', { ...usual, header: true, headerValue: 'x' }, /Header Name/],
		['a custom header without a value', { ...usual, header: true, headerName: 'X-Gateway' }, /Header Value/],
		['no key', { baseUrl: usual.baseUrl }, /API Key is empty/],
		['a key that is shortened', { ...usual, apiKey: 'acc_…cdef' }, /API Key contains a character/],
		['an invisible key', { ...usual, apiKey: '\u200B\n' }, /API Key is empty/],
	])('%s', async (_kind, credentials, message) => {
		const failure = await connect(new Context(credentials).asContext());
		expect(failure).toMatchObject({
			outcome: 'unsent',
			cause: 'withheld',
			message: expect.stringMatching(message) as string,
		});
		expect(JSON.stringify(failure)).not.toContain(KEY);
	});

	test.each([
		'https://a.example?code=abc',
		'https://a.example/#abc',
		'https://ada:abc@a.example',
		'https://abc@a.example/@team',
	])('and a secret in the Base URL leads to the custom header, and is not shown: %s', async (baseUrl) => {
		const failure = await connect(new Context({ ...usual, baseUrl }).asContext());
		expect(failure).toHaveProperty('description', expect.stringContaining('Add Custom Header'));
		expect(JSON.stringify(failure)).not.toContain('abc');
	});

	test('no credential chosen', async () => {
		const getCredentials = () => Promise.reject(new Error('Node does not have any credentials set'));
		const failure = await connect({ getCredentials } as unknown as IAllExecuteFunctions);
		expect(failure).toMatchObject({
			outcome: 'unsent',
			message: 'The API key could not be read',
			description: expect.stringContaining('Node does not have any credentials set') as string,
		});
	});
});

const idOf = async (credentials: object) => (await new Context(credentials).service()).id;

const unseen = `\uFEFFacc_01234\u200B\n56789abcdef\u00A0`;

test.each([
	['spaces and slashes', { baseUrl: ' https://service.example/ ', apiKey: ` ${KEY} ` }, true],
	['invisible characters in the key', { ...usual, apiKey: unseen }, true],
	['another gateway before it', { ...usual, header: true, headerName: 'X-Gateway', headerValue: 'x' }, true],
	['another address', { ...usual, baseUrl: 'https://other.example' }, false],
	['another key', { ...usual, apiKey: `${KEY}0` }, false],
])('the name of the service with %s is the same: %#', async (_kind, credentials, same) => {
	expect((await idOf(credentials)) === (await idOf(usual))).toBe(same);
	expect(await idOf(credentials)).toMatch(/^[\w+/]{43}=$/);
});

interface Slow {
	/** Whether the request ends when it is aborted. */
	stops?: boolean;
	/** The signal of the execution. */
	cancelled?: AbortSignal;
	socket?: object;
}

describe('the time of a request', () => {
	/** An n8n whose requests end only when their signal is aborted, with an error with this request, if at all. */
	function slow({ stops = true, cancelled, socket }: Slow) {
		const signals: AbortSignal[] = [];
		const answer: Answer = ({ context, options }) => {
			// As n8n does: the execution's signal, if any, overrides the options.
			const signal = (context.getExecutionCancelSignal?.() ?? options.abortSignal) as AbortSignal;
			signals.push(signal);
			return new Promise((_, reject) => {
				const error = Object.assign(new Error('stopped'), { code: 'ERR_CANCELED', request: { socket } });
				if (stops) signal.addEventListener('abort', () => reject(error));
			});
		};
		const more = cancelled === undefined ? {} : { getExecutionCancelSignal: () => cancelled };
		return { context: new Context(usual, answer, more), signals };
	}

	test.each<[string, Slow]>([
		['the request stops then', {}],
		['it does not', { stops: false }],
		['n8n takes the signal of the execution', { cancelled: new AbortController().signal }],
	])('is over when it says so, whether %s', async (_what, given) => {
		const { context, signals } = slow(given);
		expect(await (await context.service()).request(remove, { timeoutMs: 30 })).toMatchObject({
			outcome: 'unknown',
			message: 'The service did not answer in time',
		});
		expect(signals[0]?.aborted).toBe(true);
		if (given.cancelled !== undefined) expect(getEventListeners(given.cancelled, 'abort')).toEqual([]);
	});

	test('is over when the answer has arrived: reading a long one may take longer', async () => {
		const pause = systemClock.sleep.bind(systemClock);
		jest.spyOn(systemClock, 'sleep').mockImplementationOnce(async () => await pause(300));
		const body = JSON.stringify(Array.from({ length: 100_000 }, (_, n) => `text ${n}`));
		const reply = await asked({ headers: { 'content-type': MEDIA_TYPE }, body }, { timeoutMs: 30 });
		expect(isFailure(reply) ? reply.message : (reply.body as string[]).length).toBe(100_000);
		jest.restoreAllMocks();
	});

	test.each([
		['before there was a connection', { _bytesDispatched: 0 }, 'no connection was made in time'],
		[
			'while TLS was agreed on',
			{ encrypted: true, secureConnecting: true },
			'no connection was made in time',
		],
	])('is over %s: nothing has left', async (_when, socket, message) => {
		const { context } = slow({ socket });
		expect(await (await context.service()).request(remove, { timeoutMs: 30 })).toMatchObject({
			outcome: 'unsent',
			cause: 'neverLeft',
			message: expect.stringContaining(message) as string,
		});
	});

	test.each([
		['before a connection was made', { _bytesDispatched: 0 }, 'unsent'],
		['while the request was on its way', { _bytesDispatched: 9 }, 'unknown'],
	])('ends when the execution is cancelled %s', async (when, socket, outcome) => {
		const halt = new AbortController();
		const { context } = slow({ cancelled: halt.signal, socket });
		const request = (await context.service()).request(remove, { timeoutMs: 60_000 });
		halt.abort();
		const message = `The run was stopped ${when}`;
		expect(await endsSoon(request, 'The request')).toMatchObject({ outcome, message });
	});
});

describe('the Base URL', () => {
	test.each([
		['  https://messaging.example.com/ \n', 'https://messaging.example.com'],
		['http://[::1]:8080/', 'http://[::1]:8080'],
		['https://example.com/messaging//API/V1//', 'https://example.com/messaging'],
		['https://example.com/Me', 'https://example.com/Me'],
		['https://example.com/myapi/v1', 'https://example.com/myapi/v1'],
		['https://example.com/api/v1/Me', 'https://example.com'],
		['https://example.com/api/v1/messaging', 'https://example.com/api/v1/messaging'],
		['https://api/v1', 'https://api/v1'],
		['https://example.com/@team', 'https://example.com/@team'],
	])('%j becomes %j', (given, expected) => {
		expect(normalizeBaseUrl(given)).toBe(expected);
	});

	test.each([
		...['', 'messaging.example.com', 'ftp://messaging.example.com', 'https://', 'http://exa mple.com'],
		...['https://example.com:port', 'https://example.com?key=1', 'https://example.com/#top'],
		...['https://ada:s3@example.com', 'https://ada@example.com/x', 'https://:s3@example.com'],
		`https://example.com${'/'.repeat(60_000)}x`,
	])('%j is no address', (given) => {
		expect(normalizeBaseUrl(given)).toBeUndefined();
	});
});
