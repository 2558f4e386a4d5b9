/** The page about what is refused before anything is sent, made from the node's rules. */
import type { Kind } from '../../nodes/Messaging/input/reading.ts';
import { RULES } from '../../nodes/Messaging/input/rules.ts';
import { UNANSWERED } from '../../nodes/Messaging/operations/message/reply.ts';
import { type Example, EXAMPLES } from './refused-examples.mts';
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

/** Text with code between backticks as a cell. Links stay. */
function marked(text: string): string {
	return text
		.split('`')
		.map((part, n) => (n % 2 === 0 ? part.replace(/[\\|*_<]/g, '\\$&') : code(part)))
		.join('');
}

/** A hint as a cell, with its expressions as code. */
const cure = (hint: string): string => marked(hint.replace(/"=\{\{.*?\}\}"|\{\{.*?\}\}|\.\w+\(\)/g, '`$&`'));

/** An example as a cell: what is in the field, and in which item. */
function exampleCell({ value, isFixed, isTool, item, shown }: Example): string {
	if (shown !== undefined) return marked(shown);
	if (isTool === true) return `${code(value)} from the model`;
	if (isFixed === true) return `${code(value)} in Fixed`;
	return `${code(value)} with the item ${code(JSON.stringify(item))}`;
}

/** What is refused elsewhere: it needs more than one field. */
const OTHERS: ReadonlyArray<
	readonly [what: string, fields: string, why: string, example: string, cure: string]
> = [
	[
		'A message of the type `TEXT` without a text',
		'Text, Package',
		'The recipient would get nothing',
		'An empty Text',
		'Enter a text. For a message that is no text, add Content Type with its type.',
	],
	[
		'An address whose values are all empty, `false` or `0`',
		'To Fields, Package, Incoming Message',
		'A database returns them where there is no address',
		'A row `phone` with the value `{{ $json.phone }}` and the item `{"phone":0}`',
		'Drop items without an address with a Filter node before this one.',
	],
	[
		'Several addresses in one field',
		'To Email',
		'Each message goes to one recipient',
		'`ada@example.com, bob@example.com`',
		'Make an item of each address: Edit Fields (an Array, `{{ $json.to.split(",") }}`) and Split Out.',
	],
	[
		'A message whose deadline has passed when its turn comes',
		'Delivery Deadline',
		'A code or an offer would arrive when it is no longer valid',
		'`{{ $json.validUntil }}` of yesterday',
		'Set a later deadline, or remove the field.',
	],
	[
		'A timeout of more than an hour',
		'Timeout',
		'The field counts seconds, not milliseconds',
		'`30000`',
		'Enter seconds: `30`.',
	],
	[
		'Another message under a once key that was used in the same execution, also in an earlier round of a loop',
		'Send Only Once Per, Create Only Once Per, Answer Each Message Once',
		'Only one message is sent for each key, so the second would be lost',
		'The key `{{ $json.orderId }}` for "Paid" and for "Shipped"',
		'Add what tells the messages apart: `{{ $json.orderId }}-shipped`.',
	],
	[
		'An incoming message without a `messageId`',
		'Answer Each Message Once',
		'If it is delivered again, nothing shows that it is the same message',
		'`{"content":{"text":"Hi","from":{...}}}`',
		'Add Send Only Once Per with a key of your own. Or turn Answer Each Message Once off: then each delivery is answered.',
	],
	[
		'A name that the operation does not have, in a collection at any depth or at the top. At the top, the node sees the names of all its operations and some of other nodes, such as `httpMethod`',
		'All operations, the trigger',
		'n8n ignores such names: a message could go out twice, or a list would not be filtered',
		'`options.sendOnlyOncePer`',
		'Use the name in the tables of the [operation](README.md): `options.onceKey`.',
	],
	[
		'A collection that is a text, a list, or an expression that gives no object',
		'All operations, the trigger',
		'n8n would ignore all of its fields',
		'`"options": "once"`',
		'Write an object: `"options": {}`. Approval Options and Limit Wait Time may have `values` or not.',
	],
	[
		'JSON that another field switches off',
		'Body, Package, To Fields, Parameters',
		'The call would go out without it',
		'A Body without Send Body, a Package with Input Mode: Fields',
		'Turn on the field that uses the JSON, or remove the JSON.',
	],
	[
		'A limit without a number',
		'Limit Wait Time',
		'The question would wait for another time',
		'`{{ $json.hours }}`, where the item has no `hours`',
		'Give a number for that case: `{{ $json.hours ?? 24 }}`.',
	],
	[
		'A call of a reviewed tool without its `toolParameters`',
		'Send and Wait for Response, as human in the loop',
		'A person would read an empty question',
		'A model calls the tool with `{}`',
		'Have the model call the tool with its parameters under `toolParameters`.',
	],
	[
		'Items whose credential gives different keys or addresses, because it has an expression',
		'The credential',
		"One customer's messages would go out with another one's key",
		'An API Key `{{ $json.key }}`',
		'Put Loop Over Items with a batch size of 1 before the node.',
	],
];

/** The page. */
export function refusedPage(written: string): string {
	const rules = RULES.map((rule, n) => {
		const example = EXAMPLES[n];
		if (example === undefined) throw new Error(`There is no example for: ${rule.hint}`);
		const [what, why] = [example.what, example.why].map(marked);
		return [`${what}. ${why}`, fieldsOf(rule.kinds), exampleCell(example), cure(rule.hint)];
	});
	const others = OTHERS.map(([what, fields, why, example, todo]) =>
		[`${what}. ${why}`, fields, example, todo].map(marked),
	);
	const flags = UNANSWERED.map(({ flags: names, reason }) => [names.map(code).join(', '), cell(reason)]);
	return [
		written,
		'# What is refused before anything is sent\n',
		'[All operations](README.md) · [Documentation](../README.md)\n',
		'The node refuses a value that can only be a mistake. Nothing is sent for the item: it fails as `unsent`, and the error names the item, the field and the expression. Correct the field, and run the item again. The node sends everything else unchanged, and the service checks it.\n',
		'In n8n, a field is either **Fixed** (its text is sent as it is written) or an **Expression** (n8n replaces `{{ }}` by a value of the item). The switch is at the top right of the field. `{{ $json.name }}` is the field `name` of the item. An expression *finds nothing* if the item has no such field, or an empty one.\n',
		...table(['What is refused, and why', 'Where', 'For example', 'What to do'], [...rules, ...others]),
		'Words in your data are never a reason to refuse it, except in once keys and in values that a spreadsheet has damaged: a customer may write `[object Object]`, and an address may be `null@example.com`.\n',
		'## Messages that Reply does not answer\n',
		'If one of these fields is true, at the top of the incoming message or in its `content`:\n',
		...table(['Field', 'The message'], flags),
		'To answer all the same, use Message: Send with the address to answer to.\n',
		'## What the node corrects\n',
		'- **To Email, and the values in To Fields:** the node removes spaces and invisible characters at both ends.\n- **To Email:** it also removes a name in front (`Ada <ada@example.com>`; the name becomes To Name if none is added), `mailto:`, one pair of `<>` or `""`, and one comma or semicolon at each end.\n- **JSON fields:** white space around a single expression makes no difference.\n- **Everything that is sent:** half of an emoji that was cut in two is left out.\n',
		'What else can go wrong: [When something goes wrong](../failures.md).\n',
	].join('\n');
}
