import { findOperation } from '../../../nodes/Messaging/operations/index.ts';
import { cases, type OperationId, type Parameters } from '../../cases/index.mts';
import { byId, ids } from '../../cases/values.mts';
import { refusalBy, sourceWith } from '../support/operations.mts';
import { bodyOf, savedSource } from '../support/saved.mts';

const refusalOf = (id: OperationId, saved: Parameters, data: object) =>
	refusalBy(() => bodyOf(id, saved, data));
const whatSend = (saved: Parameters, data: object) => refusalOf('message.send', saved, data).message;
const sent = (saved: Parameters, data: object) =>
	(bodyOf('message.send', saved, data) as { content: Record<string, unknown> }).content;

const data = {
	name: 'Ada',
	o: { a: 1 },
	list: [{ a: 1 }],
	phone: '491512',
	n: 5,
	nothing: null,
	said: '[object Object]!',
};
const rows = (value: unknown, name = 'phone') => ({
	addressType: 'other',
	toType: 'PHONE',
	toRows: { values: [{ name, value }] },
});
const inJson = (toFields: unknown) => ({
	addressType: 'other',
	toType: 'PHONE',
	toFieldsMode: 'json',
	toFields,
});

describe('an expression in a field that is not in Expression mode', () => {
	test.each<[string, OperationId, Parameters]>([
		['Text', 'message.send', { text: 'Hello {{ $json.name }}' }],
		['Text', 'message.send', { text: "{{$('Webhook').item.json.name}}" }],
		['To Email', 'message.send', { toEmail: '{{ $json.email }}' }],
		['Channel', 'message.send', { channelId: byId('{{ $json.channel }}') }],
		['To Fields > 1 > Value', 'message.send', rows('{{ $json.phone }}')],
		['To Fields > 1 > Name', 'message.send', rows('1', '{{ $json.name }}')],
		['To Fields', 'message.send', inJson('{"phone": "{{ $json.phone }}"}')],
		['To Fields', 'message.send', inJson({ phone: '{{ $json.phone }}' })],
		['Package', 'message.send', { inputMode: 'json', package: '{"content": {"text": "{{ $json.text }}"}}' }],
		['Delivery Deadline', 'message.send', { additionalFields: { deliveryDeadline: '{{ $now }}' } }],
		['Send Only Once Per', 'message.send', { options: { onceKey: '{{ $json.id }}' } }],
		['Timeout', 'message.send', { options: { timeout: '{{ $json.t }}' } }],
		[
			'Form Elements > 1 > Label',
			'message.sendAndWait',
			{ responseType: 'customForm', formFields: { values: [{ fieldLabel: '{{ $json.l }}' }] } },
		],
		[
			'Approve Button Label',
			'message.sendAndWait',
			{ approvalOptions: { values: { approveLabel: '{{ $json.l }}' } } },
		],
		[
			'Parameters',
			'channel.create',
			{
				parametersMode: 'form',
				parametersForm: { mappingMode: 'defineBelow', value: { host: '{{ $json.host }}' }, schema: [] },
			},
		],
		['Entry IDs', 'outbox.requeue', { entryIds: '{{ $json.ids }}' }],
	])('%s of %s', (field, id, saved) => {
		const refusal = refusalOf(id, saved, data);
		expect(refusal.field).toBe(field);
		expect(refusal.message).toContain('holds an expression, but is not in Expression mode');
		expect(refusal.hint).toContain('from Fixed to Expression');
	});

	test.each<[string, OperationId, Parameters, string]>([
		['Text', 'message.send', { text: '=={{ $json.name }}' }, 'begins with "=" in front of its expression'],
		['To Email', 'message.send', { toEmail: '$json.email' }, 'holds a path of n8n without braces'],
		[
			'New Text',
			'message.edit',
			{ newText: "=$('Webhook').item.json.text" },
			'holds a path of n8n without braces',
		],
		[
			'Send Only Once Per',
			'message.send',
			{ options: { onceKey: '=$json.id' } },
			'holds a path of n8n without braces',
		],
		['Text', 'message.send', { text: 'Order $json.id shipped' }, 'holds a path of n8n without braces'],
		['Text', 'message.send', { text: '=Hi ${$json.name} {{ $json.n }}' }, 'holds code in ${ }'],
		['Text', 'message.send', { text: "=$fromAI('text')" }, 'holds a path of n8n without braces'],
		['Path', 'service.request', { path: '/orders/$json.id' }, 'holds a path of n8n without braces'],
		['To Fields', 'message.send', inJson('{"phone": "$json.phone"}'), 'holds a path of n8n without braces'],
		['To Fields', 'message.send', inJson({ phone: '$json["phone"]' }), 'holds a path of n8n without braces'],
		['To Fields > 1 > Value', 'message.send', rows('$json.phone'), 'holds a path of n8n without braces'],
	])('%s of %s: %j', (field, id, saved, reason) => {
		const refusal = refusalOf(id, saved, data);
		expect([refusal.field, refusal.message]).toEqual([field, expect.stringContaining(reason)]);
		expect(refusal.hint).toContain('with braces');
	});

	test.each([
		'=Sum ={{ $json.n }}',
		'The $json, $input and $node of {{ name }}',
		'$5',
		'={{ "Write $json." + $json.name }}',
		'=== {{ $json.n }} ===',
	])('%j is a text', (text) => {
		expect(sent({ text }, data)).toBeDefined();
	});

	test.each([
		'On {{ new Date().toLocaleDateString() }}',
		'{{DateTime.now().toISO()}}',
		'{{ json.data }}',
		'{{\n JSON.stringify(order) }}',
		'{{ Math.round(5.5) }} {{ Date.now() }}',
		'{{ "Hi " + $json.name }}',
		"{{ ['a'][0] + $('Webhook').item.json.a }}",
	])('code in braces is not called "without braces", whatever it begins with: %j', (text) => {
		expect(whatSend({ text }, data)).toContain('holds an expression, but is not in Expression mode');
	});

	test.each(['Order ${order.name}', '${ item?.id }', '=Hi ${$json.name} {{ $json.n }}', '${list[0]}'])(
		'code in braces of JavaScript: %j',
		(text) => expect(whatSend({ text }, data)).toContain('holds code in ${ }'),
	);

	test.each([
		'{{name}}',
		'{{ order.name }} {{jsonData}} {{ Dates.x }}',
		'${name} ${5.00} ${} $5.00 {json.a}',
	])('names in braces are text, for services that fill them in: %j', (text) =>
		expect(sent({ text }, data)).toMatchObject({ text }),
	);

	test('braces of another language, and those that come from data, are text', () => {
		const braces = 'Hello {{name}} {{ name }} {{{ x }}} {$json} { {$json} }';
		expect(sent({ text: braces }, data)).toMatchObject({ text: braces });
		const code = { text: 'Write {{ $json.name }}', more: { correlationId: '{{ $json.id }}' } };
		expect(sent({ text: '={{ $json.text }}' }, code)).toMatchObject({ text: code.text });
		expect(sent({ text: '=So: {{ $json.text }}' }, code)).toMatchObject({ text: `So: ${code.text}` });
		expect(bodyOf('message.send', { additionalFields: '={{ $json.more }}' }, code)).toMatchObject(code.more);
		const channel = { ...byId(ids.channel), cachedResultName: 'Channel {{ $json.x }}' };
		expect(sent({ channelId: channel }, data)).toBeDefined();
	});
});

describe('an object within a text', () => {
	test.each([
		'={{ $json.o }} ',
		'={{ $json.o }}\n',
		'=Hi {{ $json.o }}',
		'={{ "Hi " + $json.o }}',
		'={{ $json.name }}{{ $json.o }}',
		'=a {{ $json.list }}',
		'=[object Object] {{ $json.o }}',
	])('is refused: %j', (text) => {
		expect(whatSend({ text }, data)).toContain(
			'"Text" shows an object, a date or a missing value as JavaScript writes it: {{ ',
		);
		expect(refusalOf('message.edit', { newText: text }, data).field).toBe('New Text');
		expect(refusalOf('message.sendAndWait', { message: text }, data).field).toBe('Message');
		expect(refusalOf('message.send', { toEmail: text }, data).field).toBe('To Email');
		expect(refusalOf('account.create', { name: text }, data).field).toBe('Name');
		expect(refusalOf('message.delete', { chatId: text }, data).field).toBe('Chat ID');
	});

	test.each<[string, OperationId, Parameters]>([
		['To Fields', 'message.send', inJson('={"phone": "{{ $json.o }}"}')],
		['To Fields', 'message.send', inJson('={{ { phone: "Hi " + $json.o } }}')],
		[
			'Package',
			'message.send',
			{ inputMode: 'json', package: '={{ { content: { to: { phone: "1" }, text: `So: ${$json.list}` } } }}' },
		],
		['Body', 'service.request', { method: 'POST', sendBody: true, body: '={{ { note: "Hi " + $json.o } }}' }],
		[
			'Parameters > Host',
			'channel.create',
			{
				parametersMode: 'form',
				parametersForm: {
					mappingMode: 'defineBelow',
					value: { host: '=Hello {{ $json.o }}' },
					schema: [{ id: 'host', displayName: 'Host', type: 'string' }],
				},
			},
		],
	])('is refused in %s of %s', (field, id, saved) => {
		const refusal = refusalOf(id, saved, data);
		expect([refusal.field, refusal.message]).toEqual([field, expect.stringContaining('shows an object')]);
	});

	test.each(['={{ { phone: "1", more: $json.o } }}', '={{ { phone: $json.said, list: $json.list } }}'])(
		'an object in the object of an expression is none: %s',
		(toFields) => {
			expect(sent(inJson(toFields), data)).toBeDefined();
		},
	);

	test.each([
		'[object Object]',
		'=[object Object] {{ $json.name }}',
		'={{ $json.said }}',
		'=So: {{ $json.said }}',
		'={{ $json.said.trim() + $json.name }}',
		'={{ JSON.stringify($json.o) }} {{ $json.said }}',
	])('but not where the words are a text: %j', (text) => {
		expect(sent({ text }, data)).toMatchObject({
			text: expect.stringContaining('[object Object]') as unknown,
		});
	});
});

describe('a date within a text', () => {
	test.each(['=On {{ new Date($json.day) }}', '={{ "On " + new Date($json.day) }}', '=On {{ $json.date }}.'])(
		'is refused, with the cure: %j',
		(text) => {
			const { hint, message } = refusalOf('message.send', { text }, { day: 0, date: new Date(0) });
			expect(message).toContain('a date');
			expect(hint).toContain('.toFormat(');
		},
	);

	test('is sent if the words are those of the data', () => {
		const said = String(new Date(0));
		for (const text of ['=So: {{ $json.said }}', '={{ "So: " + $json.said }}']) {
			expect(sent({ text }, { said })).toMatchObject({ text: `So: ${said}` });
		}
	});
});

describe('a missing value within a message', () => {
	test.each([
		'={{ "Hi " + $json.missing }}',
		'={{ `Hi ${$json.missing}!` }}',
		'=Total: {{ ($json.missing * 1).toFixed(2) }}',
		'=Hi{{ "" + $json.missing }}you',
		'=On {{ new Date($json.missing).toLocaleDateString() }}the day',
		'={{ String($json.nothing) }}',
		'=Of {{ `${$json.nothing}` }}',
		'={{ $("Webhook").item.json.missing + "" }}',
	])('is refused, with the expression: %j', (text) => {
		for (const [id, name] of [
			['message.send', 'text'],
			['message.edit', 'newText'],
			['message.sendAndWait', 'message'],
		] as const) {
			expect(refusalOf(id, { [name]: text }, data).message).toMatch(
				/missing value as JavaScript writes it: \{\{ /,
			);
		}
	});

	test('is refused in JSON, where null is a value', () => {
		const whole = (text: string) => ({
			inputMode: 'json',
			package: `={"content": {"to": {"phone": "1"}, "text": ${text}}}`,
		});
		expect(whatSend(whole('{{ JSON.stringify("Hi " + $json.missing) }}'), data)).toContain(
			'"Hi " + $json.missing',
		);
		expect(sent(whole('"Hi", "more": {{ JSON.stringify($json.nothing) }}'), data)).toEqual(
			expect.objectContaining({ more: null }),
		);
	});

	test.each<[text: string, words: string]>([
		['={{ $json.words }}', 'undefined'],
		['=So: {{ $json.words }}', 'null'],
		['={{ "So: " + $json.words }}', 'undefined or NaN'],
		['={{ $json.words.toLowerCase() }}', 'UNDEFINED, NULL'],
		['={{ $json.words.trim() + "" }}', ' null '],
		['={{ $json.list.map((each) => "- " + each).join("\\n") }}', 'Invalid Date'],
		['={{ $json.words.slice(0, 9) }}', 'undefined: what is it?'],
		['=undefined {{ $json.words }} NaN', 'x'],
		['={{ $json.missing || "undefined" }}', 'x'],
		['={{ $json.missing === undefined ? "It is undefined" : "" }}', 'x'],
		['=Base64: {{ "QUJD/NaN+" + $json.words }}', 'x'],
	])('is none where the words are those of the data or of the author: %j', (text, words) => {
		expect(sent({ text }, { words, list: [words] })).toBeDefined();
	});

	test('that is NaN is nothing, as n8n shows it', () => {
		const code = '{{ $json.missing * 1 }}';
		expect(whatSend({ text: `=Balance: ${code} USDT, was ${code} USDT` }, data)).toContain(
			'nothing but its fixed text',
		);
		expect(whatSend({ text: `=${code}` }, data)).toContain('"Text" is empty');
		expect(whatSend(rows(`=+${code}${code}`), data)).toContain('is incomplete');
		expect(whatSend(rows(`=${code}`), data)).toContain('is empty');
		expect(whatSend({ options: { onceKey: `=order-${code}` } }, data)).toContain('is incomplete');
		const path = `=/{{ $json.name }}/${code}`;
		expect(refusalOf('service.request', { method: 'DELETE', path }, data).message).toContain(
			"can't be built",
		);
		const additionalFields = { correlationId: `=${code}`, priority: `=${code}` };
		expect(bodyOf('message.send', { additionalFields }, data)).toEqual(bodyOf('message.send', {}, data));
	});
});

describe('expressions that find nothing', () => {
	const code = '{{ $json.missing }}';

	test.each<[string, OperationId, (value: string) => Parameters]>([
		['To Email', 'message.send', (toEmail) => ({ toEmail })],
		['To Fields > 1 > Value', 'message.send', (value) => rows(value)],
		['Chat ID', 'message.delete', (chatId) => ({ chatId })],
		['Message ID', 'message.edit', (messageId) => ({ messageId })],
		['Correlation ID', 'message.send', (correlationId) => ({ additionalFields: { correlationId } })],
		['Send Only Once Per', 'message.send', (onceKey) => ({ options: { onceKey } })],
	])('in %s of %s with text around them are refused, and so is what they leave', (field, id, at) => {
		for (const value of [`=+49${code}`, `=${code}@c.us`, `=c-${code}${code}`]) {
			const refusal = refusalOf(id, at(value), data);
			expect(refusal.field).toBe(field);
			expect(refusal.message).toContain('is incomplete: {{ $json.missing }}');
			expect(refusal.message).toMatch(/finds? nothing for this item$/);
		}
		for (const value of [
			'={{ "+" + $json.missing }}',
			'={{ "+49" + $json.missing }}',
			'=c-{{ String($json.nothing) }}',
			'={{ "order" + $json.missing }}',
			'={{ `${$json.missing}shipped` }}',
			'={{ "order" + $json.nothing }}',
		]) {
			const { field: refused, message } = refusalOf(id, at(value), data);
			expect([refused, message]).toEqual([field, expect.stringMatching(/undefined|null|NaN/)]);
		}
	});

	test.each([
		['{"phone": "+49{{ $json.missing }}"}', /is incomplete: \{\{ \$json\.missing \}\}/],
		[
			'{"a": {{ 1 }}, "phone": "+49{{ $json.missing }}{{ $json.nothing }}"}',
			/is incomplete: \{\{ \$json\.missing/,
		],
		['{"phone": "+{{ String($json.nothing) }}"}', /it is "\+null"/],
		['{"phone": {{ JSON.stringify("+49" + $json.nothing) }}}', /it is "\+49null"/],
		['{{ { phone: "+49" + $json.nothing } }}', /it is "\+49null"/],
	])('are refused in the fields of an address in JSON: %s', (address, message) => {
		const whole = address.startsWith('{{')
			? `={{ { content: { text: "Hi", to: ${address.slice(3, -3)} } } }}`
			: `={"content": {"text": "Hi {{ $json.missing }}", "to": ${address}}}`;
		for (const [saved, field] of [
			[inJson(`=${address}`), 'To Fields > phone'],
			[{ inputMode: 'json', package: whole }, 'Package > content > to > phone'],
		] as const) {
			const refusal = refusalOf('message.send', saved, data);
			expect([refusal.field, refusal.message]).toEqual([field, expect.stringMatching(message)]);
		}
	});

	test.each([
		'{"phone": "+{{ $json.phone }}", "more": {{ "null" }}, "n": "{{ $json.missing }}"}',
		'{"phone": {{ JSON.stringify("+" + $json.phone) }}}',
		'{{ { phone: "+" + $json.phone, more: $json.nothing } }}',
		'{"phone": {{ JSON.stringify($json.words) }}, "n": "{{ $json.words }}"}',
		'{{ { phone: $json.words + "" } }}',
	])('are no fault of an address in JSON that is whole: %s', (address) => {
		const to = sent(inJson(`=${address}`), { ...data, words: 'null' })['to'];
		expect(to).toMatchObject({ phone: expect.stringMatching(/491512|null/) as unknown });
	});

	test.each([
		[
			'content > from > phone',
			'"content": {"to": {"phone": "1"}, "from": {"phone": "+49{{ $json.missing }}"}}',
		],
		['correlationId', '"correlationId": "order-{{ $json.missing }}", "content": {"to": {"phone": "1"}}'],
	])('are refused in %s of a package', (place, members) => {
		const refusal = refusalOf('message.send', { inputMode: 'json', package: `={${members}}` }, data);
		expect(refusal.message).toContain(`"Package > ${place}" is incomplete: {{ $json.missing }}`);
	});

	test('are refused in a sender', () => {
		const from = '={"phone": "+49{{ $json.missing }}"}';
		const refusal = refusalOf('message.send', { additionalFields: { from } }, data);
		expect(refusal.message).toContain('"From > phone" is incomplete');
	});

	test.each<[string, OperationId, Parameters]>([
		['To Email', 'message.send', { toEmail: `=${code}` }],
		['To Fields > phone', 'message.send', rows(`=${code}`)],
		['Text', 'message.send', { text: `=${code}` }],
		['Channel', 'message.send', { channelId: byId(`=${code}`) }],
		['Chat ID', 'message.delete', { chatId: `=${code}` }],
		['Account', 'channel.create', { accountId: byId(`=${code}`) }],
		['Feedback Channel', 'channel.create', { additionalFields: { feedbackChannelId: byId(`=${code}`) } }],
		['Entry IDs', 'outbox.requeue', { entryIds: `=${code}` }],
	])('%s of %s needs a value: the error names the expression', (field, id, saved) => {
		const { hint, message } = refusalOf(id, saved, data);
		expect(message).toBe(`The field "${field}" is empty: {{ $json.missing }} finds nothing for this item`);
		expect(hint).toContain('alreadySent');
	});

	test('alone in an optional field mean that it is not given', () => {
		const additionalFields = { correlationId: `=${code}`, packageId: `=${code}` };
		const given = { additionalFields, rareFields: { accountId: `=${code}` } };
		expect(bodyOf('message.send', given, data)).toEqual(bodyOf('message.send', {}, data));
		expect(
			bodyOf('account.create', { additionalFields: { organizationId: `=${code}` } }, data),
		).toBeDefined();
	});

	test('beside one that finds something are fine', () => {
		const to = sent(rows(`=${code}{{ $json.phone }}`), data)['to'];
		expect(to).toEqual({ type: 'PHONE', phone: '491512' });
		expect(sent({ text: `=Dear ${code} {{ $json.name }}` }, data)).toMatchObject({ text: 'Dear  Ada' });
	});

	test.each<[string, object, boolean]>([
		[`=New order ${code} of {{ $json.other }}`, data, true],
		[`=New order ${code} of {{ $json.other }}`, {}, true],
		[`=New order ${code} of {{ $json.name }}`, data, false],
		[`=New order ${code} of {{ $json.n }}`, { n: 0 }, false],
		[`=New order ${code}`, {}, true],
		[`=New order ${code}`, data, false],
		['=New day {{ "2030-01-01" }}', {}, false],
		['=New day', {}, false],
		['New day', {}, false],
		[`=C:\\\\new ${code} {{ $json.other }}`, data, true],
		[`=C:\\\\new ${code} {{ $json.n }}`, data, false],
	])('in the text %j of an item with %j: refused %j', (text, item, isRefused) => {
		const texts: Array<[OperationId, Parameters]> = [
			['message.send', { text }],
			['message.edit', { newText: text }],
			['message.sendAndWait', { message: text }],
		];
		for (const [id, saved] of texts) {
			if (isRefused) expect(refusalOf(id, saved, item).message).toContain('has nothing but its fixed text');
			else expect(bodyOf(id, saved, item)).toBeDefined();
		}
	});

	test('nor are words that an expression writes itself, or that only begin like one', () => {
		for (const chatId of [
			'={{ "annulled-" + $json.n }}',
			'={{ "notnull/" + $json.n }}',
			'={{ "nullable" }}',
		]) {
			expect(bodyOf('message.delete', { chatId }, data)).toBeDefined();
		}
	});

	test('words of the data are no missing values', () => {
		const words = { email: 'null@example.com', chat: 'undefined' };
		expect(sent({ toEmail: '={{ $json.email }}' }, words)).toMatchObject({ to: { email: words.email } });
		expect(sent({ toEmail: '={{ $json.email.trim() }}' }, words)).toMatchObject({
			to: { email: words.email },
		});
		expect(bodyOf('message.delete', { chatId: '=c-{{ $json.chat }}' }, words)).toMatchObject({
			chatId: 'c-undefined',
		});
	});
});

describe('a JSON field', () => {
	test.each(['={{ $json.to }}', '= {{ $json.to }}', '={{ $json.to }}\n', '=\n\t{{ $json.to }} \n'])(
		'takes the object of its only expression, whatever white space is around it: %j',
		(toFields) => {
			for (const to of [{ phone: '+49' }, '{"phone": "+49"}']) {
				expect(sent(inJson(toFields), { to })).toMatchObject({ to: { phone: '+49' } });
			}
		},
	);
});

describe('addresses from copy and paste', () => {
	const mark = '\u200b';
	test.each([
		' ada@example.com ',
		`${mark}ada@example.com\ufeff\u2069`,
		'mailto:ada@example.com',
		'MAILTO: ada@example.com',
		'<ada@example.com>',
		'"ada@example.com"',
		'<mailto:ada@example.com>;',
		'ada@example.com,',
		` "ada@example.com"${mark} ;\u00a0`,
		', ada@example.com',
		';mailto:ada@example.com;',
		',<ada@example.com>',
		'<ada@example.com,>',
		'"; ada@example.com"',
		'\u00ad\u061cada@example.com\u180e',
	])('%j is ada@example.com', (toEmail) => {
		expect(sent({ toEmail }, data)).toMatchObject({ to: { email: 'ada@example.com' } });
		expect(sent({ toEmail: '={{ $json.email }}' }, { email: toEmail })).toMatchObject({
			to: { email: 'ada@example.com' },
		});
	});

	test.each([
		['\u00ad', '00ad'],
		['\u061c', '061c'],
		['\u180e', '180e'],
		[mark, '200b'],
		['\u200d', '200d'],
		['\u202e', '202e'],
		['\u2066', '2066'],
		['\ufeff', 'feff'],
	])('%j inside an email address is refused by its code', (inside, code) => {
		const refusal = refusalOf('message.send', { toEmail: `ada${inside}@example.com` }, data);
		expect(refusal.message).toContain(`the invisible character \\u${code} inside`);
	});

	test.each<[given: string, name: string | undefined]>([
		['Ada <ada@example.com>', 'Ada'],
		['"Lovelace, Ada" <ada@example.com>', 'Lovelace, Ada'],
		['Lovelace, Ada <ada@example.com>', 'Lovelace, Ada'],
		['"The \\"Countess\\"" <ada@example.com>', 'The "Countess"'],
		[' Zoë 👩🏽‍💻 <mailto:ada@example.com>; ', 'Zoë 👩🏽‍💻'],
		['"ada@example.com" <ada@example.com>', undefined],
		['<ada@example.com>', undefined],
	])('%j is an address with the name %j', (from, name) => {
		const to = { type: 'EMAIL', email: 'ada@example.com' };
		for (const toEmail of [from, '={{ $json.from }}']) {
			expect(sent({ toEmail }, { from })['to']).toStrictEqual(name === undefined ? to : { ...to, name });
			const own = { toEmail, additionalFields: { toName: 'Grace' } };
			expect(sent(own, { from })['to']).toStrictEqual({ ...to, name: 'Grace' });
			expect(sent({ toEmail, additionalFields: { toName: '' } }, { from })['to']).toStrictEqual(to);
		}
	});

	test.each([
		'ada@example.com, bob@example.com',
		'ada@example.com;bob@example.com',
		'bob@example.com, Ada <ada@example.com>',
		'Ada <ada@example.com>, Bob <bob@example.com>',
		'"Ada" <ada@example.com>; "Bob" <bob@example.com>',
	])('%j are several: refused, with the way out', (toEmail) => {
		const { field, hint } = refusalOf('message.send', { toEmail: '={{ $json.to }}' }, { to: toEmail });
		expect(field).toBe('To Email');
		expect(hint).toMatch(/\{\{ \$json\.to\.split\(","\) \}\}.*Split Out/);
	});

	test.each([false, 0, 'false', '0'])('%j is no address', (phone) => {
		for (const saved of [rows('={{ $json.phone }}'), inJson({ phone, country: null }), rows(String(phone))]) {
			expect(refusalOf('message.send', saved, { phone }).message).toContain('is empty, false or 0');
		}
		const incoming = { content: { from: { type: 'PHONE', phone }, text: 'Hi' } };
		expect(refusalOf('message.reply', { incoming }, data).message).toContain('no address');
		expect(sent(inJson({ phone: '+491', isBusiness: phone }), data)).toBeDefined();
	});

	test.each(['<ada@example.com', '<<ada@example.com>>', 'ada@example.com;;', ',,ada@example.com', '""'])(
		'%j stays refused or as it is',
		(toEmail) => {
			let email: unknown;
			try {
				email = (sent({ toEmail }, data)['to'] as { email: string }).email;
			} catch {
				return;
			}
			expect(email).not.toBe('ada@example.com');
		},
	);

	test('in rows, white space and marks at both ends go, and what is inside stays', () => {
		expect(sent(rows(`\u202a\u00ad +49\u200b30 1 \u202c\n`), data)).toMatchObject({
			to: { phone: '+49\u200b30 1' },
		});
	});

	const errors = ['#ERROR!', '#N/A', '#REF!', '#NAME?', '#VALUE!', '#DIV/0!', '#WERT!', '#NOM?', '#NOM ?'];
	test.each([
		'4.91512E+12',
		'4,91512E+12',
		...errors,
		' #n/a ',
		'#NV',
		'#N/D',
		'#¡VALOR!',
		'#ЗНАЧ!',
		'Loading...',
	])('%j was damaged by a spreadsheet', (phone) => {
		for (const saved of [
			rows(phone),
			rows('={{ $json.phone }}'),
			inJson({ phone }),
			inJson('={{ { phone: $json.phone } }}'),
		]) {
			const { field, hint } = refusalOf('message.send', saved, { phone });
			expect(field).toMatch(/^To Fields/);
			expect(hint).toContain('spreadsheet');
		}
		const key = (onceKey: string) =>
			refusalOf('message.send', { options: { onceKey } }, { phone }).hint.includes('spreadsheet');
		expect([key('={{ $json.phone }}'), key('=order-{{ $json.phone }}')]).toEqual([true, true]);
		expect(refusalOf('message.delete', { chatId: '={{ $json.phone }}' }, { phone }).field).toBe('Chat ID');
		const incoming = { content: { from: { phone }, text: 'Hi' } };
		expect(refusalOf('message.reply', { incoming }, data).field).toBe(
			'Incoming Message > content > from > phone',
		);
		const whole = { inputMode: 'json', package: { content: { text: 'Hi', to: { phone } } } };
		expect(refusalOf('message.send', whole, data).field).toBe('Package > content > to > phone');
	});

	test('a message is refused if an expression gives nothing but an error', () => {
		for (const cell of [...errors, '#NV', '#¿NOMBRE?', ' #ЗНАЧ! ']) {
			expect(refusalOf('message.send', { text: '={{ $json.cell }}' }, { cell }).hint).toContain(
				'spreadsheet',
			);
			expect(sent({ text: '=It says {{ $json.cell }}' }, { cell })).toBeDefined();
			expect(sent({ text: cell.trim() }, data)).toBeDefined();
		}
		for (const cell of ['#thanks!', '#Winter is here!', '#1', 'Loading...', '4.9E+12']) {
			expect(sent({ text: '={{ $json.cell }}' }, { cell })).toMatchObject({ text: cell });
		}
	});

	test.each(['12E34', '1e5', '#general', '4.9E12 Street', 'Loading'])('%j is an address', (phone) => {
		expect(sent(rows(phone), data)).toMatchObject({ to: { phone } });
	});
});

test.each(['', ' ', null])('a whole package of the type TEXT needs a text, not %j', (text) => {
	const whole = (content: object) => ({
		inputMode: 'json',
		package: { content: { to: { phone: '1' }, ...content } },
	});
	expect(refusalOf('message.send', whole({ type: 'TEXT', text }), data).field).toBe(
		'Package > content > text',
	);
	expect(sent(whole({ type: 'IMAGE', text }), data)).toBeDefined();
	expect(sent(whole({ type: 'TEXT', text: '0' }), data)).toMatchObject({ text: '0' });
});

test('a whole package without a type needs a text, or something else to show', () => {
	const whole = (content: object) => ({
		inputMode: 'json',
		package: { content: { to: { phone: '1' }, ...content } },
	});
	for (const content of [{}, { text: '' }, { text: null, type: '' }]) {
		expect(refusalOf('message.send', whole(content), data).field).toBe('Package > content > text');
	}
	expect(sent(whole({ imageUrl: 'https://example.com/a.png' }), data)).toBeDefined();
});

describe('a number that was rounded', () => {
	const long = { id: 1234567890123456800, id2: '1234567890123456789', third: 1 / 3 };
	test.each<[string, OperationId, Parameters]>([
		['Send Only Once Per', 'message.send', { options: { onceKey: '=order-{{ $json.id }}' } }],
		['Send Only Once Per', 'message.send', { options: { onceKey: '={{ "order-" + $json.id }}' } }],
		['To Fields', 'message.send', inJson('={"phone": "{{ $json.id.toString() }}"}')],
		['To Fields > 1 > Value', 'message.send', rows('={{ $json.id }}@g.us')],
		['Correlation ID', 'message.send', { additionalFields: { correlationId: '=c-{{ $json.id }}' } }],
		['Text', 'message.send', { text: '=Your order {{ $json.id }}' }],
		['Path', 'service.request', { path: '=/api/v1/orders/{{ $json.id }}' }],
	])('is refused in %s of %s, also within a text', (field, id, saved) => {
		const refusal = refusalOf(id, saved, long);
		expect(refusal.field).toBe(field);
		expect(refusal.message).toContain('contains a rounded number: 1234567890123456800');
	});

	test.each([
		'=Order {{ $json.id2 }}',
		'=A third is {{ $json.third }}',
		'=1234567890123456789 {{ $json.id2 }}',
	])('%s has none', (text) => {
		expect(sent({ text }, long)).toBeDefined();
	});
});

test.each(['null', 'undefined', 'None', 'N/A', ' unknown'])(
	'%j as an address from a model is none, but one of the data may be odd',
	(address) => {
		const given = (isTool: boolean) => {
			const source = savedSource(findOperation('message', 'send')!.fields, {
				...cases['message.send'].least.given,
				...rows(address),
			});
			return () =>
				findOperation('message', 'send')!.compile(
					sourceWith(source, { isTool, unresolved: source.unresolved! }),
				);
		};
		expect(refusalBy(given(true)).field).toMatch(/^To Fields/);
		expect(given(false)).not.toThrow();
	},
);

test.each([{ a: 1 }, ['a']])('a once key that is %j is no single value', (o) => {
	expect(refusalOf('message.send', { options: { onceKey: '={{ $json.o }}' } }, { o }).message).toContain(
		'needs a single value',
	);
});
