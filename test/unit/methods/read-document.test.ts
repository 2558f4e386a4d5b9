import { Readable } from 'node:stream';

import type { IHttpRequestOptions, ILoadOptionsFunctions } from 'n8n-workflow';

import { readDocument } from '../../../nodes/Messaging/methods/form/read-document.ts';

afterEach(() => jest.restoreAllMocks());

/** What the editor gives a method, with a request that answers with this body. */
function contextFor(body: Readable): { context: ILoadOptionsFunctions; asked: IHttpRequestOptions[] } {
	const asked: IHttpRequestOptions[] = [];
	const context: Pick<ILoadOptionsFunctions, 'getCredentials'> & { helpers: object } = {
		getCredentials: async <T extends object>() =>
			({ baseUrl: 'https://api.example', apiKey: 'acc_0123"4567' }) as T,
		helpers: {
			httpRequest: async (options: IHttpRequestOptions) => {
				asked.push(options);
				return { statusCode: 200, body };
			},
		},
	};
	return { context: context as ILoadOptionsFunctions, asked };
}

test('a server that goes on for ever is given up when the time is up, and its connection with it', async () => {
	const clock = new AbortController();
	const limits: number[] = [];
	jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
		limits.push(ms);
		return clock.signal;
	});
	const body = new Readable({ read: () => undefined });
	const { context, asked } = contextFor(body);

	const reading = readDocument(context, '/schema.json');
	body.push(' ');
	await new Promise(setImmediate);
	body.push(' ');
	clock.abort();

	expect(await reading).toEqual({ problem: 'it could not be reached in time' });
	expect(body.destroyed).toBe(true);
	// The time of all of it, and of the silence before it.
	expect(limits).toEqual([10_000]);
	expect(asked).toMatchObject([{ abortSignal: clock.signal, timeout: 11_000 }]);
});

test('what comes in time is read as a whole', async () => {
	const { context } = contextFor(Readable.from([Buffer.from('{"a"'), Buffer.from(':1}')]));
	expect(await readDocument(context, '/schema.json')).toEqual({ document: { a: 1 } });
});

test.each([{ a: ['the acc_0123"4567 key'] }, { a: { 'acc_0123"4567': 1 } }, 'acc_0123"4567'])(
	'a document that repeats the key is not used: %j',
	async (document) => {
		const escaped = JSON.stringify(document).replaceAll('_', '\\u005f');
		const { context } = contextFor(Readable.from([Buffer.from(escaped)]));
		expect(await readDocument(context, '/schema.json')).toEqual({ problem: 'it has the API key in it' });
	},
);
