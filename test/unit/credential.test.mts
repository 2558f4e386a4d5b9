import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { headerProblem, secretsOf } from '../../credentials/api-key';
import { MessagingApi } from '../../credentials/MessagingApi.credentials';

const { authenticate } = new MessagingApi();

describe('the credential puts the key into each request', () => {
	it.each([...' \u200B\uFEFF\u00AD\u00A0\u2060\u202A\u0000\u0085\uFE0F', '\r\n'])(
		'without invisible characters (%j) anywhere',
		async (unseen) => {
			const apiKey = `${unseen}acc_${unseen}key${unseen}`;
			const { headers } = await authenticate({ apiKey }, { url: 'https://messaging.example.com' });

			expect(headers).toEqual({ 'X-API-KEY': 'acc_key' });
		},
	);

	it('beside the headers of the caller, which it leaves as they are', async () => {
		const headers = { Accept: 'application/json' };
		const options = await authenticate({ apiKey: 'acc_key' }, { url: 'https://example.com', headers });

		expect(options).toEqual({
			url: 'https://example.com',
			headers: { Accept: 'application/json', 'X-API-KEY': 'acc_key' },
		});
		expect(headers).toEqual({ Accept: 'application/json' });
	});

	it('as an empty header when there is none, which the service refuses', async () => {
		const { headers } = await authenticate({}, { url: 'https://messaging.example.com' });

		expect(headers).toEqual({ 'X-API-KEY': '' });
	});
});

describe('the custom header', () => {
	const on = { apiKey: 'acc_key', header: true, headerName: 'X-Gateway', headerValue: 'secret' };
	const headersOf = async (credentials: ICredentialDataDecryptedObject) =>
		(await authenticate(credentials, { url: 'https://example.com', headers: { Accept: 'x' } })).headers;

	it('goes with each request, without spaces around', async () => {
		const expected = { Accept: 'x', 'X-API-KEY': 'acc_key', 'X-Gateway': 'secret' };
		expect(await headersOf(on)).toEqual(expected);
		expect(await headersOf({ ...on, headerName: ' X-Gateway\n', headerValue: '\tsecret\r\n' })).toEqual(
			expected,
		);
	});

	it('does not if it is switched off', async () => {
		for (const header of [false, undefined, '', 'false']) {
			const { header: _, ...rest } = on;
			const credentials = header === undefined ? rest : { ...rest, header };
			expect(await headersOf(credentials)).toEqual({ Accept: 'x', 'X-API-KEY': 'acc_key' });
			expect(headerProblem(credentials)).toBeUndefined();
		}
	});

	it.each([
		...[
			'',
			' ',
			'X Gateway',
			'X-Gateway:',
			'X-Gätway',
			'X\nY',
			'X-API-KEY',
			'x-api-key',
			'Host',
			'host',
			'Accept',
		],
		...['Content-Type', 'content-length', 'Content-Anything', 'Transfer-Encoding', 'Connection', 'acc_"key"'],
		...['Trailer', 'common', 'GET', 'post', '__proto__', 'constructor'],
	])('can not be named %j', async (headerName) => {
		const problem = headerProblem({ ...on, headerName });
		expect(problem?.[0]).toContain('Header Name');
		await expect(headersOf({ ...on, headerName })).rejects.toThrow(/Header Name/);
	});

	it.each([
		'Accept-Language',
		'Contents',
		'Hostname',
		'Authorization',
		'Ocp-Apim-Subscription-Key',
		"!#$%&'*+.^_`|~0",
	])('can be named %s', async (headerName) => {
		expect(await headersOf({ ...on, headerName })).toMatchObject({ [headerName]: 'secret' });
	});

	it.each(['', '  ', 'a\nb', 'a\r\nX-Other: b', 'a\u0000', 'a\tb', 'a\u007f', 'ä', 'a\u200bb', '🙂'])(
		'can not have the value %j, which is not repeated',
		async (headerValue) => {
			const problem = headerProblem({ ...on, headerValue });
			expect(problem?.[0]).toContain('Header Value');
			await expect(headersOf({ ...on, headerValue })).rejects.toThrow(/Header Value/);
			if (headerValue.trim() !== '') expect(problem?.join()).not.toContain(headerValue);
		},
	);

	it('never replaces the key, whatever the caller sends', async () => {
		const options = { url: 'https://example.com', headers: { 'X-API-KEY': 'other' } };
		expect((await authenticate(on, options)).headers).toMatchObject({ 'X-API-KEY': 'acc_key' });
	});

	it('has a value that is as secret as the key, except a very short one', () => {
		const secrets = (headerValue: string) => secretsOf({ ...on, headerValue });
		expect(secrets('secret')).toEqual(expect.arrayContaining(['acc_key', 'secret']));
		expect(secrets('Bearer secret')).toEqual(expect.arrayContaining(['Bearer secret', 'secret']));
		expect(secrets('42')).toEqual(['acc_key']);
		expect(secretsOf({ ...on, header: false })).toEqual(['acc_key']);
	});
});
