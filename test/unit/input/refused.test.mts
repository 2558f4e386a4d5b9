/** What is refused before anything is sent, and what only looks like it. `test/engine/refused.test.mts` shows it in n8n. */
import { findOperation } from '../../../nodes/Messaging/operations/index.ts';
import { cases } from '../../cases/index.mts';
import {
	data,
	DAMAGED,
	each,
	fine,
	FIXED_ONLY,
	inMessages,
	inPhone,
	missing,
	placed,
	refusals,
	times1,
} from '../../cases/refused.mts';
import { byId, ids } from '../../cases/values.mts';
import { ruleOf } from '../../docs/refused-examples.mts';
import { refusalBy, sourceWith } from '../support/operations.mts';
import { bodyOf, savedSource } from '../support/saved.mts';

/** Its hint shows which rule refuses. What several rules or none of them may be, the message tells apart. */
function refused(place: string, value: unknown, item: object) {
	const [field, id, saved] = placed(place, value);
	const refusal = refusalBy(() => bodyOf(id, saved, item));
	expect(refusal.field).toBe(field);
	expect(refusal.hint).not.toBe('');
	return { ...refusal, message: refusal.message, rule: ruleOf(refusal.hint) };
}

function sent(place: string, value: unknown, item: object): Record<string, unknown> {
	const [, id, saved] = placed(place, value);
	const body = (bodyOf(id, saved, item) ?? {}) as Record<string, unknown>;
	return (body['content'] ?? body) as Record<string, unknown>;
}

/** One test for each kind. */
const byKind = <K,>(all: ReadonlyArray<{ kind: K; place: string; value: unknown }>) =>
	Array.from(
		Map.groupBy(all, ({ kind }) => kind),
		([kind, some]) => ({ kind, some }),
	);

test.each(byKind(refusals))('$kind.what is refused', ({ kind: { rule, says = /./ }, some }) => {
	for (const { place, value } of some) {
		const refusal = refused(place, value, data);
		expect([place, value, refusal.rule]).toEqual([place, value, expect.stringMatching(rule)]);
		expect([place, value, refusal.message]).toEqual([place, value, expect.stringMatching(says)]);
	}
});

test('in an empty item, nothing but fixed text is refused', () => {
	const texts = [`=New order ${missing}`, `=New order ${missing} of {{ $json.other }}`];
	for (const { place, value } of each([[undefined, inMessages, ...texts]])) {
		expect(refused(place, value, {}).rule).toMatch(FIXED_ONLY.rule);
	}
	expect(sent('text', '=New order {{ $json.id ?? "" }}', {})).toMatchObject({ text: 'New order ' });
});

test.each(byKind(fine))('$kind is sent', ({ some }) => {
	for (const { place, value } of some) {
		const body = sent(place, value, data);
		expect([place, value, body]).toEqual([place, value, expect.anything()]);
		if (place === 'text' && !String(value).startsWith('=')) expect(body).toMatchObject({ text: value });
	}
});

test('what is sent is what n8n shows', () => {
	expect(sent('text', '=So: {{ $json.text }}', data)).toMatchObject({ text: `So: ${data.text}` });
	expect(sent('text', `=Dear ${missing} {{ $json.name }}`, data)).toMatchObject({ text: 'Dear  Ada' });
	expect(sent('row', `=${missing}{{ $json.phone }}`, data)['to']).toEqual({ type: 'PHONE', phone: '491512' });
	const email = 'null@example.com';
	expect(sent('toEmail', '={{ $json.email.trim() }}', { email })).toMatchObject({ to: { email } });
	const code = { more: { correlationId: '{{ $json.id }}' } };
	expect(bodyOf('message.send', { additionalFields: '={{ $json.more }}' }, code)).toMatchObject(code.more);
	const channel = { ...byId(ids.channel), cachedResultName: 'Channel {{ $json.x }}' };
	expect(bodyOf('message.send', { channelId: channel }, data)).toBeDefined();
});

test.each([missing, times1])('alone in an optional field, %s means that it is not given', (code) => {
	const uuids = { packageId: `=${missing}`, correlationId: `=${code}`, priority: `=${code}` };
	const given = { additionalFields: uuids, rareFields: { accountId: `=${missing}` } };
	expect(bodyOf('message.send', given, data)).toEqual(bodyOf('message.send', {}, data));
	const organization = { additionalFields: { organizationId: `=${missing}` } };
	expect(bodyOf('account.create', organization, data)).toEqual(bodyOf('account.create', {}, data));
});

test.each(['={{ $json.to }}', '= {{ $json.to }}', '={{ $json.to }}\n', '=\n\t{{ $json.to }} \n'])(
	'a JSON field takes the object of its only expression, whatever white space is around it: %j',
	(from) => {
		for (const to of [{ phone: '+49' }, '{"phone": "+49"}']) {
			expect(sent('json', from, { to })).toMatchObject({ from: { phone: '+49' } });
		}
	},
);

const mark = '\u200b';
test.each([
	...[' ada@example.com ', `${mark}ada@example.com\ufeff\u2069`, 'mailto:ada@example.com'],
	...['MAILTO: ada@example.com', '<ada@example.com>', '"ada@example.com"', '<mailto:ada@example.com>;'],
	'<ada@example.com,>',
	...['ada@example.com,', ` "ada@example.com"${mark} ;\u00a0`, ', ada@example.com', ',<ada@example.com>'],
	...[';mailto:ada@example.com;', '"; ada@example.com"', '\u00ad\u061cada@example.com\u180e'],
])('from copy and paste, %j is ada@example.com', (toEmail) => {
	for (const value of [toEmail, '={{ $json.email }}']) {
		expect(sent('toEmail', value, { email: toEmail })).toMatchObject({ to: { email: 'ada@example.com' } });
	}
});

test.each<[given: string, name: string | undefined]>([
	['Ada <ada@example.com>', 'Ada'],
	['"Lovelace, Ada" <ada@example.com>', 'Lovelace, Ada'],
	['Lovelace, Ada <ada@example.com>', 'Lovelace, Ada'],
	['"The \\"Countess\\"" <ada@example.com>', 'The "Countess"'],
	[' Zoë 👩🏽‍💻 <mailto:ada@example.com>; ', 'Zoë 👩🏽‍💻'],
	['"ada@example.com" <ada@example.com>', undefined],
])('%j is an address with the name %j', (from, name) => {
	const to = { type: 'EMAIL', email: 'ada@example.com' };
	const toFor = (toEmail: string, additionalFields = {}) =>
		(bodyOf('message.send', { toEmail, additionalFields }, { from }) as { content: { to: object } }).content
			.to;
	for (const toEmail of [from, '={{ $json.from }}']) {
		expect(toFor(toEmail)).toStrictEqual(name === undefined ? to : { ...to, name });
		expect(toFor(toEmail, { toName: 'Grace' })).toStrictEqual({ ...to, name: 'Grace' });
		expect(toFor(toEmail, { toName: '' })).toStrictEqual(to);
	}
});

test.each<[to: unknown, advice: RegExp]>([
	['ada@example.com, bob@example.com', /\{\{ \$json\.to\.split\(","\) \}\}.*Split Out/],
	[['ada@example.com', 'bob@example.com'], /Split Out/],
	[{ label: 'work', value: 'ada@example.com' }, /: \{\{ \$json\.to\.value \}\}\. It has: label, value\./],
	[[{ label: 'work', email: 'ada@example.com' }], /: \{\{ \$json\.to\[0\]\.email \}\}\./],
	[{ id: 7, city: 'Paris' }, /address\. It has: id, city\./],
])('of %j, the way to one address is named', (to, advice) => {
	expect(refused('toEmail', '={{ $json.to }}', { to }).hint).toMatch(advice);
});

test('what an empty field already holds is no advice, and a model is told what to call with', () => {
	const chat = refused('chatId', '={{ $json.content.to.email }}', { event: 1, since: 2 });
	expect(chat.hint).not.toContain('{{');
	expect(chat.message).toMatch(/This item has: event, since$/);
	const before = refused('chatId', '={{ $json.chatId }}', { alreadySent: true });
	expect(before.message).toMatch(/This item was sent before, so it has: alreadySent$/);
	expect(refused('chatId', '={{ $json.missing }}', { a: 1 }).hint).toContain('{{');
	const asked = "={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('To_Email', ``, 'string') }}";
	expect(refused('toEmail', asked, {}).message).toMatch(/is empty: call the tool with To_Email$/);
});

test('of a once key that finds nothing, only one with another part is offered a substitute', () => {
	const item = { event: 'a', channelId: 'b' };
	const alone = refused('key', '={{ $json.shop }}', item);
	expect(alone.message).toMatch(/This item has: event, channelId$/);
	const beside = refused('key', '={{ $json.event }} {{ $json.shop }}', item);
	expect([alone, beside].map(({ hint }) => hint.includes('||'))).toEqual([false, true]);
});

test.each([false, 0, 'false', '0'])('%j is no address', (phone) => {
	for (const saved of ['={{ $json.phone }}', String(phone)]) refused('address', saved, { phone });
	refused('package/content/to', { content: { text: 'Hi', to: { phone, country: null } } }, {});
	const incoming = { content: { from: { type: 'PHONE', phone }, text: 'Hi' } };
	refused('incoming/content/from', incoming, data);
	const to = { phone: '+491', isBusiness: phone };
	expect(sent('package', { content: { text: 'Hi', to } }, data)).toMatchObject({ to: { phone: '+491' } });
});

test.each(['<ada@example.com', '<<ada@example.com>>', '""', 'ada@example.com;;', ',,ada@example.com'])(
	'%j is not taken for ada@example.com',
	(toEmail) => {
		let email: unknown;
		try {
			email = (sent('toEmail', toEmail, data)['to'] as { email: string }).email;
		} catch {
			return;
		}
		expect(email).not.toBe('ada@example.com');
	},
);

test('in rows, white space and marks at both ends go, and what is inside stays', () => {
	const to = sent('row', `\u202a\u00ad +49\u200b30 1 \u202c\n`, data)['to'];
	expect(to).toMatchObject({ phone: '+49\u200b30 1' });
});

const errors = '#ERROR!|#N/A|#REF!|#NAME?|#VALUE!|#DIV/0!|#WERT!|#NOM?|#NOM ?|#NV'.split('|');
test.each([...errors, '4.91512E+12', '4,91512E+12', ' #n/a ', '#N/D', '#¡VALOR!', '#ЗНАЧ!', 'Loading...'])(
	'%j was damaged by a spreadsheet',
	(phone) => {
		for (const { place, value } of each([
			[undefined, 'row chatId key', '={{ $json.phone }}'],
			[undefined, 'row', phone],
			[undefined, 'json/phone', { phone }, '={{ { phone: $json.phone } }}'],
			[undefined, 'key', '=order-{{ $json.phone }}'],
			[undefined, 'incoming/content/from/phone', { content: { from: { phone }, text: 'Hi' } }],
			[undefined, inPhone, { content: { text: 'Hi', to: { phone } } }],
		])) {
			expect(refused(place, value, { phone }).rule).toMatch(DAMAGED.rule);
		}
	},
);

test('a message is refused if an expression gives nothing but an error of a spreadsheet', () => {
	for (const cell of [...errors, '#¿NOMBRE?', ' #ЗНАЧ! ']) {
		expect(refused('text', '={{ $json.cell }}', { cell }).rule).toMatch(DAMAGED.rule);
		for (const text of ['=It says {{ $json.cell }}', cell.trim()])
			expect(sent('text', text, { cell })).toBeDefined();
	}
	for (const cell of ['#thanks!', '#Winter is here!', '#1', 'Loading...', '4.9E+12']) {
		expect(sent('text', '={{ $json.cell }}', { cell })).toMatchObject({ text: cell });
	}
});

test.each(['null', 'undefined', 'None', 'N/A', ' unknown'])(
	'%j as an address from a model is none, but one of the data may be odd',
	(address) => {
		const { compile, fields } = findOperation('message', 'send')!;
		const given = (isTool: boolean) => {
			const source = savedSource(fields, {
				...cases['message.send'].least.given,
				...placed('row', address)[2],
			});
			return () => compile(sourceWith(source, { isTool, unresolved: source.unresolved! }));
		};
		expect(refusalBy(given(true)).field).toMatch(/^To Fields/);
		expect(given(false)).not.toThrow();
	},
);
