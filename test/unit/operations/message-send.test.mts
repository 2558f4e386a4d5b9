import { asText } from '../../../dev/harness/as-text.mts';
import { allExtras, collected, rareNames, sendExtras } from '../../cases/send-samples.mts';
import { byId, ids } from '../../cases/values.mts';
import { operationUnderTest } from '../support/operations.mts';

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

describe('to an address of another kind', () => {
	const given = (fields: Record<string, unknown>) => {
		const values = Object.entries(fields).map(([name, value]) => ({ name, value }));
		return { addressType: 'other', toType: ' PHONE ', toRows: { values } };
	};

	test.each([
		['with spaces inside', { phone: '+43 1' }, { phone: '+43 1', type: 'PHONE' }],
		['with a type, which loses', { type: 'EMAIL', phone: '1' }, { phone: '1', type: 'PHONE' }],
		['with email and name', { email: 'a@b.c', name: 5 }, { email: 'a@b.c', name: '5', type: 'PHONE' }],
		['a name alone', { name: 'general' }, { name: 'general', type: 'PHONE' }],
	])('takes the fields %s', (_kind, fields, address) => {
		expect(addressOf(given(fields))).toStrictEqual(address);
	});

	test('takes neither email nor name from the fields of the other kind', () => {
		const more = { toEmail: 'hidden@example.com', additionalFields: { toName: 'Ada' } };
		expect(addressOf({ ...given({ phone: '1' }), ...more })).toStrictEqual({ type: 'PHONE', phone: '1' });
		expect(send.refusal({ ...given({}), ...more }).field).toBe('To Fields');
	});
});

test('a name may stand in two rows in different spellings; it may be that of the prototype', () => {
	const names = ['phone', 'Phone', '__proto__'];
	const toRows = { values: names.map((name) => ({ name, value: '1' })) };
	const address = addressOf({ addressType: 'other', toType: 'PHONE', toRows });
	expect(Object.keys(address)).toStrictEqual([...names, 'type']);
});

test('spellings of one phone number are one recipient, and another number is another one', () => {
	const laneTo = (value: unknown) => {
		const toRows = { values: [{ name: 'phone', value }] };
		return send.compile({ addressType: 'other', toType: 'PHONE', toRows }).lane;
	};
	for (const spelling of ['+49 (0)30 12-34', '0049301234', ' 49 30/1234 ', 49301234]) {
		expect(laneTo(spelling)).toBe(laneTo('+49301234'));
	}
	expect(laneTo('+49 30 1235')).not.toBe(laneTo('+49301234'));
});

describe('additional fields', () => {
	const added = (fields: object) => send.body(collected(fields)) as Record<string, unknown>;
	const samples = sendExtras.map(([name]) => name);

	test.each(['message.send', 'message.reply'] as const)('the samples are all that %s has', (id) => {
		const taken = id === 'message.reply' ? ['originPackageId', 'quotedMessage', 'toName'] : [];
		const all = [...samples, 'contentType', 'otherContent', 'toName'].filter((name) => !taken.includes(name));
		const namesIn = (collection: string) =>
			operationUnderTest(id)
				.operation.fields.filter(({ name }) => name === collection)
				.flatMap(({ options = [] }) => options.map(({ name }) => name))
				.sort();
		const expected = collected(Object.fromEntries(all.map((name) => [name, 0])));
		expect(namesIn('additionalFields')).toStrictEqual(Object.keys(expected.additionalFields).sort());
		expect(namesIn('rareFields')).toStrictEqual(Object.keys(expected.rareFields).sort());
	});

	test('one in the wrong one of the two is refused by name', () => {
		for (const name of samples) {
			const [wrong, place] = rareNames.includes(name)
				? ['additionalFields', 'Additional Fields']
				: ['rareFields', 'Rarely Used Fields'];
			expect(send.refusal({ [wrong]: { [name]: allExtras[name] } }).field).toBe(`${place} > ${name}`);
		}
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
		// For the advice on a refusal.
		const { call } = send.compile({ additionalFields: { otherContent: other, priority: 1 } });
		expect(call.others).toStrictEqual(Object.keys(other));
	});
});

describe('a whole package as JSON', () => {
	const fromJson = (value: unknown, more: object = {}) =>
		send.body({ inputMode: 'json', package: value, ...more });
	const content = { text: 'Hi', to: { type: 'PHONE', number: '1' } };

	test('gets an ID if it has none', () => {
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

	test('the package that the editor starts with needs only text and address', () => {
		const field = send.operation.fields.find(({ name }) => name === 'package');
		const start = JSON.parse(asText(field?.default)) as { content: { text: string; to: { email: string } } };
		start.content.text = 'Hello';
		start.content.to.email = 'ada@example.com';
		expect(fromJson(start)).toStrictEqual({ ...plain, content: hello });
	});
});

test('under a once key, a new deadline makes no other message, and another text does', () => {
	const print = (given: object) => send.compile({ ...given }).fingerprint?.();
	expect(print({ additionalFields: { deliveryDeadline: '2040-01-31' } })).toBe(print({}));
	expect(print({ text: 'Another' })).not.toBe(print({}));
});

describe('in the hands of an AI agent', () => {
	const tool = send.asTool;
	const mallory = { type: 'EMAIL', email: 'mallory@example.com' };
	const written = {
		inputMode: 'json',
		package: {
			channelId: ids.feedback,
			ChannelID: ids.feedback,
			Content: { to: mallory },
			content: { text: 'Hello', type: 'TEXT', to: mallory, To: mallory },
		},
	};

	test('the channel and the recipient that are set in the node win over the package', () => {
		expect(tool.body(written)).toStrictEqual({ ...plain, content: hello });
		const phone = { toType: 'PHONE', toRows: { values: [{ name: 'phone', value: '+43' }] } };
		expect(tool.body({ ...written, addressType: 'other', ...phone })).toMatchObject({
			content: { to: { type: 'PHONE', phone: '+43' } },
		});
	});

	test('what is not set comes from the package', () => {
		expect(tool.body({ ...written, toEmail: '', channelId: byId('') })).toMatchObject({
			channelId: ids.feedback,
			content: { to: mallory },
		});
	});

	test.each(['channelId', 'toEmail'])('an expression for %s that finds nothing is refused', (name) => {
		const unresolved = (path: string) =>
			path === name ? "={{ $('Webhook').item.json.missing }}" : undefined;
		const { refusal } = operationUnderTest('message.send', { isTool: true, unresolved });
		expect(refusal({ ...written, [name]: '' }).message).toMatch(/(Channel|To Email)" is empty/);
	});

	test('an expression in quotes could change the recipient, so it is refused', () => {
		const text = '={"content": {"text": "{{ $fromAI(\'text\') }}", "to": {"email": "ada@example.com"}}}';
		const saved: Record<string, string> = { inputMode: 'json', package: text };
		const unresolved = (path: string) => saved[path];
		const refused = operationUnderTest('message.send', { isTool: true, unresolved }).refusal(written);
		expect(refused.message).toBe('The field "Package" has an expression inside quotes');
		expect(refused.hint).toMatch(/recipient.*JSON\.stringify/);
		expect(operationUnderTest('message.send', { unresolved }).body(written)).toBeDefined();
	});

	/** A tool with this expression in a field, whose agent has several items; the model has sent these names. */
	const called = (name: string, expression: unknown, items = 1, ...sent: string[]) =>
		operationUnderTest('message.send', {
			unresolved: (path) => (path === name ? expression : undefined),
			toolInput: { sent, items },
		});
	const phone = { values: [{ name: 'phone', value: '={{ $json.phone }}' }] };

	test.each([
		['toEmail', '={{ $json.email }}', 'email', 'To Email'],
		['toEmail', '={{ $json["E mail"] }}', 'E mail', 'To Email'],
		['toRows', phone, 'phone', 'To Fields'],
		['channelId', byId('={{ $json?.channel }}'), 'channel', 'Channel'],
		['options.onceKey', '={{ $json.order }}', 'order', 'Send Only Once Per'],
		['options.whenUnknown', '={{ $json.order }}', 'order', 'When Outcome Is Unknown'],
		['additionalFields.otherContent', '={{ { cc: $json.cc } }}', 'cc', 'Other Content Fields'],
	])(
		'%s %j is taken from the input, unless the model has sent a value of its own',
		(name, expression, own, label) => {
			expect(called(name, expression, 2, 'text', 'e').body({})).toBeDefined();
			const { message } = called(name, expression, 1, 'text', own).refusal({});
			expect(message).toBe(`The field "${label}" is set by the workflow: call the tool without ${own}`);
		},
	);

	test('what is the same for all items of the agent needs an agent with one', () => {
		const expression = "={{ $('Start').item.json.email }}";
		expect(called('toEmail', expression, 1, 'email').body({})).toBeDefined();
		expect(called('toEmail', expression, 3).refusal({}).message).toMatch(/same for all 3 items/);
	});

	test.each(['message.send', 'message.reply'] as const)('%s answers with IDs only', (id) => {
		const { asTool } = operationUnderTest(id);
		const reply = { packageId: null, content: { ...hello, messageId: 'm' }, accountId: ids.account };
		const [answer] = asTool.output(reply);
		expect(answer).toMatchObject({ packageId: ids.call, messageId: 'm' });
		expect(Object.keys(answer ?? {})).toStrictEqual(['packageId', 'channelId', 'messageId']);
		expect(Object.keys(asTool.output(undefined)[0] ?? {})).toStrictEqual(['packageId', 'channelId']);
	});
});
