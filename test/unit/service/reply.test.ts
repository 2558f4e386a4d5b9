import { parseBody } from '../../../nodes/Messaging/service/reply.ts';
import { Turns } from '../../../nodes/Messaging/time/turns.ts';

const JSON_TYPE = 'application/json; v=1.0';

test.each<[kind: string, text: string, contentType: string | undefined, expected: unknown]>([
	['an object', '{"a":[1,null]}', JSON_TYPE, { a: [1, null] }],
	['a list', '[1]', 'text/json; v=1.0', [1]],
	['JSON of another subtype', '{"a":1}', 'application/problem+json', { a: 1 }],
	['a quoted text', '"done"', JSON_TYPE, 'done'],
	['a number', '5', JSON_TYPE, 5],
	['null', 'null', JSON_TYPE, null],
	['nothing', '', JSON_TYPE, undefined],
	['only space', ' \r\n', undefined, undefined],
	['JSON as plain text', ' {"a":1}', 'text/plain; v=1.0', { a: 1 }],
	['JSON without a type', '[{"a":1}]', undefined, [{ a: 1 }]],
	['text', 'Accepted', 'text/plain; v=1.0', 'Accepted'],
	['text without a type', 'Accepted', undefined, 'Accepted'],
	['a number as plain text stays text', '5', 'text/plain', '5'],
	['"true" as plain text stays text', 'true', 'text/plain', 'true'],
	['text that begins like JSON', '[see log]', 'text/plain', '[see log]'],
	['broken JSON', '{"a":', JSON_TYPE, '{"a":'],
	['a page', '<html></html>', 'text/html', '<html></html>'],
])('reads %s', async (_kind, text, contentType, expected) => {
	expect(await parseBody(text, contentType, new Turns())).toStrictEqual(expected);
});
