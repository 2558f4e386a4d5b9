/** The page about what is refused before anything is sent, made from the node's rules. */
import type { Kind } from '../../nodes/Messaging/input/reading.ts';
import { RULES } from '../../nodes/Messaging/input/rules.ts';
import { UNANSWERED } from '../../nodes/Messaging/operations/message/reply.ts';
import { cell, code, table } from './markdown.mts';

/** The name of the page. */
export const refusedPageName = 'refused.md';

/** What the page calls the fields of each kind. */
const FIELDS: Readonly<Record<Kind, string>> = {
	message: 'messages',
	text: 'texts',
	json: 'JSON',
	email: 'To Email',
	address: 'To Fields',
	id: 'IDs',
	path: 'paths of endpoints',
	key: 'Send Only Once Per, Create Only Once Per',
	other: 'numbers, dates, switches',
	sent: 'all that is sent',
};

/** The fields that a rule is about. */
function fieldsOf(kinds: readonly Kind[]): string {
	if (kinds.includes('other')) return 'All fields';
	const names = (kinds.includes('sent') ? (['sent'] as const) : kinds).map((kind) => FIELDS[kind]).join(', ');
	return names.charAt(0).toUpperCase() + names.slice(1);
}

/** Text with code in it as a cell. */
function marked(text: string): string {
	return text
		.split('`')
		.map((part, n) => (n % 2 === 0 ? part.replace(/[\\|*_<[\]]/g, '\\$&') : code(part)))
		.join('');
}

/** What is refused elsewhere: it needs more than one field. */
const OTHERS: ReadonlyArray<readonly [what: string, fields: string, why: string]> = [
	['A message of the type `TEXT` without a text', 'Text, Package', 'The customer would get nothing'],
	[
		'An address whose values are all empty, `false` or `0`',
		'To Fields, Package, Incoming Message',
		'A database gives them where there is no address',
	],
	[
		'Several addresses in one field',
		'To Email',
		'Each message goes to one: the error says how to make items of them',
	],
	[
		'A message whose deadline is past when its turn comes',
		'Delivery Deadline',
		'A code or an offer would arrive when it is no longer valid',
	],
	['A timeout of more than an hour', 'Timeout', 'It counts seconds, not milliseconds'],
	[
		'Another message under a once key that was used in the same execution, also in an earlier round of a loop',
		'Send Only Once Per, Create Only Once Per, Answer Each Message Once',
		'Only one message is sent for each key, so the second one would be lost',
	],
	[
		'A message that came in without a `messageId`',
		'Answer Each Message Once',
		'If it is delivered again, nothing shows that it is the same',
	],
	[
		'A name that the operation does not have, in a collection at any depth or at the top: `options.sendOnlyOncePer`. At the top, the node sees the names of all its operations and some of other nodes, such as `httpMethod`',
		'All operations, the trigger',
		'n8n drops such names without a word: a message would go out twice, a list would be that of all',
	],
	[
		'A collection that is a text, a list or an expression that gives no object; Approval Options and Limit Wait Time with and without `values` are fine',
		'All operations, the trigger',
		'The same',
	],
	[
		'JSON that another field switches off: Body without Send Body, Package in the mode Fields',
		'Body, Package, To Fields, Parameters',
		'A call would go out without it',
	],
	['A limit without a number', 'Limit Wait Time', 'The question would wait for another time'],
	[
		'A call of a reviewed tool without its `toolParameters`',
		'Send and Wait for Response, as human in the loop',
		'A person would read a blank question',
	],
	[
		'Items whose credential gives different keys or addresses, because it has an expression',
		'The credential',
		"One customer's messages would go out with another one's key. Put Loop Over Items with a batch size of 1 before the node",
	],
];

/** The page. */
export function refusedPage(written: string): string {
	const rules = RULES.map((rule) => [marked(rule.what), fieldsOf(rule.kinds), marked(rule.why)]);
	const others = OTHERS.map((row) => row.map(marked));
	const flags = UNANSWERED.map(({ flags: names, reason }) => [names.map(code).join(', '), cell(reason)]);
	return [
		written,
		'# What is refused before anything is sent\n',
		'[All operations](README.md) · [Documentation](../README.md)\n',
		'The node refuses what nobody can have meant. The item fails as `unsent`, and the error names the item, the field and the expression. Everything else is sent as it is: the service checks the rest.\n',
		'In n8n, a field is either **Fixed** (its text goes out as it stands) or an **Expression** (n8n replaces what stands in `{{ }}` by a value of the item). The switch is above the field, at its right. `{{ $json.name }}` is the field `name` of the item. An expression *finds nothing* if the item has no such field, or an empty one.\n',
		...table(['What', 'Where', 'Why'], [...rules, ...others]),
		'Apart from once keys and from what a spreadsheet has spoilt, a text of your data is never refused for the words in it: a customer may write `[object Object]`, and an address from the data may be `null@example.com`.\n',
		'## Messages that Reply does not answer\n',
		'If one of these fields is true, at the top of the incoming message or in its `content`:\n',
		...table(['Field', 'The message'], flags),
		'To answer all the same, use Message: Send with the address to answer to.\n',
		'## What is taken away\n',
		'Spaces and invisible marks at both ends of To Email and of the values in To Fields. From To Email also a name in front (`Ada <ada@example.com>`; it becomes To Name if none is added), `mailto:`, one pair of `<>` or `""`, and one comma or semicolon at each end. White space around the only expression of a JSON field does no harm. From all that is sent, the half of an emoji that was cut in two.\n',
		'What else can go wrong: [When something goes wrong](../failures.md).\n',
	].join('\n');
}
