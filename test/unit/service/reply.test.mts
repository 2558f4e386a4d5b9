import { parseBody, parseExactly } from '../../../nodes/Messaging/service/reply.ts';
import { apiCall } from '../../../nodes/Messaging/service/api-call.ts';
import { type Service, serviceOf } from '../../../nodes/Messaging/service/connect.ts';
import { systemClock } from '../../../nodes/Messaging/shared/clock.ts';
import { TURN_MS } from '../../../nodes/Messaging/shared/turns.ts';

const JSON_TYPE = 'application/json; v=1.0';

test.each<[kind: string, text: string, contentType: string | undefined, expected: unknown]>([
	['an object', '{"a":[1,null]}', JSON_TYPE, { a: [1, null] }],
	['JSON of another subtype', '{"a":1}', 'application/problem+json', { a: 1 }],
	['a quoted text', '"done"', 'Application/JSON', 'done'],
	['a number', '5', JSON_TYPE, 5],
	['null', 'null', JSON_TYPE, null],
	['nothing', '', JSON_TYPE, undefined],
	['only space', ' \r\n', undefined, undefined],
	['JSON as plain text', ' {"a":1}', 'text/plain; v=1.0', { a: 1 }],
	['JSON without a type', '[{"a":1}]', undefined, [{ a: 1 }]],
	['JSON behind a byte order mark', '\ufeff{"a":1}', JSON_TYPE, { a: 1 }],
	['text', 'Accepted', 'text/plain; v=1.0', 'Accepted'],
	['a number as plain text stays text', '5', 'text/plain', '5'],
	['text that begins like JSON', '[see log]', 'text/plain', '[see log]'],
	['broken JSON', '{"a":', JSON_TYPE, '{"a":'],
	['brackets without an end', '['.repeat(100_000), JSON_TYPE, '['.repeat(100_000)],
	['a page', '<html></html>', 'text/html', '<html></html>'],
])('reads %s', (_kind, text, contentType, expected) => {
	expect(parseBody(text, contentType)).toStrictEqual(expected);
});

describe('a whole number above 2^53 keeps its digits, as text', () => {
	test.each<[text: string, value: unknown]>([
		['{"messageId":12345678901234567890}', { messageId: '12345678901234567890' }],
		[
			'[-9007199254740993, 9007199254740991,9007199254740992]',
			['-9007199254740993', 2 ** 53 - 1, '9007199254740992'],
		],
		['12345678901234567890', '12345678901234567890'],
		['{"12345678901234567890":"12345678901234567890"}', { '12345678901234567890': '12345678901234567890' }],
		['["\\"",12345678901234567890,"\\\\",1]', ['"', '12345678901234567890', '\\', 1]],
		[
			'["a 12345678901234567890, b\\" 12345678901234567890"]',
			['a 12345678901234567890, b" 12345678901234567890'],
		],
		[
			'[0.12345678901234567890,1234567890123456.5,1234567890123456789e2]',
			[0.12345678901234568, 1234567890123456.5, 1234567890123456789e2],
		],
	])('%s', (text, value) => {
		expect(parseExactly(text)).toStrictEqual(value);
	});

	test('beside a text of 16 million characters too', () => {
		const long = 'a'.repeat(16 * 1024 * 1024);
		expect(parseExactly(`["${long}",12345678901234567890]`)).toStrictEqual([long, '12345678901234567890']);
	});

	test('except beside a text with millions of escapes: then it is rounded, and the rest is read all the same', () => {
		const escapes = '\\n'.repeat(4 * 1024 * 1024);
		expect(parseExactly(`["${escapes}",12345678901234567890]`)).toStrictEqual([
			'\n'.repeat(4 * 1024 * 1024),
			12345678901234567890,
		]);
	});

	test('what is no JSON is refused', () => {
		expect(() => parseExactly('{"a":12345678901234567890')).toThrow(SyntaxError);
		expect(() => parseExactly(`"${'\\"'.repeat(50_000)}1234567890123456`)).toThrow(SyntaxError);
	});
});

test('ten thousand channels are masked a little at a time, and the event loop turns in between', async () => {
	// Each reading of the clock uses up a turn, so the event loop turns after it.
	let now = 0;
	jest.spyOn(systemClock, 'now').mockImplementation(() => (now += TURN_MS));
	const sleep = jest.spyOn(systemClock, 'sleep').mockResolvedValue();
	const other = 'acc_another-key-0123456789';
	const list = Array.from({ length: 10_000 }, () => ({ channelId: 'c', parameters: { apiKey: other } }));
	const response = { statusCode: 200, headers: {}, body: JSON.stringify(list) };
	const credential = { baseUrl: 'https://service.example', apiKey: 'acc_0123456789abcdef' };
	const service = serviceOf(credential, () => Promise.resolve(response)) as Service;

	const answer = await service.request(apiCall('get', '/api/v1/Admin/Channel', {}), { timeoutMs: 1000 });

	expect(answer).toHaveProperty('body.length', 10_000);
	expect(JSON.stringify(answer)).not.toContain(other);
	expect(sleep.mock.calls.length).toBeGreaterThanOrEqual(10_000);
	jest.restoreAllMocks();
});
