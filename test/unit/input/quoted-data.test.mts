import { quotedExpressions } from '../../../nodes/Messaging/input/expressions.ts';
import { DATA_IN_JSON, fieldsQuotingData } from '../../../nodes/Messaging/input/quoted-data.ts';
import { sendMessage } from '../../../nodes/Messaging/operations/message/send.ts';
import { refusalBy } from '../support/operations.mts';
import { bodyOf } from '../support/saved.mts';

test.each([
	['={"text": "{{ $json.text }}"}', true],
	['={"text": "Hello {{ $json.name }}!"}', true],
	['={"a": {{ $json.a }}, "text": "{{ $json.text }}"}', true],
	['={"text": "say \\"hi\\" {{ $json.name }}"}', true],
	['={"text": {{ JSON.stringify($json.text) }}}', false],
	['={"text": "fixed", "a": {{ JSON.stringify($json.text) }}, "b": "fixed"}', false],
	['={{ { text: "Hello " + $json.name } }}', false],
	['={"text": "{{ $json.text', true],
	// Without "=" it is a fixed text: n8n resolves nothing in it.
	['{"text": "{{ $json.text }}"}', false],
	[{ text: '{{ $json.text }}' }, false],
	[undefined, false],
])('%j has an expression inside quotes: %j', (raw, expected) => {
	expect(quotedExpressions(raw).length > 0).toBe(expected);
});

test('the fields are named as the editor does, also those in a collection', () => {
	const entered: Record<string, string> = {
		package: '={"content": {"text": "{{ $json.text }}"}}',
		'additionalFields.otherContent': '={"subject": "{{ $json.subject }}"}',
		text: '="{{ $json.text }}"',
	};
	const source = {
		read: () => '',
		unresolved: (path: string) => entered[path],
		timezone: 'UTC',
		caller: { callId: '' },
	};
	expect(fieldsQuotingData(sendMessage.fields, source)).toEqual(['Package', 'Other Content Fields']);
});

test.each([
	['={"content": {"text": "{{ $json.text }}"}}', /inside quotes/],
	['={{ $json.package }}', /^Write it like/],
])('the error about JSON that data has broken says whether quotes are the cause: %s', (raw, words) => {
	const read = (name: string) => (name === 'inputMode' ? 'json' : '{"content": {"text": "He said "hi""}}');
	const source = { read, unresolved: () => raw, timezone: 'UTC', caller: { callId: '' } };
	expect(refusalBy(() => sendMessage.compile(source)).hint).toMatch(words);
});

test.each([{ text: 'He said "hi"' }, {}])('the advice on data in JSON works with the item %j', (item) => {
	const advised = DATA_IN_JSON.match(/\{\{ .*? \}\}/g)?.at(-1);
	const content = `{"type": "IMAGE", "to": {"phone": "1"}, "text": ${advised}}`;
	const given = { inputMode: 'json', package: `={"content": ${content} }` };
	expect(bodyOf('message.send', given, item)).toMatchObject({ content: { text: '', ...item } });
});
