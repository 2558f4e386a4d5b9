import { readFileSync } from 'node:fs';

import fc from 'fast-check';

import { onceKeyOf } from '../../../nodes/Messaging/delivery/settings.ts';
import { UNANSWERED } from '../../../nodes/Messaging/operations/message/reply.ts';
import { changed, received } from '../../cases/reply.mts';
import { sourceOf } from '../../cases/source.mts';
import { byId, ids } from '../../cases/values.mts';
import { runs } from '../../runs.mts';
import { operationUnderTest, refusalBy } from '../support/operations.mts';

const reply = operationUnderTest('message.reply');

type Answer = Record<string, unknown> & { content: Record<string, unknown> };
const bodyFor = (given: Record<string, unknown>) => reply.body(given) as Answer;

describe('the message that came in', () => {
	test('may be JSON text', () => {
		expect(bodyFor({ incoming: JSON.stringify(received) })).toStrictEqual(bodyFor({}));
	});

	test('needs only a sender and a channel', () => {
		const incoming = { channelId: ids.channel, content: { from: { email: 'ada@example.com' } } };
		expect(bodyFor({ incoming, quote: true })).toStrictEqual({
			packageId: ids.call,
			channelId: ids.channel,
			content: { text: 'It arrives on Friday', to: { email: 'ada@example.com' }, type: 'TEXT' },
		});
	});

	test('gives nothing else to the answer, whatever else it has', () => {
		const more = { timestamp: 'yesterday', accountId: 'none', providerMetadata: 5, echoMessage: 'false' };
		const inside = { isFromMe: null, isForwarded: 'maybe', priority: 'high', referralAds: [], media: 'AAAA' };
		const incoming = { ...received, ...more, content: { ...received.content, ...inside } };
		expect(bodyFor({ incoming })).toStrictEqual(bodyFor({}));
	});

	test('may be nested so deep that it is no JSON', () => {
		const deep = JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`) as object;
		expect(reply.refusal(changed.package({ providerMetadata: deep })).field).toBe('Incoming Message');
	});

	test.each([
		['__proto__', `{"__proto__":${JSON.stringify(received)}}`, 'Incoming Message'],
		[
			'__proto__ of its content',
			'{"content":{"__proto__":{"from":{"phone":"1"}}}}',
			'Incoming Message > content > from',
		],
		['constructor', `{"constructor":${JSON.stringify(received)}}`, 'Incoming Message'],
		[
			'__proto__ of its sender',
			'{"content":{"from":{"type":"EMAIL","__proto__":{"email":"eve@example.com"}}}}',
			'Incoming Message > content > from',
		],
	])('is not found in %s', (_kind, incoming, field) => {
		expect(reply.refusal({ incoming }).field).toBe(field);
	});

	test.each(UNANSWERED.flatMap(({ flags }) => flags))(
		'with %s is refused by that name, and Send is named',
		(flag) => {
			for (const on of [true, 'true', 'TRUE', ' True ', 1, '1']) {
				for (const given of [changed.package({ [flag]: on }), changed.content({ [flag]: on })]) {
					const { hint, message } = reply.refusal(given);
					expect(message).toContain(`${flag} is true`);
					expect(hint).toContain('Message: Send');
				}
			}
			for (const off of [false, 'false', 'False', 'FALSE', 0, '0', null, undefined, '']) {
				expect(bodyFor({ ...changed.package({ [flag]: off }) })).toStrictEqual(bodyFor({}));
			}
		},
	);

	test('is refused as an own message first, whatever else is wrong with it', () => {
		const own = changed.content({ isFromMe: true, isGroupMessage: true, from: null });
		expect(reply.refusal(own).message).toContain("the channel's own side");
	});
});

describe('the answer', () => {
	test('goes to the sender as it came, with all fields in any spelling and order', () => {
		const field = fc.string({ unit: 'grapheme', maxLength: 8 });
		fc.assert(
			fc.property(fc.dictionary(field, fc.jsonValue({ maxDepth: 2 })), (more) => {
				const text = JSON.stringify({ ...more, type: 'CHAT', number: '1' });
				// A rounded number is refused.
				fc.pre(!/\d{16}|e\+/.test(text));
				const from = JSON.parse(text) as object;
				expect(JSON.stringify(bodyFor(changed.from(from)).content['to'])).toBe(JSON.stringify(from));
			}),
			runs(200),
		);
	});

	test.each([
		['its own', {}, { correlationId: 'conversation-7' }],
		['the one entered', { correlationId: 'order-1' }, { correlationId: 'order-1' }],
		['its own where an empty one is added', { correlationId: '' }, { correlationId: 'conversation-7' }],
	])('has the correlation ID of the conversation: %s', (_kind, additionalFields, expected) => {
		expect(bodyFor({ additionalFields })).toMatchObject(expected);
	});

	test.each([
		['toEmail', { toEmail: 'eve@example.com' }],
		['Additional Fields > toName', { additionalFields: { toName: 'Eve' } }],
	])('goes to nobody but its sender: %s is refused, which Send has', (field, given) => {
		expect(reply.refusal(given).field).toBe(field);
	});

	test('quotes what is there of the message', () => {
		const given = { quote: true, ...changed.content({ text: null, messageId: 7 }) };
		expect(bodyFor(given).content['quotedMessage']).toStrictEqual({ messageId: '7', type: 'TEXT' });
	});

	test('under a once key is the same message only for the same sender and text', () => {
		const print = (given: Record<string, unknown>) => reply.compile(given).fingerprint?.();
		expect(print(changed.package({ packageId: ids.entry }))).toBe(print({}));
		expect(print({ text: 'Another' })).not.toBe(print({}));
		expect(print(changed.from({ phone: '2' }))).not.toBe(print({}));
	});
});

describe('Answer Each Message Once', () => {
	const { fields } = reply.operation;
	const keyOf = (given: Record<string, unknown>, options: object = {}) =>
		onceKeyOf(sourceOf(fields, { incoming: received, text: 'Hi', options, ...given }), reply.operation);
	const key = keyOf({});

	test('is on unless it is turned off, and a key that is entered wins', () => {
		expect(key).toBeDefined();
		for (const answerOnce of [true, 'true', undefined, '']) expect(keyOf({ answerOnce })).toBe(key);
		for (const answerOnce of [false, 'false']) expect(keyOf({ answerOnce })).toBeUndefined();
		for (const answerOnce of [true, false]) expect(keyOf({ answerOnce }, { onceKey: 'own' })).toBe('own');
	});

	const { from } = received.content;
	const same: ReadonlyArray<[what: string, given: Record<string, unknown>]> = [
		['another text', changed.content({ text: 'Hello?' })],
		[
			'another package',
			changed.package({ packageId: ids.entry, correlationId: 'x', timestamp: '2030-01-01' }),
		],
		['the name gone', changed.from({ type: from.type, phone: from.phone })],
		['another name', changed.from({ ...from, name: 'Countess Ada' })],
		['another order of the fields', changed.from(Object.fromEntries(Object.entries(from).reverse()))],
		['empty fields', changed.from({ ...from, email: null, handle: '' })],
		['the channel in upper case', changed.package({ channelId: ids.channel.toUpperCase() })],
		['an answer through another channel', { channelId: byId(ids.feedback) }],
	];

	test.each(same)('the key is the same with %s', (_what, given) => expect(keyOf(given)).toBe(key));

	const other: ReadonlyArray<[what: string, given: Record<string, unknown>]> = [
		['another message', changed.content({ messageId: 'in-2' })],
		['another sender', changed.from({ ...from, phone: '+49 30 7654321' })],
		['another type of address', changed.from({ ...from, type: 'CHAT' })],
		['another channel', changed.package({ channelId: ids.feedback })],
	];

	test.each(other)('the key is another with %s', (_what, given) => {
		expect(keyOf(given)).toBeDefined();
		expect(keyOf(given)).not.toBe(key);
	});

	test('a message ID may be a number, but not a rounded one', () => {
		expect(keyOf(changed.content({ messageId: 850 }))).toBe(keyOf(changed.content({ messageId: '850' })));
		const rounded = changed.content({ messageId: 2 ** 60 });
		expect(refusalBy(() => keyOf(rounded)).message).toContain('rounded');
	});

	test('the expression in the guide reads a package with all digits of its numbers', () => {
		const [, code = ''] = /^\{\{ (JSON\.parse.+) \}\}$/m.exec(readFileSync('docs/texts.md', 'utf8')) ?? [];
		const read = new Function('$json', `return ${code}`) as (item: { data: string }) => unknown;
		const data = '{"messageId": 7412589630147258963, "n": [1.5, -2], "text": "at: 7412589630147258963,"}';
		expect(read({ data })).toEqual({
			messageId: '7412589630147258963',
			n: [1.5, -2],
			text: 'at: 7412589630147258963,',
		});
	});

	test('a message ID without an end is refused, and one of 1 KB is not', () => {
		const given = (length: number) => changed.content({ messageId: '\u0301\u0323'.repeat(length / 2) });
		expect(keyOf(given(1024))).toBeDefined();
		expect(refusalBy(() => keyOf(given(400_000))).field).toBe('Incoming Message > content > messageId');
	});

	test.each([undefined, null, '', ' '])('a message with the ID %j is refused', (messageId) => {
		const { field, hint } = refusalBy(() => keyOf(changed.content({ messageId })));
		expect(field).toBe('Incoming Message > content > messageId');
		expect(hint).toContain('Send Only Once Per');
		expect(hint).toContain('turn Answer Each Message Once off');
		expect(keyOf({ ...changed.content({ messageId }), answerOnce: false })).toBeUndefined();
		expect(bodyFor(changed.content({ messageId }))).toBeDefined();
	});

	test('two senders never share a key, whatever is in their addresses', () => {
		const sender = fc.dictionary(fc.constantFrom('a', 'b', '","'), fc.constantFrom('1', '","', '1","b'), {
			minKeys: 1,
		});
		fc.assert(
			fc.property(sender, sender, fc.constantFrom('1', '2'), fc.constantFrom('1', '2'), (one, two, m, n) => {
				const incoming = (by: object, messageId: string) => ({
					incoming: { ...received, content: { from: by, messageId } },
				});
				const sorted = (by: object) => JSON.stringify(Object.entries(by).sort());
				const isSame = sorted(one) === sorted(two) && m === n;
				expect(keyOf(incoming(one, m)) === keyOf(incoming(two, n))).toBe(isSame);
			}),
			runs(300),
		);
	});
});
