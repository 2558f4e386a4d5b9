/**
 * What is refused before anything is sent, and what only looks like it: values as workflows save them. The unit tests and
 * n8n's own engines run them.
 */
import type { OperationId, Parameters } from './case.mts';
import { byId } from './values.mts';

type Place = readonly [label: string, id: OperationId, at: (value: unknown) => Parameters];

const rows = (value: unknown, name: unknown = 'phone') => ({
	...{ addressType: 'other', toType: 'PHONE', toRows: { values: [{ name, value }] } },
});
const form = (host: unknown) => ({
	parametersMode: 'form',
	parametersForm: {
		...{ mappingMode: 'defineBelow', value: { host } },
		schema: [{ id: 'host', displayName: 'Host', type: 'string' }],
	},
});
const send = (label: string, at: Place[2]): Place => [label, 'message.send', at];
const create = (label: string, at: Place[2]): Place => [label, 'channel.create', at];
const ask = (label: string, at: Place[2]): Place => [label, 'message.sendAndWait', at];

/** The fields that values are put into, by short names: their labels, and their parameters. */
const PLACES: Readonly<Record<string, Place>> = {
	text: send('Text', (text) => ({ text })),
	toEmail: send('To Email', (toEmail) => ({ toEmail })),
	channel: send('Channel', (id) => ({ channelId: byId(id) })),
	row: send('To Fields > 1 > Value', (value) => rows(value)),
	rowName: send('To Fields > 1 > Name', (name) => rows('1', name)),
	address: send('To Fields', (value) => rows(value)),
	json: send('From', (from) => ({ additionalFields: { from } })),
	package: send('Package', (whole) => ({ inputMode: 'json', package: whole })),
	deadline: send('Delivery Deadline', (deliveryDeadline) => ({ additionalFields: { deliveryDeadline } })),
	correlation: send('Correlation ID', (correlationId) => ({ additionalFields: { correlationId } })),
	key: send('Send Only Once Per', (onceKey) => ({ options: { onceKey } })),
	timeout: send('Timeout', (timeout) => ({ options: { timeout } })),
	incoming: ['Incoming Message', 'message.reply', (incoming) => ({ incoming })],
	newText: ['New Text', 'message.edit', (newText) => ({ newText })],
	messageId: ['Message ID', 'message.edit', (messageId) => ({ messageId })],
	chatId: ['Chat ID', 'message.delete', (chatId) => ({ chatId })],
	message: ask('Message', (message) => ({ message })),
	label: ask('Form Elements > 1 > Label', (fieldLabel) => ({
		...{ responseType: 'customForm', formFields: { values: [{ fieldLabel }] } },
	})),
	button: ask('Approve Button Label', (approveLabel) => ({ approvalOptions: { values: { approveLabel } } })),
	name: ['Name', 'account.create', (name) => ({ name })],
	account: create('Account', (id) => ({ accountId: byId(id) })),
	feedback: create('Feedback Channel', (id) => ({ additionalFields: { feedbackChannelId: byId(id) } })),
	form: create('Parameters', form),
	entries: ['Entry IDs', 'outbox.requeue', (entryIds) => ({ entryIds })],
	path: ['Path', 'service.request', (path) => ({ method: 'DELETE', path })],
	body: ['Body', 'service.request', (body) => ({ method: 'POST', sendBody: true, body })],
};

/** The field of a place such as `json/phone`, and its parameters with a value. */
export function placed(
	name: string,
	value: unknown,
): readonly [field: string, id: OperationId, saved: Parameters] {
	const [place = '', ...inside] = name.split('/');
	const [label, id, at] = PLACES[place] as Place;
	return [[label, ...inside].join(' > '), id, at(value)];
}

/** A kind of case, and values of it in some places, the names of which are separated by spaces. */
type Values<K> = readonly [kind: K, places: string, ...values: unknown[]];

export const each = <K = undefined,>(all: ReadonlyArray<Values<K>>) =>
	all.flatMap(([kind, places, ...values]) =>
		places.split(' ').flatMap((place) => values.map((value) => ({ kind, place, value }))),
	);

/** The item. */
export const data = {
	...{ name: 'Ada', o: { a: 1 }, list: [{ a: 1 }], phone: '491512', n: 5, nothing: null },
	...{ said: '[object Object]!', day: 0, date: new Date(0), text: 'Write {{ $json.name }}' },
	...{
		id: 1234567890123456800,
		id2: '1234567890123456789',
		third: 1 / 3,
		words: 'null',
		...{ blank: '', cut: '4.91512E+12', error: '#N/A', hashtag: '#שבת שלום!', another: '#ありがとう!' },
		chat: 'undefined',
		zero: 0,
		both: ['ada@example.com', 'bob@example.com'],
		one: ['ada@example.com'],
	},
};

/** Why a value is refused: the rule, by how the docs begin to describe it, and what tells its cases apart. */
export interface Why {
	readonly what: string;
	readonly rule: RegExp;
	readonly says?: RegExp;
}

const EXPRESSION: Why = { what: 'not in Expression mode', rule: /^Code/, says: /in Expression mode/ };
const EQUALS: Why = { what: 'a second "="', rule: /^Code/, says: /begins with "="/ };
const BRACES: Why = { what: 'a path without braces', rule: /^Code/, says: /without braces/ };
const DOLLAR: Why = { what: 'code of JavaScript', rule: /^Code/, says: /\$\{ \}/ };
const OBJECT: Why = { what: 'an object within a text', rule: /^An object, a function/, says: /\{\{ / };
const MISSING: Why = { what: 'a missing value', rule: /turns a missing value/, says: /\{\{ / };
export const FIXED_ONLY: Why = { what: 'nothing but fixed text', rule: /all find nothing/, says: /\{\{ / };
const INCOMPLETE: Why = {
	what: 'a part is missing',
	rule: /^An incomplete/,
	says: /undefined|null|\.missing|\.blank/,
};
const SHARED: Why = { what: 'a key of many items', rule: /once key that is empty/ };
const PART: Why = { what: 'a key with an empty part', rule: /one part finds something/, says: /\{\{ / };
const PATH: Why = { what: 'another endpoint', rule: /^A path/, says: /\{\{ / };
export const DAMAGED: Why = { what: 'damaged', rule: /spreadsheet/ };
const ROUNDED: Why = { what: 'rounded', rule: /rounded/, says: /1234567890123456800/ };
const INVISIBLE: Why = { what: 'an invisible character', rule: /NUL/, says: /\\u[\da-f]{4} inside/ };
const EMPTY: Why = { what: 'nothing', rule: /^$/, says: /is empty/ };
/** Of a message of the type TEXT, or without a type. */
const UNSEEN: Why = { what: 'nothing to show', rule: /^$/ };
const SEVERAL: Why = { what: 'several addresses', rule: /^$/, says: /email address/ };
const NO_EMAIL: Why = { what: 'no email address', rule: /^$/, says: /email address/ };
const RECORD: Why = { what: 'a record in place of an address', rule: /^$/, says: /record/ };
const LIST: Why = { what: 'a list of addresses', rule: /^$/, says: /list/ };

export const missing = '{{ $json.missing }}';
export const times1 = '{{ $json.missing * 1 }}';
export const inMessages = 'text newText message';
const inTexts = `${inMessages} toEmail name chatId`;
const inIds = 'toEmail row chatId messageId correlation';
export const inPhone = 'package/content/to/phone';
const inText = 'package/content/text';
const whole = (content: string, more = '') => `={"content": {"to": {"phone": "1"}, ${content}}${more}}`;

export const refusals = each<Why>([
	[EXPRESSION, 'text', 'Hello {{ $json.name }}', "{{$('Webhook').item.json.name}}"],
	[EXPRESSION, 'text', '{{\n JSON.stringify(order) }}'],
	[EXPRESSION, 'toEmail channel row rowName label button form entries key timeout', '{{ $json.a }}'],
	[EXPRESSION, 'deadline', '{{ $now }}'],
	[EXPRESSION, 'json', '{"phone": "{{ $json.phone }}"}', { phone: '{{ $json.phone }}' }],
	[EXPRESSION, 'text', 'On {{ new Date().toLocaleDateString() }}', '{{DateTime.now().toISO()}}'],
	[EXPRESSION, 'text', '{{ json.data }}'],
	[EXPRESSION, 'text', '{{ Math.round(5.5) }} {{ Date.now() }}', '{{ "Hi " + $json.name }}'],
	[EXPRESSION, 'text', "{{ ['a'][0] + $('Webhook').item.json.a }}"],
	[EQUALS, 'text', '=={{ $json.name }}'],
	[BRACES, 'toEmail row', '$json.email'],
	[BRACES, 'newText', "=$('Webhook').item.json.text"],
	[BRACES, 'text', 'Order $json.id shipped', "=$fromAI('text')"],
	[BRACES, 'json', '{"phone": "$json.phone"}', { phone: '$json["phone"]' }],
	[DOLLAR, 'text', 'Order ${order.name}', '${ item?.id }', '=Hi ${$json.name} {{ $json.n }}', '${list[0]}'],
	[OBJECT, inTexts, '={{ $json.o }} ', '={{ $json.o }}\n', '=Hi {{ $json.o }}', '={{ "Hi " + $json.o }}'],
	[OBJECT, inTexts, '={{ $json.name }}{{ $json.o }}', '=a {{ $json.list }}'],
	[OBJECT, 'json', '={"phone": "{{ $json.o }}"}', '={{ { phone: "Hi " + $json.o } }}'],
	[OBJECT, 'body', '={{ { note: "Hi " + $json.o } }}'],
	[OBJECT, 'form/Host', '=Hello {{ $json.o }}'],
	[OBJECT, 'text', '=On {{ new Date($json.day) }}', '={{ "On " + new Date($json.day) }}'],
	[OBJECT, 'text', '=On {{ $json.date }}.'],
	[OBJECT, inMessages, '=In {{ ["P2.39", "33D"].join("") }}', '={{ ["PT864", 0, "S"].join("") }} left'],
	[OBJECT, inTexts, '=Hi {{ $json.name.trim }}', '={{ $json.name }} {{ $json.list.join }}'],
	[MISSING, inMessages, '={{ "Hi " + $json.missing }}', '={{ `Hi ${$json.missing}!` }}'],
	[MISSING, inMessages, '=Total: {{ ($json.missing * 1).toFixed(2) }}', '=Hi{{ "" + $json.missing }}you'],
	[MISSING, inMessages, '=On {{ new Date($json.missing).toLocaleDateString() }}the day'],
	[MISSING, inMessages, '={{ String($json.nothing) }}', '=Of {{ `${$json.nothing}` }}'],
	[MISSING, inMessages, '={{ $("Webhook").item.json.missing + "" }}'],
	[MISSING, inMessages, '={{ `Hi ${$json.missing}, you owe $50` }}', '={{ `It is $${$json.missing}` }}'],
	[MISSING, inMessages, "={{ 'It\\'s $' + $json.missing }}", '={{ "+" + Math.round($json.missing) + "%" }}'],
	[MISSING, inMessages, '={{ $json.missing !== undefined ? "" : "Hi " + $json.missing }}'],
	[MISSING, inMessages, '=All: {{ $json.n / $json.zero }}'],
	[MISSING, 'package', whole('"text": {{ JSON.stringify("Hi " + $json.missing) }}')],
	[FIXED_ONLY, inMessages, `=New order ${missing} of {{ $json.other }}`],
	[FIXED_ONLY, inMessages, `=C:\\\\new ${missing} {{ $json.other }}`],
	[FIXED_ONLY, 'text', `=Balance: ${times1} USDT, was ${times1} USDT`],
	[INCOMPLETE, inIds, `=+49${missing}`, `=${missing}@c.us`, `=c-${missing}${missing}`],
	[INCOMPLETE, inIds, '={{ "+" + $json.missing }}', '={{ "+49" + $json.missing }}'],
	[INCOMPLETE, inIds, '={{ "order" + $json.missing }}', '={{ `${$json.missing}shipped` }}'],
	[INCOMPLETE, inIds, '={{ "order" + $json.nothing }}'],
	[INCOMPLETE, inIds, '={{ "+" + $json.missing + $json.phone }}', '={{ "+" + $json.nothing + $json.phone }}'],
	[INCOMPLETE, inIds, '={{ "+49" + $json.blank }}', '={{ `${$json.blank}@c.us` }}'],
	[INCOMPLETE, 'row', `=+${times1}${times1}`],
	[INCOMPLETE, 'json/phone', '={{ { phone: "+49" + $json.nothing } }}'],
	[INCOMPLETE, 'json/phone', '={"phone": {{ JSON.stringify("+49" + $json.nothing) }}}'],
	[INCOMPLETE, inPhone, '={{ { content: { text: "Hi", to: { phone: "+49" + $json.nothing } } } }}'],
	[INCOMPLETE, 'package/content/from/phone', whole(`"from": {"phone": "+49${missing}"}`)],
	[INCOMPLETE, 'package/correlationId', whole('"text": "Hi"', `, "correlationId": "order-${missing}"`)],
	[SHARED, 'key', `=+49${missing}`, `=${missing}@c.us`, `=order-${times1}`, '={{ "order" + $json.missing }}'],
	[SHARED, 'key', '=c-{{ String($json.nothing) }}', '={{ `${$json.missing}shipped` }}', '={{ $json.o }}'],
	[SHARED, 'key', '={{ $json.missing }}', '={{ $json.words }}', '={{ $json.chat }}'],
	[SHARED, 'key', '={{ $json.nothing + "-" + $json.n }}', '={{ "(" + $json.nothing + ")" }}'],
	[SHARED, 'key', '={{ $json.n + "/" + $json.missing * 1 }}', `=${times1}`, '={{ "order" + $json.o }}', ''],
	[SHARED, 'key', '={{ new Date("x").toString() }}', '={{ "from Invalid DateTime" }}'],
	[SHARED, 'key', '={{ "x🙂".slice(0, 2) }}', '=order-{{ $json.n.toString }}'],
	[SHARED, 'key', '={{ "__UNKNOWN__" }}', '={{ "__UNKNOWN__" + " ada@example.com" }}'],
	[SHARED, 'key', '=order-{{ $json.nothing }}', '={{ "order-" + $json.blank }}'],
	[PART, 'key', '={{ $json.n }}-{{ $json.missing }}', '=a{{ $json.nothing }}{{ $json.name }}'],
	[PATH, 'path', `=/{{ $json.name }}/${times1}`, '=/a/{{ $json.said }}', '=/a/{{ ";" + $json.n }}'],
	[PATH, 'path', '=/a/{{ encodeURIComponent($json.n) + ";" }}', '={{ "/a;" }}', '=/{{ "a/b" }}'],
	[PATH, 'path', '={{ "/a/" + "%252e" }}', '=/a/{{ "42%" }}{{ "2fb" }}'],
	[INCOMPLETE, 'path', '={{ "/orders/" + $json.blank }}'],
	[DAMAGED, 'row chatId', '={{ $json.cut.replace(/\\D/g, "") }}', '={{ "+" + Number($json.cut) }}'],
	[DAMAGED, 'key', '={{ "order-" + $json.error }}'],
	[EMPTY, 'toEmail address/phone text channel chatId account feedback entries', `=${missing}`],
	[EMPTY, 'text address/phone', `=${times1}`],
	[ROUNDED, 'key', '=order-{{ $json.id }}', '={{ "order-" + $json.id }}'],
	[ROUNDED, 'json', '={"phone": "{{ $json.id.toString() }}"}'],
	[ROUNDED, 'row correlation text', '=Your order {{ $json.id }}@g.us'],
	[
		INVISIBLE,
		'toEmail',
		...[...'\u00ad\u061c\u180e\u200b\u200d\u202e\u2066\ufeff'].map((one) => `ada${one}@b.example`),
	],
	[SEVERAL, 'toEmail', 'ada@example.com, bob@example.com', 'bob@example.com, Ada <ada@example.com>'],
	[SEVERAL, 'toEmail', 'ada@example.com;bob@example.com', 'Ada <ada@example.com>, Bob <bob@example.com>'],
	[NO_EMAIL, 'toEmail', 'a@example.com?subject=Hello', 'a@example.com.', 'a@example.com>', '.a@example.com'],
	[NO_EMAIL, 'toEmail', '&lt;ada@example.com&gt', 'ada@example,com', 'ada@example..com', 'a..b@example.com'],
	[NO_EMAIL, 'toEmail', '"ada@example.com', 'ada@-example.com', 'ada@(home)example.com', 'ada @example.com'],
	[RECORD, 'toEmail row', '={{ $json.o }}', '={{ $json.list }}'],
	[LIST, 'toEmail row', '={{ $json.both }}'],
	[UNSEEN, inText, ...['""', '" "', 'null'].map((text) => whole(`"type": "TEXT", "text": ${text}`))],
	[UNSEEN, inText, '={"content": {"to": {"phone": "1"}}}', whole('"text": ""')],
]);

const FIXED = 'a fixed text';
const NO_CODE = 'what only looks like code';
const WORDS = 'words of the data and of the author';
const IN_PART = 'what is there in part';
const NOT_ROUNDED = 'what is not rounded';
const UNDAMAGED = 'what no spreadsheet writes';
const SHOWN = 'a package that shows something';

export const fine = each<string>([
	[FIXED, 'text', 'Hello {{name}}, your order {{ order.number }} is on its way', '0', 'false', 'Loading...'],
	[FIXED, 'text', 'Total: $5.00, {total}, ${total}, %name%, <%= name %>, [[name]]', '#winter #sale!'],
	[FIXED, 'text', 'const x = `a`; undefined, null, NaN, [object Object], Invalid Date', 'C:\\temp\\x'],
	[
		FIXED,
		'text',
		'Thu Dec 24 2026 10:00:00 GMT+0000 (Coordinated Universal Time)',
		'{"text": "a", "n": [1, 2]}',
	],
	[FIXED, 'text', '<p style="color: red">Sale!</p>', '# Title\n* one\n> two\n```js\n1 + 1\n```'],
	[FIXED, 'text', '👩🏽‍💻 🇩🇪 ️‍e\u0301 \u200dमुंबई', '=Fixed, in Expression mode: 1 + 1 = 2'],
	[NO_CODE, 'text', '=Sum ={{ $json.n }}', 'The $json, $input and $node of {{ name }}', '$5'],
	[
		NO_CODE,
		'text',
		'={{ $json.text }}',
		"Homework: $('#btn').click(save)",
		'It is $input. Then press Enter.',
	],
	[NO_CODE, 'text', '={{ "Write $json." + $json.name }}', '=== {{ $json.n }} ===', '{{name}}'],
	[NO_CODE, 'text', '{{ order.name }} {{jsonData}} {{ Dates.x }}', '${name} ${5.00} ${} $5.00 {json.a}'],
	[NO_CODE, 'text', 'Hello {{name}} {{ name }} {{{ x }}} {$json} { {$json} }'],
	[WORDS, 'text', '[object Object]', '=[object Object] {{ $json.name }}', '={{ $json.said }}'],
	[
		WORDS,
		'text',
		'=So: {{ $json.said }}',
		'={{ "f(x) { return x }" }}',
		'=f(x) => { {{ $json.name.trim() }} }',
	],
	[WORDS, 'text', '={{ $json.said.trim() + $json.name }}', '={{ JSON.stringify($json.o) }} {{ $json.said }}'],
	[
		WORDS,
		'text',
		'={{ ["f(x)", "{ }"].join(" ") }}',
		'=a {{ ["f(x)", "{ }"].join(" ") }} {{ $json.missing }}',
	],
	[WORDS, 'text', '=In P2.3933D {{ $json.n }}', '={{ "PT5S" }}', '={{ "P" + $json.n + "D" }}'],
	[WORDS, 'json', '={{ { phone: "1", span: ["P2.39", "33D"].join("") } }}'],
	[WORDS, 'json', '={{ { phone: "1", more: $json.o } }}', '={{ { phone: $json.said, list: $json.list } }}'],
	[WORDS, 'text', '=undefined {{ $json.words }} NaN', '={{ $json.missing || "undefined" }}'],
	[WORDS, 'text', '={{ $json.missing === undefined ? "It is undefined" : "" }}'],
	[WORDS, 'text', '=Base64: {{ "QUJD/NaN+" + $json.words }}', '={{ "So: " + String($json.words) }}'],
	[WORDS, 'chatId', '={{ "annulled-" + $json.n }}', '={{ "notnull/" + $json.n }}', '={{ "nullable" }}'],
	[WORDS, 'chatId', '=c-{{ $json.chat }}'],
	[IN_PART, 'toEmail row', '={{ $json.one }}'],
	[
		IN_PART,
		'text',
		'=New {{ $json.missing ?? "" }}{{ $json.blank || (\'\') }}',
		'={{ $json.o ? "-" : `` }} {{ $json.a ?? "" }}',
	],
	[
		IN_PART,
		'path',
		'=/a/{{ $json.name }}/{{ $json.third }}',
		'={{ "/a/" + $json.n }}',
		'={{ "/a" }}/b/{{ "Zoë:1@x" }}',
	],
	[IN_PART, 'path', '=/a/{{ encodeURIComponent($json.said + "/;?%") }}'],
	[WORDS, 'package', whole('"text": "Hi", "more": {{ JSON.stringify($json.nothing) }}')],
	[IN_PART, 'text', `=Dear ${missing} {{ $json.name }}`, `=New order ${missing}`, '=New day', 'New day'],
	[IN_PART, 'text', `=C:\\\\new ${missing} {{ $json.n }}`, '=New day {{ "2030-01-01" }}'],
	[IN_PART, 'text', `=${missing}{{ $json.zero }}`, '={{ "Dear " + $json.blank }} {{ $json.name }}'],
	[IN_PART, 'row', '={{ "+" + $json.phone + $json.blank }}', '={{ $json.blank + ($json.blank || "1") }}'],
	[IN_PART, 'row', `=${missing}{{ $json.phone }}`],
	[IN_PART, 'json', '={"phone": "+{{ $json.phone }}", "more": {{ "null" }}, "n": "{{ $json.missing }}"}'],
	[IN_PART, 'json', '={"phone": {{ JSON.stringify("+" + $json.phone) }}}'],
	[IN_PART, 'json', '={{ { phone: $json.words + "" } }}'],
	[IN_PART, 'json', '={{ { phone: "+" + $json.phone, more: $json.nothing } }}'],
	[IN_PART, 'json', '={"phone": {{ JSON.stringify($json.words) }}, "n": "{{ $json.words }}"}'],
	[NOT_ROUNDED, 'text', '=Order {{ $json.id2 }}', '=A third is {{ $json.third }}'],
	[NOT_ROUNDED, 'text', '=1234567890123456789 {{ $json.id2 }}'],
	[UNDAMAGED, 'text', '={{ $json.hashtag }}', '={{ $json.another }}'],
	[UNDAMAGED, 'row', '12E34', '1e5', '#general', '4.9E12 Street', 'Loading'],
	[SHOWN, 'package', whole('"type": "IMAGE", "text": null'), whole('"type": "TEXT", "text": "0"')],
	[SHOWN, 'package', whole('"imageUrl": "https://example.com/a.png"')],
]);
