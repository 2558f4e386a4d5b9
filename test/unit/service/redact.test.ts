import { maskToken, maskTokens, redact } from '../../../nodes/Messaging/service/redact.ts';

test.each([
	['acc_0123456789abcdef', 'acc_…cdef'],
	['org_0123456789abcdef', 'org_…cdef'],
	['0123456789abcdef', '…cdef'],
	['acc_123456789', 'acc_…6789'],
	['acc_12345678', 'acc_…'],
	['short', '…'],
	['', '…'],
])('shows the token %s as %s', (token, shown) => {
	expect(maskToken(token)).toBe(shown);
});

describe('in text', () => {
	const key = 'acc_0123456789abcdef';

	test.each([
		['', ''],
		['nothing here', 'nothing here'],
		[`a ${key}, and ${key}`, 'a acc_…cdef, and acc_…cdef'],
		[`{"apiKey":"${key}"}`, '{"apiKey":"acc_…cdef"}'],
		[`${key}${key}`, 'acc_…cdefacc_…cdef'],
	])('%j becomes %j', (text, expected) => {
		expect(redact(text, key)).toBe(expected);
	});

	test('the key is found where JSON had to escape it', () => {
		const odd = 'acc_01234"5678\\9abcdef';
		expect(redact(JSON.stringify({ said: odd }), odd)).toBe('{"said":"acc_…cdef"}');
	});

	test('no key changes nothing', () => {
		expect(redact('some text', '')).toBe('some text');
	});
});

test('masks tokens at any depth, and nothing else', () => {
	const token = 'acc_0123456789abcdef';
	const id = { apiKey: { id: 'k', apiKey: token } };
	expect(
		maskTokens({
			apiKey: token,
			keys: [{ apiKey: token, name: token }],
			nested: id,
			count: 1,
			none: null,
			list: [null],
		}),
	).toStrictEqual({
		apiKey: 'acc_…cdef',
		keys: [{ apiKey: 'acc_…cdef', name: token }],
		nested: { apiKey: { id: 'k', apiKey: 'acc_…cdef' } },
		count: 1,
		none: null,
		list: [null],
	});
});

test.each([undefined, null, 'acc_0123456789abcdef', 5])(
	'a response %j without fields stays as it is',
	(value) => {
		expect(maskTokens(value)).toBe(value);
	},
);
