import * as fc from 'fast-check';

import { maskOf } from '../../../nodes/Messaging/service/redact.ts';
import {
	maskedReply,
	maskKey,
	maskLabelled,
	maskShapes,
	maskTokens,
} from '../../../nodes/Messaging/service/tokens.ts';
import { Turns } from '../../../nodes/Messaging/time/turns.ts';
import { runs } from '../support/arbitraries.ts';
import { turnsOf } from '../support/busy-clock.ts';

const token = 'acc_0123456789abcdef';
const other = 'secret-of-no-known-shape-77';

describe('in results', () => {
	test('tokens are masked at any depth, and nothing else', async () => {
		expect(
			await maskTokens({
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
	])('in a field %s: as text, in a list, and in an object of its own', async (name) => {
		const body = { [name]: other, a: { [name]: [other, [other]] }, b: { [name]: { id: 'k', value: other } } };
		expect(await maskTokens(body)).toStrictEqual({
			[name]: '…e-77',
			a: { [name]: ['…e-77', ['…e-77']] },
			b: { [name]: { id: 'k', value: '…e-77' } },
		});
	});

	test('in a curl command and in JSON as text, but not in an id that begins like one', async () => {
		expect(
			await maskTokens({
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

	test("a token among a channel's parameters is the user's own, an API key is not", async () => {
		expect(
			await maskTokens({ parameters: { token: other, bot: { token: other }, apiKey: other } }),
		).toStrictEqual({
			parameters: { token: other, bot: { token: other }, apiKey: '…e-77' },
		});
	});

	test.each([undefined, null, token, 5])('a response %j without fields stays as it is', async (value) => {
		expect(await maskTokens(value)).toBe(value);
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

	test('in values, names, lists, text and headers', async () => {
		expect(
			await reply(
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
		expect((await reply(`No ${token}`)).body).toBe('No acc_…cdef');
	});

	test('what is said about a key is no token, and stays', async () => {
		const said = { errors: { apiKey: ['The key is unknown.', 'Bearer abcdefghijkl'] } };
		expect((await reply(said)).body).toStrictEqual({ errors: { apiKey: ['The key is unknown.', '…ijkl'] } });
	});

	test('fields keep their order when one of them gets another name, and __proto__ is a name like any other', async () => {
		const body: unknown = JSON.parse(`{"b":1,"${token}":2,"a":3,"__proto__":{"x":"${token}"}}`);
		const masked = (await reply(body)).body as object;
		expect(JSON.stringify(masked)).toBe('{"b":1,"acc_…cdef":2,"a":3,"__proto__":{"x":"acc_…cdef"}}');
	});
});

describe('the key in use, in a body', () => {
	const mask = (body: unknown, key = token) => maskKey(body, maskOf(key), key);

	test('in names, values, lists and numbers', async () => {
		expect(await mask({ [token]: token, list: [`x ${token}`], deep: { [`a ${token}`]: 1 } })).toStrictEqual({
			'acc_…cdef': 'acc_…cdef',
			list: ['x acc_…cdef'],
			deep: { 'a acc_…cdef': 1 },
		});
		expect(await mask({ n: 1234567890, m: 1 }, '1234567890')).toStrictEqual({ n: '…7890', m: 1 });
		expect(await mask(token)).toBe('acc_…cdef');
	});

	test('any body without it stays as it is', async () => {
		await fc.assert(
			fc.asyncProperty(fc.jsonValue(), async (value) => {
				const text = JSON.stringify(value);
				expect(await mask(JSON.parse(text))).toStrictEqual(JSON.parse(text));
			}),
		);
	});
});

describe('bodies that are nested deeply', () => {
	const nested = (depth: number, inside: string) =>
		JSON.parse(`${'{"a":['.repeat(depth / 2)}${inside}${']}'.repeat(depth / 2)}`) as unknown;

	test('up to five hundred levels are read', async () => {
		expect(JSON.stringify(await maskTokens(nested(498, `{"apiKey":"${token}"}`)))).toContain(
			'{"apiKey":"acc_…cdef"}',
		);
	});

	test('a hundred thousand levels are nothing that anybody can read', async () => {
		const body = `"${token}"`;
		expect(await maskKey(nested(100_000, body), maskOf(token), token)).toBeUndefined();
		expect(await maskTokens(nested(100_000, body))).toBeUndefined();
		const failed = await maskedReply({ status: 400, headers: {}, body: nested(100_000, body) });
		expect(failed.body).toBeUndefined();
	});

	test('wide ones are, each value once', async () => {
		const list = Array.from({ length: 200_000 }, () => token);
		expect(new Set((await maskKey(list, maskOf(token), token)) as string[])).toStrictEqual(
			new Set(['acc_…cdef']),
		);
	});
});

describe('what is long', () => {
	/** Texts in which tokens begin, go on and end in all kinds of places. */
	const piece = fc.constantFrom(
		...['acc_', 'org_', 'x', 'acc_0123456789abcdef', 'api key: ', 'X-API-KEY:', "apikey = '", 'org_a.......'],
		...['.', '%', '\\\\', '-', ' ', '_', '/', '=', '…', 'acc_x~~~~~~', 'word '],
	);
	const filler = fc.constantFrom(
		...['lorem ipsum ', 'abcdefgh', '........', '\\\\n', 'acc_', '=/+-'].map((text) => text.repeat(3000)),
	);
	const long = fc
		.array(fc.oneof({ weight: 5, arbitrary: piece }, { weight: 1, arbitrary: filler }), { maxLength: 40 })
		.map((parts) => parts.join(''));

	test('is masked as what is short, portion by portion', async () => {
		await fc.assert(
			fc.asyncProperty(long, async (text) => {
				for (const mask of [maskShapes, maskLabelled]) {
					expect((await mask.inTurns(text, new Turns())) === mask(text)).toBe(true);
				}
			}),
			runs(300),
		);
	});

	test('is searched at its every place, wherever its portions end', async () => {
		for (const form of [token, `x${token}`, `x-api-key:   ${token}`, 'acc_0.......']) {
			for (let before = 8192 - 30; before < 8192 + 5; before++) {
				for (const filler of [' ', 'x', '.']) {
					const text = filler.repeat(before) + form + filler.repeat(9000);
					for (const mask of [maskShapes, maskLabelled]) {
						expect((await mask.inTurns(text, new Turns())) === mask(text)).toBe(true);
					}
				}
			}
		}
	});

	test('a token of a million characters is masked as one', async () => {
		const huge = `acc_${'a1'.repeat(500_000)}`;
		expect(await maskTokens({ note: `X-API-KEY: ${huge}`, apiKey: huge })).toStrictEqual({
			note: 'X-API-KEY: acc_…a1a1',
			apiKey: 'acc_…a1a1',
		});
		expect((await maskedReply({ status: 400, headers: {}, body: huge })).body).toBe('acc_…a1a1');
	});

	test.each<[kind: string, body: () => unknown]>([
		['many records', () => Array.from({ length: 20_000 }, (_, n) => ({ n, name: `name ${n}`, more: [n] }))],
		['many empty lists', () => Array.from({ length: 100_000 }, () => [])],
		['many fields', () => Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`field ${n}`, n]))],
		['a long text', () => ({ text: 'acc_0123456'.repeat(20_000) })],
		['a long text of escapes', () => ['%2541'.repeat(40_000)]],
		['a long name', () => ({ ['x-'.repeat(100_000)]: 1 })],
		['long texts', () => Array.from({ length: 200 }, () => '\\u0041'.repeat(300))],
	])('others have their turns meanwhile: %s', async (_kind, body) => {
		const mask = maskOf(token);
		const turns = await turnsOf(async (own) => await maskKey(body(), mask, token, own));
		// A look at the clock comes after 500 small steps, or 8 KB of a long text.
		expect(turns).toBeGreaterThanOrEqual(20);
	});

	test('what is short is masked in one go', async () => {
		const body = { apiKey: token, list: Array.from({ length: 20 }, (_, n) => ({ n, text: 'short' })) };
		expect(await turnsOf(async (own) => await maskKey(body, maskOf(token), token, own))).toBe(0);
	});
});
