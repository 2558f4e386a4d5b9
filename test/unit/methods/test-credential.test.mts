import { Readable } from 'node:stream';
import type { ICredentialTestFunctions, INodeCredentialTestResult } from 'n8n-workflow';

import { testCredential } from '../../../nodes/Messaging/methods/test-credential.ts';

const KEY = 'acc_0123456789abcdef';
const JSON_TYPE = { 'content-type': 'application/json; v=1.0' };
const usual = { baseUrl: 'https://service.example', apiKey: KEY };

/** What n8n's request function returns or throws. */
type Answer = () => { statusCode: number; headers: object; body: unknown };

/** Presses "Test" in the dialog, with a service that answers this. */
async function pressTest(
	answer: Answer,
	data: object = usual,
): Promise<{ result: INodeCredentialTestResult; requests: unknown[] }> {
	const requests: unknown[] = [];
	const context = {
		helpers: {
			async request(options: object) {
				requests.push(options);
				return answer();
			},
		},
	} as unknown as ICredentialTestFunctions;
	const credential = { id: '1', name: 'Mine', type: 'messagingApi', data: { ...data } };
	const result = await testCredential.call(context, credential);
	expect(JSON.stringify(result)).not.toContain(KEY);
	return { result, requests };
}

const answering =
	(statusCode: number, body: string | undefined, headers: object = JSON_TYPE): Answer =>
	() => ({ statusCode, headers, body });

test('asks who the key is, once, and follows no redirect', async () => {
	const { result, requests } = await pressTest(answering(200, '{"id":"x"}'), {
		baseUrl: ' https://service.example/prefix/ ',
		apiKey: ` ${KEY}\u200B\n`,
	});

	expect(result).toStrictEqual({ status: 'OK', message: 'Connection successful!' });
	expect(requests).toStrictEqual([
		{
			method: 'GET',
			uri: 'https://service.example/prefix/api/v1/Me',
			headers: { Accept: 'application/json; v=1.0', 'X-API-KEY': KEY },
			timeout: 11_000,
			useStream: true,
			followRedirect: false,
			resolveWithFullResponse: true,
			simple: false,
		},
	]);
});

test('an answer with a list that has one is a success, too', async () => {
	expect((await pressTest(answering(200, '[{"id":"x"}]'))).result).toMatchObject({ status: 'OK' });
});

const refused = answering(200, '{"success":false,"message":"No such key"}');
const repeatsKey = answering(401, `{"title":"No key ${KEY}"}`);
const elsewhere = answering(404, '{"title":"Not Found"}');

test.each<[kind: string, answer: Answer, message: RegExp]>([
	['a refusal inside a 2xx', refused, /^No such key\./],
	['text', answering(200, 'hello'), /Something else came back.*Base URL/],
	// As Caddy and nginx answer where they have nothing.
	['no body', answering(204, undefined), /empty answer came back.*Base URL/],
	['an empty page', answering(200, '', { 'content-type': 'text/html' }), /empty answer.*Base URL/],
	['an empty list', answering(200, '[]'), /Something else came back.*Base URL/],
	['a refusal that repeats the key', repeatsKey, /^No key acc_…cdef\. Check the API Key/],
	[
		'a refusal with a link in it',
		answering(403, '{"title":"<a href=x>Sign in</a>"}'),
		/^<\u200ba href=x>Sign in</,
	],
	['a path that is not there', elsewhere, /^Not Found\..*check the Base URL/],
])('an answer with %s is no success, and says why', async (_kind, answer, message) => {
	const { result, requests } = await pressTest(answer);

	expect(result).toStrictEqual({ status: 'Error', message: expect.stringMatching(message) as string });
	expect(requests).toHaveLength(1);
});

test.each<[kind: string, error: object, message: RegExp]>([
	['nothing answers', { code: 'ECONNREFUSED', syscall: 'connect' }, /Check the Base URL.*ECONNREFUSED/],
	[
		// n8n shows no socket here.
		'the port speaks http',
		{
			code: 'EPROTO',
			message: 'write EPROTO 80:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:x',
		},
		/may speak http only\. Check the Base URL.*http:\/\//,
	],
	[
		'it is hung up while it is secured',
		{
			code: 'ECONNRESET',
			message: 'Client network socket disconnected before secure TLS connection was established',
		},
		/may speak http only\. Check the Base URL.*http:\/\//,
	],
	// The dialog has no option Timeout.
	['the time is up', { code: 'ECONNABORTED' }, /did not answer in time(?!.*option)/],
])('when %s it says so, and does not show what n8n knows of the request', async (_kind, error, message) => {
	const { result } = await pressTest(() => {
		throw Object.assign(new Error('failed'), error, { options: { headers: { 'X-API-KEY': KEY } } });
	});

	expect(result).toStrictEqual({ status: 'Error', message: expect.stringMatching(message) as string });
});

test('sends the custom header, and never shows its value', async () => {
	const header = { header: true, headerName: 'X-Gateway', headerValue: 'gateway-secret' };
	const repeats = answering(403, '{"title":"No such key: gateway-secret"}');
	const { result, requests } = await pressTest(repeats, { ...usual, ...header });
	expect(requests).toMatchObject([{ headers: { 'X-API-KEY': KEY, 'X-Gateway': 'gateway-secret' } }]);
	expect(result.message).toMatch(/^No such key: …cret\./);
});

test('an answer that is a stream is read, and closed when it takes too long', async () => {
	const stream = Readable.from([Buffer.from('{"title":'), Buffer.from('"No such key"}')]);
	const answer = answering(401, stream as never);
	expect((await pressTest(answer)).result.message).toMatch(/^No such key\./);

	const late = new Readable({ read() {} });
	const timeout = jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
		const stopper = new AbortController();
		setImmediate(() => setImmediate(() => stopper.abort()));
		return stopper.signal;
	});
	const { result } = await pressTest(answering(200, late as never));
	timeout.mockRestore();
	expect(result.message).toMatch(/did not answer in time/);
	expect(late.destroyed).toBe(true);
});

test('with a credential that can not be used nothing is asked', async () => {
	const { result, requests } = await pressTest(answering(200, '{}'), { apiKey: KEY });
	const message = expect.stringMatching(/Base URL is not an http/) as string;

	expect(result).toStrictEqual({ status: 'Error', message });
	expect(requests).toStrictEqual([]);
});
