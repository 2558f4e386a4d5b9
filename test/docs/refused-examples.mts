import { RULES } from '../../nodes/Messaging/input/rules.ts';

/** What each rule of what is refused is about, with an example , in the order of the rules. The page shows them, a test tries them. */
export interface Example {
	/** What the rule refuses, and why. */
	readonly what: string;
	readonly why: string;
	/** A field of Message: Send, or of Service: Call an Endpoint. */
	readonly field: 'text' | 'toEmail' | 'onceKey' | 'path';
	/** What is in the field, as the editor shows it. */
	readonly value: string;
	/** The field is Fixed; otherwise in Expression mode. */
	readonly isFixed?: true;
	/** The item. */
	readonly item?: object;
	/** In a tool of an AI agent. */
	readonly isTool?: true;
	/** How to show it, if the value or the item is not to be shown. */
	readonly shown?: string;
}

export const EXAMPLES: readonly Example[] = [
	{
		what: 'An address or a once key that is larger than 1 KB, or has more than 100 fields or 5 levels of them',
		why: 'None is that large',
		field: 'toEmail',
		value: '{{ $json.mail }}',
		item: { mail: `${'a'.repeat(2000)}@example.com` },
		shown: '`{{ $json.mail }}`, where `mail` is the text of an e-mail',
	},
	{
		what: 'Code that n8n does not evaluate: an expression or `{{ new Date() }}` in a Fixed field, a path without braces such as `$json.email`, `${order.name}`, and a second `=` as in `=={{ $json.email }}`',
		why: 'The recipient would read the code, and all items would have the same ID or key',
		field: 'text',
		value: 'Hello {{ $json.name }}',
		isFixed: true,
		item: { name: 'Ada' },
	},
	{
		what: 'An object, a function that is not called (`{{ $json.name.trim }}`) or a date within a text, and a time span within a message',
		why: 'The recipient would read `[object Object]`, `function trim() { [native code] }`, `P2.3933D`, or `Thu Dec 24 2026 10:00:00 GMT+0000 (Coordinated Universal Time)` in the time zone of the server',
		field: 'text',
		value: 'Your order: {{ $json.order }}',
		item: { order: { number: 7 } },
	},
	{
		what: 'An expression that turns a missing value into `undefined`, `NaN`, `Infinity`, `Invalid Date` or `Invalid DateTime`, or gives only `null`',
		why: 'The recipient would read that word. A word that stands in your data or in your own text is sent',
		field: 'text',
		value: '{{ "Hi " + $json.name }}',
		item: { id: 7 },
	},
	{
		what: 'A message with two or more expressions that all find nothing, or with one if the item is empty (`{}`). One that ends with an empty text, as `{{ $json.title ?? "" }}`, does not count',
		why: 'Only the fixed text would go out: "New order  of "',
		field: 'text',
		value: 'New order {{ $json.id }} of {{ $json.name }}',
		item: { orderId: 7 },
	},
	{
		what: 'An incomplete address or ID: an expression gives `undefined`, `null` or `NaN` in it, or all expressions beside its fixed text find nothing',
		why: 'The message would go to nobody, or to somebody else',
		field: 'toEmail',
		value: '{{ $json.user }}@example.com',
		item: { name: 'ada' },
	},
	{
		what: "A path of an endpoint in which an expression finds nothing, or gives anything but letters, digits and `-._~!$&'()*+,=:@`. What `encodeURIComponent` escapes may be in it, and a slash if the path begins with the expression",
		why: 'The call would reach another endpoint, such as the one of all orders',
		field: 'path',
		value: '/orders/{{ $json.id }}',
		item: { id: '7/8' },
	},
	{
		what: 'A value that a spreadsheet has damaged: an address, ID or once key such as `4.91512E+12` or `Loading...`, or an error of the spreadsheet, from `#` to `!` or `?` (`#DIV/0!`, `#WERT!`, `#NOM?`), `#N/A`, `#NV`, `#N/D`. A message is refused if it is nothing but such an error',
		why: 'The missing digits are lost, and many rows have the same error',
		field: 'onceKey',
		value: '{{ $json.phone }}',
		item: { phone: '4.91512E+12' },
	},
	{
		what: 'The character NUL, and within an email address any invisible character',
		why: 'Services refuse a call with NUL. An address with an invisible character looks right, but is another address',
		field: 'toEmail',
		value: 'ada\u200b@example.com',
		isFixed: true,
		shown: '`ada@example.com` with a zero-width space before the `@`',
	},
	{
		what: 'A once key of which one part finds something, and another nothing',
		why: 'Items that lack this part may have the same key, and only the first would be sent',
		field: 'onceKey',
		value: '{{ $json.shop }}-{{ $json.number }}',
		item: { number: 7 },
	},
	{
		what: 'A once key that is empty, a list or an object, or in which nothing was found',
		why: 'Many items would have the same key, and only the first would be sent',
		field: 'onceKey',
		value: 'order-{{ $json.number }}',
		item: { id: 7 },
	},
	{
		what: 'A once key that is true or false, or contains `undefined`, `null`, `NaN`, `[object Object]` or half of an emoji',
		why: 'Many items would have the same key, and only the first would be sent',
		field: 'onceKey',
		value: 'order-{{ String($json.number) }}',
		item: { id: 7 },
	},
	{
		what: 'A once key whose expressions read only `$itemIndex`, `$runIndex`, `$execution.id`, `$workflow` or the `row_number` of a sheet. In a tool of an AI agent, also a fixed one',
		why: 'The key is the same in each run, and later runs send nothing; or it is new in each run, and nothing is recognized; or it moves to another person when a row is deleted',
		field: 'onceKey',
		value: 'sale {{ $itemIndex }}',
		item: { id: 7 },
	},
	{
		what: 'In a tool of an AI agent: `null`, `undefined`, `None`, `N/A` or `unknown` as an address',
		why: 'A model writes this if it does not know the address',
		field: 'toEmail',
		value: 'unknown',
		isFixed: true,
		isTool: true,
	},
	{
		what: 'A number of more than 15 digits that JavaScript has rounded, also within a text',
		why: 'The rounded number may be the ID or address of somebody else',
		field: 'text',
		value: 'Order {{ $json.id }}',
		item: { id: Number('12345678901234567890') },
		shown: '`Order {{ $json.id }}` with the number `12345678901234567890`',
	},
];

/** What the rule is about whose hint this text has, perhaps cut; '' if there is none. */
export function ruleOf(text: string): string {
	return EXAMPLES[RULES.findIndex((rule) => text.includes(rule.hint.slice(0, 40)))]?.what ?? '';
}
