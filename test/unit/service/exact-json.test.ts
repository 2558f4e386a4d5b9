import * as fc from 'fast-check';

import { parseExactly } from '../../../nodes/Messaging/service/exact-json.ts';
import { parseLongJson } from '../../../nodes/Messaging/service/long-json.ts';
import { Turns } from '../../../nodes/Messaging/time/turns.ts';

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
])('%s keeps its digits', (text, value) => {
	expect(parseExactly(text)).toStrictEqual(value);
});

test('what is no JSON is refused as ever', () => {
	expect(() => parseExactly('{"a":12345678901234567890')).toThrow(SyntaxError);
	expect(() => parseExactly(`"${'\\"'.repeat(50_000)}1234567890123456`)).toThrow(SyntaxError);
});

test('in a long answer too, wherever it is cut', async () => {
	const number = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n });
	await fc.assert(
		fc.asyncProperty(fc.array(fc.tuple(number, fc.string()), { minLength: 5 }), async (members) => {
			const text = `[${members.map(([id, name]) => `{"id":${id},${JSON.stringify(name)}:[${id}]}`).join(',')}]`;
			const exact = (id: bigint) => (Number.isSafeInteger(Number(id)) ? Number(id) : String(id));
			const parsed = (await parseLongJson(text, new Turns(), 40)) as { value: Array<{ id: unknown }> };
			expect(parsed.value.map(({ id }) => id)).toEqual(
				members.map(([id, name]) => (name === 'id' ? [exact(id)] : exact(id))),
			);
		}),
		{ numRuns: 100 },
	);
});
