import * as fc from 'fast-check';

import { maskOf } from '../../../nodes/Messaging/service/redact.ts';
import { maskedReply, maskKey, maskShapes, maskTokens } from '../../../nodes/Messaging/service/tokens.ts';

const token = 'acc_0123456789abcdef';
const other = 'secret-of-no-known-shape-77';

describe('in results', () => {
	test('tokens are masked at any depth, and nothing else', () => {
		expect(
			maskTokens({
				apiKey: token,
				keys: [{ apiKey: token, name: token }],
				nested: { apiKey: { id: 'k', apiKey: token } },
				count: 1,
				none: null,
				list: [null],
				apiKeyCount: 3,
			}),
		).toStrictEqual({
			apiKey: 'acc_…cdef',
			keys: [{ apiKey: 'acc_…cdef', name: token }],
			nested: { apiKey: { id: 'k', apiKey: 'acc_…cdef' } },
			count: 1,
			none: null,
			list: [null],
			apiKeyCount: 3,
		});
	});

	test.each([
		'apiKey',
		'ApiKey',
		'APIKEY',
		'api_key',
		'api-key',
		'x-api-key',
		'X-API-KEY',
		'token',
		'apiKeys',
	])('in a field %s: as text, in a list, and in an object of its own', (name) => {
		const body = { [name]: other, a: { [name]: [other, [other]] }, b: { [name]: { id: 'k', value: other } } };
		expect(maskTokens(body)).toStrictEqual({
			[name]: '…e-77',
			a: { [name]: ['…e-77', ['…e-77']] },
			b: { [name]: { id: 'k', value: '…e-77' } },
		});
	});

	test('in a curl command and in JSON as text, but not in an id that begins like one', () => {
		expect(
			maskTokens({
				curlCommand: `curl -H 'X-API-KEY: ${token}' -d '{"to":"org_customer_0815"}'`,
				responseBody: `{\\"apiKey\\":\\"${token}\\"}`,
				correlationId: 'org_order-2024-1042',
			}),
		).toStrictEqual({
			curlCommand: `curl -H 'X-API-KEY: acc_…cdef' -d '{"to":"org_customer_0815"}'`,
			responseBody: '{\\"apiKey\\":\\"acc_…cdef\\"}',
			correlationId: 'org_order-2024-1042',
		});
	});

	test("a token among a channel's parameters is the user's own, an API key is not", () => {
		expect(maskTokens({ parameters: { token: other, bot: { token: other }, apiKey: other } })).toStrictEqual({
			parameters: { token: other, bot: { token: other }, apiKey: '…e-77' },
		});
	});

	test.each([undefined, null, token, 5])('a response %j without fields stays as it is', (value) => {
		expect(maskTokens(value)).toBe(value);
	});
});

describe('in errors', () => {
	const reply = (body: unknown, headers = {}) => maskedReply({ status: 400, headers, body });

	test.each([
		[`The key ${token} is unknown`, 'The key acc_…cdef is unknown'],
		[`(${token}).`, '(acc_…cdef).'],
		['org_Ab1-Cd2_Ef3+Gh4/Ij5==', 'org_…j5=='],
		['key=acc_0123%2B567&x=1', 'key=acc_…B567&x=1'],
		['A key begins with acc_ or org_, as in "acc_...".', 'A key begins with acc_ or org_, as in "acc_...".'],
		['org_units has no acc_id', 'org_units has no acc_id'],
		['my_acc_0123456789, xacc_0123456789', 'my_acc_…6789, xacc_0123456789'],
	])('text: %s', (text, expected) => {
		expect(maskShapes(text)).toBe(expected);
	});

	test('in values, names, lists, text and headers', () => {
		expect(
			reply(
				{ title: `No ${token}`, [token]: [`${token}`], ApiKey: [other], more: { token: other }, status: 400 },
				{ location: `https://x.example/?k=${token}` },
			),
		).toStrictEqual({
			status: 400,
			headers: { location: 'https://x.example/?k=acc_…cdef' },
			body: {
				title: 'No acc_…cdef',
				'acc_…cdef': ['acc_…cdef'],
				ApiKey: ['…e-77'],
				more: { token: '…e-77' },
				status: 400,
			},
		});
		expect(reply(`No ${token}`).body).toBe('No acc_…cdef');
	});

	test('what is said about a key is no token, and stays', () => {
		const said = { errors: { apiKey: ['The key is unknown.', 'Bearer abcdefghijkl'] } };
		expect(reply(said).body).toStrictEqual({ errors: { apiKey: ['The key is unknown.', '…ijkl'] } });
	});

	test('fields keep their order when one of them gets another name, and __proto__ is a name like any other', () => {
		const body: unknown = JSON.parse(`{"b":1,"${token}":2,"a":3,"__proto__":{"x":"${token}"}}`);
		const masked = reply(body).body as object;
		expect(JSON.stringify(masked)).toBe('{"b":1,"acc_…cdef":2,"a":3,"__proto__":{"x":"acc_…cdef"}}');
	});
});

describe('the key in use, in a body', () => {
	const mask = (body: unknown, key = token) => maskKey(body, maskOf(key), key);

	test('in names, values, lists and numbers', () => {
		expect(mask({ [token]: token, list: [`x ${token}`], deep: { [`a ${token}`]: 1 } })).toStrictEqual({
			'acc_…cdef': 'acc_…cdef',
			list: ['x acc_…cdef'],
			deep: { 'a acc_…cdef': 1 },
		});
		expect(mask({ n: 1234567890, m: 1 }, '1234567890')).toStrictEqual({ n: '…7890', m: 1 });
		expect(mask(token)).toBe('acc_…cdef');
	});

	test('any body without it stays as it is', () => {
		fc.assert(
			fc.property(fc.jsonValue(), (value) => {
				const text = JSON.stringify(value);
				expect(mask(JSON.parse(text))).toStrictEqual(JSON.parse(text));
			}),
		);
	});
});

describe('bodies that are nested deeply', () => {
	const nested = (depth: number, inside: string) =>
		JSON.parse(`${'{"a":['.repeat(depth / 2)}${inside}${']}'.repeat(depth / 2)}`) as unknown;

	test('up to five hundred levels are read', () => {
		expect(JSON.stringify(maskTokens(nested(498, `{"apiKey":"${token}"}`)))).toContain(
			'{"apiKey":"acc_…cdef"}',
		);
	});

	test('a hundred thousand levels are nothing that anybody can read', () => {
		const body = `"${token}"`;
		expect(maskKey(nested(100_000, body), maskOf(token), token)).toBeUndefined();
		expect(maskTokens(nested(100_000, body))).toBeUndefined();
		expect(maskedReply({ status: 400, headers: {}, body: nested(100_000, body) }).body).toBeUndefined();
	});

	test('wide ones are, each value once', () => {
		const list = Array.from({ length: 200_000 }, () => token);
		expect(new Set(maskKey(list, maskOf(token), token) as string[])).toStrictEqual(new Set(['acc_…cdef']));
	});
});
