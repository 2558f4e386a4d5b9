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
