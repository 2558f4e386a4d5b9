import { refuseUnsendable } from '../../../nodes/Messaging/input/unsendable.ts';
import { asText } from '../../../nodes/Messaging/input/values.ts';

const half = 'x\ud83d';

/** What a call with this body is refused with. */
function refused(body: object | undefined, query?: Array<[string, string]>): string {
	try {
		refuseUnsendable({ ...(body && { body }), ...(query && { query }) }, []);
		return '';
	} catch (error) {
		return (error as Error).message;
	}
}

test.each<[body: object, message: RegExp]>([
	[{ a: 'x', b: [1, null, { c: half }] }, /b\.2\.c.*half of a character/],
	[{ a: { [half]: 1 } }, /half of a character/],
	[{ a: [2 ** 53] }, /a\.0.*was rounded: 9007199254740992/],
	[JSON.parse('{"a":{"id":-12345678901234567890}}') as object, /a\.id.*was rounded: -12345678901234567000/],
	[JSON.parse('{"a":1e999}') as object, /"a".*was rounded: Infinity/],
])('%j is refused', (body, message) => {
	expect(refused(body)).toMatch(message);
});

test.each<[body: object | undefined]>([
	[undefined],
	[{}],
	[[]],
	[{ a: ['😀', 2 ** 53 - 1, -(2 ** 53) + 1, 0.1, -0, true, null, '12345678901234567890'] }],
])('%j is not', (body) => {
	expect(refused(body)).toBe('');
});

test.each([
	[half, 'b'],
	['a', half],
])('nor may %j = %j stand in the query', (name, value) => {
	expect(refused(undefined, [[name, value]])).toMatch(/Query Parameters.*half of a character/);
	expect(refused(undefined, [['a', 'b']])).toBe('');
});

test('text is not made of a rounded number', () => {
	expect(() => asText(12345678901234567890, 'Message ID')).toThrow(/"Message ID".*was rounded/);
	expect(() => asText(Infinity, 'Text')).toThrow(/was rounded/);
	expect(asText(2 ** 53 - 1, 'Text')).toBe('9007199254740991');
	expect(asText(12345678901234567890n, 'Text')).toBe('12345678901234567890');
	expect(asText(1.5, 'Text')).toBe('1.5');
});
