import * as fc from 'fast-check';

import { runs } from '../../runs.mts';
import {
	bodyMask,
	DEEPEST,
	maskInErrors,
	maskInResults,
	maskOf,
	maskToken,
} from '../../../nodes/Messaging/service/secrets.ts';

const token = 'acc_0123456789abcdef';
const maskTokens = bodyMask(maskInResults);
const other = 'secret-of-no-known-shape-77';

test.each([
	['acc_0123456789abcdef', 'acc_…cdef'],
	['org_0123456789abcdef', 'org_…cdef'],
	['0123456789abcdef', '…cdef'],
	['acc_123456789', 'acc_…6789'],
	['acc_12345678', 'acc_…'],
	['short', '…'],
	['', '…'],
	['acc_…cdef', 'acc_…cdef'],
	['acc_…0123456789', 'acc_…6789'],
])('shows the token %s as %s', (whole, shown) => {
	expect(maskToken(whole)).toBe(shown);
});

describe('the key in use, in text', () => {
	const signs = 'acc_12+34/56=78"9\\0&<>x-y.z';
	const code = (character: string) => character.charCodeAt(0).toString(16);
	const json = (text: string) => JSON.stringify(text).slice(1, -1);

	test.each<[kind: string, form: string]>([
		['as ASP.NET writes JSON', signs.replace(/[^\w-]/g, (sign) => `\\u00${code(sign).toUpperCase()}`)],
		['as PHP writes JSON', json(signs).replaceAll('/', '\\/')],
		['in a URL, in lower case', encodeURIComponent(signs).replace(/%../g, (hex) => hex.toLowerCase())],
		['in a URL in a URL', encodeURIComponent(encodeURIComponent(signs))],
		['as a form has it', new URLSearchParams({ k: signs }).toString().slice(2)],
		['in a URL in JSON', json(encodeURIComponent(signs))],
	])('%s is masked, and nothing around it', (_kind, form) => {
		const around = 'about 50 % off \\ & more: ';
		expect(maskOf(signs)(around + form + around + form + form)).toBe(
			`${around}acc_…-y.z${around}acc_…-y.zacc_…-y.z`,
		);
		expect(maskOf(signs)(around)).toBe(around);
	});

	test('a key of any characters, plain, as JSON and in a URL', () => {
		const sign = fc.integer({ min: 0x21, max: 0x7e }).map((number) => String.fromCharCode(number));
		fc.assert(
			fc.property(fc.array(sign, { minLength: 9, maxLength: 40 }), (signsOfKey) => {
				const key = `acc_${signsOfKey.join('')}`;
				for (const form of [key, json(key), json(json(key)), encodeURIComponent(key)]) {
					// Only maskToken's output remains, with at most a backslash before it.
					expect(maskOf(key)(`(${form})`).replace(/\\/g, '')).toBe(`(${maskToken(key).replace(/\\/g, '')})`);
				}
			}),
			runs(500),
		);
	});

	test.each([
		['acc_01234567', 'The key 01234567 (acc_01234567) is unknown', 'The key … (acc_…) is unknown'],
		['org_ab+cd/ef-WXYZ', 'ab+cd/ef-WXYZ, ab%2Bcd%2fef-WXYZ', '…WXYZ, …WXYZ'],
		['acc_0123456', '0123456 acc_0123456', '0123456 acc_…'],
	])('%s is masked without its prefix, from eight characters on', (key, text, expected) => {
		expect(maskOf(key)(text)).toBe(expected);
	});

	test.each([
		['a', 'apiKey=a; Bananas are a fruit', 'apiKey=…; Bananas are … fruit'],
		['ab', 'about {"apiKey":"ab"} grab', 'about {"apiKey":"…"} grab'],
		['key', 'monkey x-api-key: key', 'monkey x-api-…: …'],
		['a+b', '?k=a%2Bb&x=a%2Bbc', '?k=…&x=a%2Bbc'],
	])('a short one, %s, is masked where it stands alone: %s', (key, text, expected) => {
		expect(maskOf(key)(text)).toBe(expected);
	});

	test.each(['Hunter-2', 'a-secret-of-the-gateway'])(
		'a long one, %s, is masked within a word, too',
		(key) => {
			expect(maskOf(key)(`id${key}id`)).toBe(`id${maskToken(key)}id`);
		},
	);
});

test('several secrets are masked, also one that contains another', () => {
	const mask = maskOf('acc_0123456789', 'gateway-secret', 'Bearer gateway-secret');
	expect(mask('acc_0123456789 Bearer gateway-secret, Bearer+gateway-secret, Bearer%20gateway-secret')).toBe(
		'acc_…6789 …cret, …cret, …cret',
	);
	expect(mask('token gateway-secret')).toBe('token …cret');
});

describe('tokens of other keys, in errors', () => {
	test.each([
		[`The key ${token} is unknown`, 'The key acc_…cdef is unknown'],
		[`(${token}).`, '(acc_…cdef).'],
		['org_Ab1-Cd2_Ef3+Gh4/Ij5==', 'org_…j5=='],
		['key=acc_0123%2B567&x=1', 'key=acc_…B567&x=1'],
		['A key begins with acc_ or org_, as in "acc_...".', 'A key begins with acc_ or org_, as in "acc_...".'],
		['org_units has no acc_id', 'org_units has no acc_id'],
		['my_acc_0123456789, xacc_0123456789', 'my_acc_…6789, xacc_0123456789'],
	])('by their shape: %s', (text, expected) => {
		expect(maskInErrors(text)).toBe(expected);
	});

	test('in values, names and lists; what is said about a key is no token', () => {
		const body = {
			title: `No ${token}`,
			[token]: [`${token}`],
			ApiKey: [other],
			errors: { apiKey: ['The key is unknown.', 'Bearer abcdefghijkl'] },
		};
		expect(bodyMask(maskInErrors)(body)).toStrictEqual({
			title: 'No acc_…cdef',
			'acc_…cdef': ['acc_…cdef'],
			ApiKey: ['…e-77'],
			errors: { apiKey: ['The key is unknown.', '…ijkl'] },
		});
	});
});

describe('tokens of other keys, in results', () => {
	test('are masked at any depth, and nothing else', () => {
		const body = (key: string) => ({
			apiKey: key,
			keys: [{ apiKey: key, name: token }],
			nested: { apiKey: { id: 'k', apiKey: key } },
			count: 1,
			none: null,
			list: [null],
			apiKeyCount: 3,
		});
		expect(maskTokens(body(token))).toStrictEqual(body('acc_…cdef'));
	});

	test.each(['APIKEY', 'api_key', 'X-API-KEY', 'token', 'accessToken', 'apiKeys'])(
		'in a field %s: as text, in a list, and in an object of its own',
		(name) => {
			const body = (key: string) => ({
				[name]: key,
				a: { [name]: [key, [key]] },
				b: { [name]: { id: 'k', value: key } },
			});
			expect(maskTokens(body(other))).toStrictEqual(body('…e-77'));
		},
	);

	test.each([
		[
			`curl -H 'X-API-KEY: ${token}' -d '{"to":"org_x_08151"}'`,
			`curl -H 'X-API-KEY: acc_…cdef' -d '{"to":"org_x_08151"}'`,
		],
		[`X-API-KEY: ${other}`, 'X-API-KEY: …e-77'],
		[`Authorization: Bearer ${other}`, 'Authorization: Bearer …e-77'],
		['Authorization: the one of the owner', 'Authorization: the one of the owner'],
		['org_order-2024-1042', 'org_order-2024-1042'],
	])('in a text such as a curl command, and in errors too: %s', (text, expected) => {
		expect(maskInResults(text)).toBe(expected);
		if (!/org_/.test(text)) expect(maskInErrors(text)).toBe(expected);
		expect(maskInResults(expected)).toBe(expected);
	});

	test("those among a channel's parameters are credentials of other systems", () => {
		const body = (key: string) => ({ parameters: { token: key, bot: { token: key }, apiKey: key, port: 1 } });
		expect(maskTokens(body(other))).toStrictEqual(body('••••••••'));
	});

	test('also in a name alone', () => {
		expect(bodyMask(maskOf(token))({ a: { [token]: 1 } })).toStrictEqual({ a: { 'acc_…cdef': 1 } });
	});

	test('fields keep their order when one of them gets another name, and __proto__ is a name like any other', () => {
		const body: unknown = JSON.parse(`{"b":1,"${token}":2,"a":3,"__proto__":{"x":"${token}"}}`);
		expect(JSON.stringify(bodyMask(maskOf(token))(body))).toBe(
			'{"b":1,"acc_…cdef":2,"a":3,"__proto__":{"x":"acc_…cdef"}}',
		);
	});
});

test('five hundred levels are masked, one more is too much', () => {
	const nested = (depth: number): unknown =>
		JSON.parse(`${'{"a":['.repeat(depth / 2)}"${token}"${']}'.repeat(depth / 2)}`);
	const mask = bodyMask(maskOf(token));
	expect(JSON.stringify(mask(nested(DEEPEST)))).toContain('"acc_…cdef"');
	expect(() => mask(nested(DEEPEST + 2))).toThrow(RangeError);
	expect(() => mask(nested(100_000))).toThrow(RangeError);
});

test('the link of a question does not stay in its failure', () => {
	const link = 'https://n8n.example/webhook-waiting/7?signature=0f0f0f/node&question=0f0f1e';
	const problem = {
		title: `No: ${link}`,
		detail: `See ${link.replaceAll('=0f', '\\u003d0f')}`,
		errors: [{ url: encodeURIComponent(link), text: JSON.stringify({ link }) }],
	};
	const safe = bodyMask(maskInErrors)(problem);
	expect(JSON.stringify(safe)).not.toContain('0f0f');
	expect(safe.title).toBe('No: https://n8n.example/webhook-waiting/7?signature=…&question=…');
});
