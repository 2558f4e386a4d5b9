import { operationUnderTest } from '../support/operations.ts';
import { testReplies } from '../support/replies.ts';
import { testRequired } from '../support/required.ts';
import { byId, fromList, ids, sendExtras } from '../support/samples.ts';

const send = operationUnderTest('message.send');

const hello = { text: 'Hello', to: { type: 'EMAIL', email: 'ada@example.com' }, type: 'TEXT' };

describe('to an email address', () => {
	test('posts the package, with what was filled in and nothing else', () => {
		expect(send.compile().call).toStrictEqual({
			method: 'POST',
			path: '/api/v1/message/SendMessage',
			body: { packageId: ids.call, channelId: ids.channel, content: hello },
		});
	});

	test('names the recipient when a name is given', () => {
		expect(send.body({ toEmail: ' ada@example.com ', toName: ' Ada ' })).toMatchObject({
			content: { to: { type: 'EMAIL', email: 'ada@example.com', name: 'Ada' } },
		});
	});

	test.each([
		['picked from the list', fromList(ids.channel)],
		['by id', byId(` ${ids.channel} `)],
		['as plain text', ids.channel],
	])('takes a channel %s', (_kind, channelId) => {
		expect(send.body({ channelId })).toMatchObject({ channelId: ids.channel });
	});

	test('keeps the text as it was entered', () => {
		const text = '  – “ünïcödé” 🙂\r\n"quoted" \\ {{ }} ';
		expect(send.body({ text })).toMatchObject({ content: { text } });
	});

	testRequired(send, ['channelId', 'toEmail', 'text']);

	test.each([
		[' IMAGE ', { to: hello.to, type: 'IMAGE' }],
		[' ', { to: hello.to }],
	])('needs no text with content type "%s"', (contentType, content) => {
		expect(send.body({ text: '', contentType })).toStrictEqual({
			packageId: ids.call,
			channelId: ids.channel,
			content,
		});
	});

	test('needs text with content type TEXT, spaces around it or not', () => {
		expect(send.refusal({ text: '', contentType: ' TEXT ' }).field).toBe('Text');
		expect(send.body({ contentType: ' TEXT ' })).toMatchObject({ content: hello });
	});
});

describe('to an address of another kind', () => {
	const other = (toFields: unknown, toType = ' PHONE ') =>
		send.body({ addressType: 'other', toType, toFields });
	const to = (body: unknown) => (body as { content: { to: unknown } }).content.to;

	test.each([
		[
			'as text',
			'{"number":"+43 1","nested":{"a":[1]}}',
			{ number: '+43 1', nested: { a: [1] }, type: 'PHONE' },
		],
		['as an object', { number: '+43 1' }, { number: '+43 1', type: 'PHONE' }],
		['with a type, which loses', { type: 'EMAIL', number: '1' }, { number: '1', type: 'PHONE' }],
		['with email and name', { email: 'a@b.c', name: 5 }, { email: 'a@b.c', name: '5', type: 'PHONE' }],
		['with nulls, which are left out', { number: null, name: null }, { type: 'PHONE' }],
		[
			'with a field named __proto__',
			'{"__proto__":{"a":1}}',
			JSON.parse('{"__proto__":{"a":1},"type":"PHONE"}'),
		],
		['empty', '', { type: 'PHONE' }],
		['without any', '{}', { type: 'PHONE' }],
	])('takes the fields %s', (_kind, toFields, address) => {
		expect(to(other(toFields))).toStrictEqual(address);
	});

	test('has no email unless it is among the fields', () => {
		expect(
			to(send.body({ addressType: 'other', toType: 'PHONE', toEmail: 'hidden@example.com' })),
		).toStrictEqual({
			type: 'PHONE',
		});
	});

	test('is refused without a type', () => {
		expect(send.refusal({ addressType: 'other', toFields: { type: 'PHONE' } }).field).toBe('To Type');
	});

	test.each([
		['To Fields', '{bad'],
		['To Fields', '[1]'],
		['To Fields > email', { email: {} }],
	])('is refused with %s = %j', (field, toFields) => {
		expect(send.refusal({ addressType: 'other', toType: 'PHONE', toFields }).field).toBe(field);
	});
});

describe('additional fields', () => {
	const added = (fields: object) => send.body({ additionalFields: fields }) as Record<string, unknown>;

	test.each(sendExtras)('%s = %j goes into the %s as %s', (name, given, where, wireName, onWire) => {
		const { content, ...body } = added({ [name]: given });
		const plain = { packageId: ids.call, channelId: ids.channel };
		const set = { [wireName]: onWire };
		expect(body).toStrictEqual(where === 'package' ? { ...plain, ...set } : plain);
		expect(content).toStrictEqual(where === 'content' ? { ...hello, ...set } : hello);
	});

	test('the list above has every field that the editor offers', () => {
		const field = send.operation.fields.find(({ name }) => name === 'additionalFields');
		expect(field?.options?.map(({ name }) => name)).toStrictEqual(sendExtras.map(([name]) => name));
	});

	test.each(sendExtras.map(([name]) => name))('%s is not on the wire when it is empty', (name) => {
		for (const empty of ['', null, undefined]) {
			expect(added({ [name]: empty })).toStrictEqual({
				packageId: ids.call,
				channelId: ids.channel,
				content: hello,
			});
		}
	});

	test.each(['from', 'providerMetadata', 'quotedMessage', 'referralAds'])(
		'%s = {} is not on the wire',
		(name) => {
			expect(added({ [name]: '{}' })).toStrictEqual({
				packageId: ids.call,
				channelId: ids.channel,
				content: hello,
			});
		},
	);

	test.each([
		['Account ID', { accountId: 'acme' }],
		['Package ID', { packageId: '1' }],
		['Priority', { priority: 2 ** 31 }],
		['Delivery Strategy', { deliveryStrategy: 1.5 }],
		['Timestamp', { timestamp: 'tomorrow' }],
		['Delivery Deadline', { deliveryDeadline: 5 }],
		['Echo Message', { echoMessage: 'maybe' }],
		['Correlation ID', { correlationId: {} }],
		['From', { from: 'shop@example.com' }],
		['Quoted Message', { quotedMessage: { message: 'no such field' } }],
		['Quoted Message > isStatusReply', { quotedMessage: { isStatusReply: 1 } }],
		['Referral Ads', { referralAds: '{"url":"x"}' }],
		['Additional Fields', 'text'],
	])('a wrong value is refused by the name %s', (field, additionalFields) => {
		expect(send.refusal({ additionalFields }).field).toBe(field);
	});

	test('has no field that the menu does not offer', () => {
		expect(send.refusal({ addressType: 'PHONE' })).toMatchObject({
			field: 'Address Type',
			hint: 'Use one of: EMAIL, other.',
		});
	});
});

describe('a whole package as JSON', () => {
	const fromJson = (value: unknown, more: object = {}) =>
		send.body({ inputMode: 'json', package: value, ...more });
	const content = { text: 'Hi', to: { type: 'PHONE', number: '1' } };

	test.each([
		['text', JSON.stringify({ packageId: ids.package, channelId: ids.channel, content })],
		['an object', { packageId: ids.package, channelId: ids.channel, content }],
	])('goes out as it is, given as %s', (_kind, value) => {
		expect(fromJson(value)).toStrictEqual({ packageId: ids.package, channelId: ids.channel, content });
	});

	test('gets a package id when it has none', () => {
		expect(fromJson({ content })).toStrictEqual({ packageId: ids.call, channelId: ids.channel, content });
	});

	test.each([
		['wins over the chosen one', ids.feedback, byId(ids.channel), ids.feedback],
		['is filled in when it is missing', undefined, byId(ids.channel), ids.channel],
		['is filled in when it is null', null, byId(ids.channel), ids.channel],
		['is filled in when it is empty', '', byId(ids.channel), ids.channel],
		['needs no chosen one', ids.feedback, byId(''), ids.feedback],
	])('the channel of the package %s', (_kind, channelId, chosen, expected) => {
		expect(fromJson({ channelId, content }, { channelId: chosen })).toMatchObject({ channelId: expected });
	});

	test('is refused when no channel is named anywhere', () => {
		expect(send.refusal({ inputMode: 'json', package: { content }, channelId: byId('') }).field).toBe(
			'Channel',
		);
	});

	test('only there the channel may be left open', () => {
		const locators = send.operation.fields.filter(({ name }) => name === 'channelId');
		const required = locators.map((field) => [field.displayOptions?.show?.inputMode, field.required]);
		expect(required).toStrictEqual([
			[['fields'], true],
			[['json'], false],
		]);
	});

	test('the fields of the other mode do not count', () => {
		const more = { toEmail: '', text: '', addressType: '?', additionalFields: { priority: 'x' } };
		expect(fromJson({ content }, more)).toMatchObject({ content });
	});

	test('brings values into the form of the interface', () => {
		expect(
			fromJson({
				timestamp: '2030-01-31T09:00:00',
				echoMessage: 'true',
				correlationId: 42,
				providerMetadata: { keep: null },
				accountName: null,
				content: { text: 'Hi', priority: '7', isForwarded: false, from: null, quotedMessage: {} },
			}),
		).toStrictEqual({
			packageId: ids.call,
			channelId: ids.channel,
			timestamp: '2030-01-31T09:00:00.000+01:00',
			echoMessage: true,
			correlationId: '42',
			providerMetadata: { keep: null },
			content: { text: 'Hi', priority: 7, isForwarded: false },
		});
	});

	test.each([
		['Package', ''],
		['Package', null],
		['Package', '{bad'],
		['Package', '[]'],
		['Package', '"text"'],
		['Package', {}],
		['Package', { content: {} }],
		['Package', { content: { text: null } }],
		['Package', { content, organizationId: ids.organization }],
		['Package > packageId', { packageId: 'x', content }],
		['Package > channelId', { channelId: 'x', content }],
		['Package > timestamp', { timestamp: 5, content }],
		['Package > echoMessage', { echoMessage: 'no', content }],
		['Package > content', { content: 'Hi' }],
		['Package > content', { content: { texts: 'Hi' } }],
		['Package > content > priority', { content: { priority: 1.5 } }],
		['Package > content > to', { content: { to: 'ada@example.com' } }],
		['Package > content > quotedMessage', { content: { quotedMessage: { a: 1 } } }],
		['Package > content > referralAds > headline', { content: { referralAds: { headline: [] } } }],
	])('is refused by the name %s: %j', (field, value) => {
		expect(send.refusal({ inputMode: 'json', package: value }).field).toBe(field);
	});

	test('the package that the editor starts with needs only text and address', () => {
		const field = send.operation.fields.find(({ name }) => name === 'package');
		const start = JSON.parse(String(field?.default)) as { content: { text: string; to: { email: string } } };
		start.content.text = 'Hello';
		start.content.to.email = 'ada@example.com';
		expect(fromJson(start)).toStrictEqual({ packageId: ids.call, channelId: ids.channel, content: hello });
	});
});

describe('output', () => {
	testReplies(send, { packageId: ids.call, channelId: ids.channel });

	const withId = {
		...send,
		output: (reply: unknown) => send.output(reply, { additionalFields: { packageId: ids.package } }),
	};
	testReplies(withId, { packageId: ids.package, channelId: ids.channel });
});
