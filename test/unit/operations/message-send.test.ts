import { asText } from '../../../dev/harness/as-text.ts';
import { sendExtras } from '../../cases/send-samples.ts';
import { byId, fromList, ids } from '../../cases/values.ts';
import { operationUnderTest } from '../support/operations.ts';

const send = operationUnderTest('message.send');

const hello = { text: 'Hello', to: { type: 'EMAIL', email: 'ada@example.com' }, type: 'TEXT' };
const plain = { packageId: ids.call, channelId: ids.channel };

/** The address that a message with these parameters goes to. */
const addressOf = (given: Record<string, unknown>) =>
	(send.body(given) as { content: { to: object } }).content.to;

describe('to an email address', () => {
	test.each([
		[' Ada ', { ...hello.to, name: 'Ada' }],
		[' ', hello.to],
		[null, hello.to],
	])('with the name %j', (toName, to) => {
		expect(addressOf({ toEmail: ' ada@example.com ', additionalFields: { toName } })).toStrictEqual(to);
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

	test.each([
		[' IMAGE ', { to: hello.to, type: 'IMAGE' }],
		['text', { to: hello.to, type: 'text' }],
		[' ', { to: hello.to }],
		[null, { to: hello.to }],
	])('needs no text with content type %j', (contentType, content) => {
		expect(send.body({ text: '', additionalFields: { contentType } })).toStrictEqual({ ...plain, content });
	});

	test.each([{}, { contentType: ' TEXT ' }, { contentType: undefined }])(
		'needs text with %j',
		(additionalFields) => {
			expect(send.refusal({ text: '', additionalFields }).field).toBe('Text');
			expect(send.body({ additionalFields })).toMatchObject({ content: hello });
		},
	);
});

describe.each(['rows', 'json'])('to an address of another kind, as %s', (toFieldsMode) => {
	const given = (fields: Record<string, unknown>, toType = ' PHONE ') => ({
		addressType: 'other',
		toType,
		...(toFieldsMode === 'json'
			? { toFieldsMode, toFields: fields }
			: { toRows: { values: Object.entries(fields).map(([name, value]) => ({ name, value })) } }),
	});

	test.each([
		['with spaces', { phone: ' +43 1 ' }, { phone: ' +43 1 ', type: 'PHONE' }],
		['with a type, which loses', { type: 'EMAIL', phone: '1' }, { phone: '1', type: 'PHONE' }],
		['with email and name', { email: 'a@b.c', name: 5 }, { email: 'a@b.c', name: '5', type: 'PHONE' }],
		['a name alone', { name: 'general' }, { name: 'general', type: 'PHONE' }],
	])('takes the fields %s', (_kind, fields, address) => {
		expect(addressOf(given(fields))).toStrictEqual(address);
	});

	test.each([
		['no field', {}],
		['a type alone', { type: 'PHONE' }],
		['no value', { number: ' ', extension: '' }],
		['a name and no value', { number: '', name: 'Ada' }],
	])('is refused with %s: it would reach nobody', (_kind, fields) => {
		const refusal = send.refusal({ ...given(fields), toEmail: 'hidden@example.com' });
		expect(refusal.message).toBe('The field "To Fields" is empty');
		expect(refusal.hint).toContain('+49 30 1234567');
	});

	test('takes neither email nor name from the fields of the other kind', () => {
		const more = { toEmail: 'hidden@example.com', additionalFields: { toName: 'Ada' } };
		expect(addressOf({ ...given({ phone: '1' }), ...more })).toStrictEqual({ type: 'PHONE', phone: '1' });
	});

	test('is refused without a type', () => {
		expect(send.refusal(given({ type: 'PHONE', phone: '1' }, ' ')).field).toBe('To Type');
	});

	test.each(['ada', ' ada@example.com', {}])('an email among the fields is checked: %j', (email) => {
		expect(send.refusal(given({ phone: '1', email })).field).toBe('To Fields > email');
	});
});

describe('the rows of an address', () => {
	const rows = (...values: unknown[]) => ({
		addressType: 'other',
		toType: 'PHONE',
		toRows: { values },
		// A field of the other mode.
		toFields: '{"hidden": 1}',
	});

	test('empty ones are skipped', () => {
		const given = rows({ name: '', value: '' }, {}, { name: ' ' }, { name: ' phone ', value: 7 });
		expect(addressOf(given)).toStrictEqual({ phone: '7', type: 'PHONE' });
	});

	test.each([undefined, null, {}, { values: [] }, { values: [{}] }])('none is refused: %j', (toRows) => {
		expect(send.refusal({ ...rows(), toRows }).message).toBe('The field "To Fields" is empty');
	});

	test('a value without a name is refused', () => {
		expect(send.refusal(rows({ name: 'phone', value: '1' }, { name: ' ', value: '2' })).message).toBe(
			'The field "To Fields" has a value without a name in row 2',
		);
	});

	test('a name that occurs twice is refused', () => {
		const twice = rows({ name: 'phone', value: '1' }, { name: ' phone', value: '2' });
		expect(send.refusal(twice).message).toBe('The field "To Fields" has the name "phone" twice');
		const different = rows({ name: 'phone', value: '1' }, { name: 'Phone', value: '2' });
		expect(addressOf(different)).toStrictEqual({ phone: '1', Phone: '2', type: 'PHONE' });
	});

	test('a name may be that of the prototype', () => {
		expect(Object.entries(addressOf(rows({ name: '__proto__', value: 'x' })))).toStrictEqual([
			['__proto__', 'x'],
			['type', 'PHONE'],
		]);
	});
});

describe('the JSON of an address', () => {
	const json = (toFields: unknown) => ({
		addressType: 'other',
		toType: 'PHONE',
		toFieldsMode: 'json',
		toFields,
		// A field of the other mode.
		toRows: { values: [{ name: 'hidden', value: '1' }] },
	});

	test.each([
		['as text', '{"number":"+43 1","deep":{"a":[1]}}', { number: '+43 1', deep: { a: [1] }, type: 'PHONE' }],
		['with nulls, which are left out', { number: '1', name: null }, { number: '1', type: 'PHONE' }],
	])('is taken %s', (_kind, toFields, address) => {
		expect(addressOf(json(toFields))).toStrictEqual(address);
	});

	test('is refused when it is none, with an example', () => {
		expect(send.refusal(json('+49 30 1234567'))).toMatchObject({
			message: 'The field "To Fields" is not valid JSON',
			hint: expect.stringContaining('{"phone": "+49 30 1234567"}') as string,
		});
	});
});

describe('additional fields', () => {
	const added = (fields: object) => send.body({ additionalFields: fields }) as Record<string, unknown>;

	test.each(sendExtras)('%s = %j goes into the %s as %s', (name, given, where, wireName, onWire) => {
		const { content, ...body } = added({ [name]: given });
		const set = { [wireName]: onWire };
		expect(body).toStrictEqual(where === 'package' ? { ...plain, ...set } : plain);
		expect(content).toStrictEqual(where === 'content' ? { ...hello, ...set } : hello);
	});

	test('the list above has every field that the editor offers', () => {
		const field = send.operation.fields.find(({ name }) => name === 'additionalFields');
		const elsewhere = ['contentType', 'otherContent', 'toName'];
		expect(field?.options?.map(({ name }) => name).sort()).toStrictEqual(
			[...sendExtras.map(([name]) => name), ...elsewhere].sort(),
		);
	});

	test.each(['from', 'otherContent', 'providerMetadata', 'quotedMessage', 'referralAds'])(
		'%s = {} is not on the wire',
		(name) => expect(added({ [name]: '{}' })).toStrictEqual({ ...plain, content: hello }),
	);

	test('other content fields go into the content as they are', () => {
		const other = { subject: 'Order', attachment: { url: 'https://a.example/1', size: null }, buttons: [1] };
		for (const given of [other, JSON.stringify(other)]) {
			const { content } = added({ otherContent: given, priority: 1 });
			expect(content).toStrictEqual({ ...hello, priority: 1, ...other });
		}
	});

	test('text in their place is refused', () => {
		expect(send.refusal({ additionalFields: 'text' }).field).toBe('Additional Fields');
	});
});

test('a choice that the menu does not offer is refused', () => {
	expect(send.refusal({ addressType: 'PHONE' })).toMatchObject({
		field: 'Address Type',
		hint: 'Use one of: EMAIL, other.',
	});
});

describe('a whole package as JSON', () => {
	const fromJson = (value: unknown, more: object = {}) =>
		send.body({ inputMode: 'json', package: value, ...more });
	const content = { text: 'Hi', to: { type: 'PHONE', number: '1' } };

	test('goes out as it is, with an ID if it has none', () => {
		const whole = { packageId: ids.package, channelId: ids.channel, content };
		expect(fromJson(whole)).toStrictEqual(whole);
		expect(fromJson(JSON.stringify(whole))).toStrictEqual(whole);
		expect(fromJson({ content })).toStrictEqual({ ...plain, content });
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
		const nowhere = { inputMode: 'json', package: { content }, channelId: byId('') };
		expect(send.refusal(nowhere).field).toBe('Channel');
	});

	test('the fields of the other mode do not count', () => {
		const more = { toEmail: '', text: '', addressType: '?', additionalFields: { priority: 'x' } };
		expect(fromJson({ content }, more)).toMatchObject({ content });
	});

	test('says what an address looks like where there is none', () => {
		const refusal = send.refusal({ inputMode: 'json', package: { content: { to: 'bob' } } });
		expect(refusal.message).toBe('The field "Package > content > to" is not valid JSON');
		expect(refusal.hint).toContain('"email": "ada@example.com"');
	});

	test('says where JSON text breaks', () => {
		const broken = '{\n\t"content": {\n\t\t"text": "Hi",\n\t}\n}';
		expect(send.refusal({ inputMode: 'json', package: broken }).message).toBe(
			'The field "Package" is not valid JSON: check line 4, column 2',
		);
	});

	test('the package that the editor starts with needs only text and address', () => {
		const field = send.operation.fields.find(({ name }) => name === 'package');
		const start = JSON.parse(asText(field?.default)) as { content: { text: string; to: { email: string } } };
		start.content.text = 'Hello';
		start.content.to.email = 'ada@example.com';
		expect(fromJson(start)).toStrictEqual({ ...plain, content: hello });
	});
});
